// The role `nameserver`: answers for `ts.net` inside a cluster, from the records that the
// controller writes. Contract: testdata/contract/nameserver.md.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/base/directory_watch.h"
#include "runtime/base/log.h"
#include "runtime/nameserver/dns_server.h"

namespace runtime {

class Nameserver {
public:
    // Reads `<folder>/records.json`. The references outlive it.
    Nameserver(AsioLoop& loop, Log& log, std::string folder, DnsLimits limits = {});

    // Port 0 takes a free one. The result is the port.
    renderer::Result<std::uint16_t> start(std::uint16_t port);

    // It has had records once; those stay when a later file is broken.
    [[nodiscard]] bool is_ready() const { return records_.has_value(); }
    // For Prometheus (text exposition format 0.0.4).
    [[nodiscard]] std::string metrics() const;

private:
    void read_records();
    std::string reply(std::string_view packet, Carrier carrier);

    Log& log_;
    std::string file_;
    std::optional<Records> records_;
    std::optional<std::string> text_;  // that was read last, good or not
    bool is_broken_ = false;
    std::map<std::pair<Carrier, Rcode>, std::uint64_t> replies_;
    std::uint64_t truncated_ = 0;
    DirectoryWatch watch_;
    DnsServer server_;
};

}  // namespace runtime
