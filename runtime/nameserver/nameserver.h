// The role `nameserver`: resolves names in `ts.net` inside a cluster, from the records that the
// controller writes. Contract: testdata/contract/nameserver.md.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/base/directory_watch.h"
#include "runtime/base/log.h"
#include "runtime/nameserver/dns_server.h"

namespace runtime::nameserver {

class Nameserver {
public:
    // Reads `<folder>/records.json`. The references must outlive it.
    Nameserver(AsioLoop& loop, Log& log, std::string folder, DnsLimits limits = {});

    // Port 0 picks a free port. Returns the port.
    renderer::Result<std::uint16_t> start(std::uint16_t port);

    // True once valid records were read. They are kept if a later file is invalid.
    [[nodiscard]] bool is_ready() const { return records_.has_value(); }
    // Returns the metrics for Prometheus (text exposition format 0.0.4).
    [[nodiscard]] std::string metrics() const;

private:
    void read_records();
    std::string reply(std::string_view packet, Carrier carrier);

    Log& log_;
    std::string file_;
    std::optional<Records> records_;
    std::optional<std::string> text_;  // content that was read last, valid or not
    bool is_broken_ = false;
    std::map<std::pair<Carrier, Rcode>, std::uint64_t> replies_;
    std::uint64_t truncated_ = 0;
    DirectoryWatch watch_;
    DnsServer server_;
};

}  // namespace runtime::nameserver
