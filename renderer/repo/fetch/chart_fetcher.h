// Charts that are not at hand, by the user's own `helm pull`: of strangers' repositories, without
// credentials, in a folder of its own that is all that it may write, and through tunnel_proxy.h.
// What was fetched is part of the input, so a run that fetched other bytes says so by their digest.
// Source: helm pkg/action/pull.go, pkg/downloader/chart_downloader.go.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/repo/fetch/chart_address.h"
#include "renderer/repo/fetch/fetched_chart.h"

namespace renderer {

// Of one chart, and of all of a run.
struct FetchLimits {
    std::chrono::seconds each{60};
    std::chrono::seconds all{300};
    int charts = 100;
    std::size_t each_bytes = std::size_t{128} << 20U;  // with the index of its repository
    std::size_t all_bytes = std::size_t{1} << 30U;
};

struct FetchSetup {
    std::string helm;                        // absolute path
    HostList hosts = {};                     // --allow-network
    std::string ca_file = {}, ca_dirs = {};  // SSL_CERT_FILE, SSL_CERT_DIR
    FetchLimits limits = {};
};

// May be asked by several threads, which then wait for each other.
class ChartFetcher {
public:
    explicit ChartFetcher(FetchSetup setup);

    // Knows what this one has fetched, has its limits with it, and lists what it is asked for
    // itself.
    [[nodiscard]] std::shared_ptr<ChartFetcher> for_another_load() const;

    // The archive. The same address gives the same bytes, or the same failure, through all of a
    // run.
    [[nodiscard]] Result<std::string> fetch(const ChartAddress& address);

    // What was fetched, in order.
    [[nodiscard]] std::vector<FetchedChart> fetched() const;

private:
    struct Fetched {
        FetchedChart chart;
        std::string archive;
        std::string failure;  // "" when there is an archive
    };
    struct Run {
        explicit Run(FetchSetup all) : setup(std::move(all)) {}
        Fetched pull(const ChartAddress& address);
        Fetched run_helm(const ChartAddress& address, std::chrono::seconds time);

        const FetchSetup setup;
        std::mutex mutex;
        std::map<ChartAddress, Fetched> known;
        int charts = 0;
        std::size_t bytes = 0;
        std::chrono::steady_clock::duration spent{0};
    };

    explicit ChartFetcher(std::shared_ptr<Run> run) : run_(std::move(run)) {}

    std::shared_ptr<Run> run_;
    std::set<FetchedChart> fetched_;  // guarded by the run's mutex
};

}  // namespace renderer
