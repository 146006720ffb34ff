// Fetches charts that are not in the tree with the user's own `helm pull`. The repositories are
// untrusted, so helm gets no credentials, can write only to a folder of its own, and reaches the
// network only through tunnel_proxy.h. Fetched charts are part of the input: the report has their
// digests, which show that a run fetched other bytes. Source: helm pkg/action/pull.go,
// pkg/downloader/chart_downloader.go.
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

namespace renderer::repo {

// Limits for one chart, and for all charts of a run.
struct FetchLimits {
    std::chrono::seconds each{60};
    std::chrono::seconds all{300};
    int charts = 100;
    std::size_t each_bytes = std::size_t{128} << 20U;  // including the index of its repository
    std::size_t all_bytes = std::size_t{1} << 30U;
};

struct FetchSetup {
    std::string helm;                        // absolute path
    HostList hosts = {};                     // --allow-network
    std::string ca_file = {}, ca_dirs = {};  // SSL_CERT_FILE, SSL_CERT_DIR
    FetchLimits limits = {};
};

// Thread-safe; concurrent calls wait for each other.
class ChartFetcher {
public:
    explicit ChartFetcher(FetchSetup setup);

    // Returns a fetcher that shares fetched charts and limits with this one, but lists only the
    // charts that were requested from it.
    [[nodiscard]] std::shared_ptr<ChartFetcher> for_another_load() const;

    // Returns the archive. During a run an address always gives the same bytes or the same failure.
    [[nodiscard]] Result<std::string> fetch(const ChartAddress& address);

    // Returns the fetched charts, sorted.
    [[nodiscard]] std::vector<FetchedChart> fetched() const;

private:
    struct Fetched {
        FetchedChart chart;
        std::string archive;
        std::string failure;  // "" if there is an archive
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

}  // namespace renderer::repo
