#include "runtime/nameserver/nameserver.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/base/file.h"
#include "runtime/base/prometheus.h"

namespace runtime::nameserver {

namespace {

std::string_view name_of(Rcode rcode) {
    switch (rcode) {
        case Rcode::NoError:
            return "NOERROR";
        case Rcode::FormErr:
            return "FORMERR";
        case Rcode::ServFail:
            return "SERVFAIL";
        case Rcode::NxDomain:
            return "NXDOMAIN";
        case Rcode::NotImp:
            return "NOTIMP";
        case Rcode::Refused:
            return "REFUSED";
        case Rcode::BadVers:
            return "BADVERS";
    }
    return "";
}

}  // namespace

Nameserver::Nameserver(AsioLoop& loop, Log& log, std::string folder, DnsLimits limits)
    : log_(log),
      file_(folder + "/records.json"),
      watch_(loop, std::move(folder), [this] { read_records(); }),
      server_(loop, limits,
              [this](std::string_view packet, Carrier carrier) { return reply(packet, carrier); }) {
}

renderer::Result<std::uint16_t> Nameserver::start(std::uint16_t port) {
    TRY(watch_.start());
    read_records();
    return server_.listen(port);
}

void Nameserver::read_records() {
    auto text = read_trimmed(file_);
    if (text.has_value() && text_ == *text) {
        return;
    }
    std::vector<std::string> skipped;
    auto records = text.has_value() ? Records::read(*text, skipped)
                                    : renderer::Result<Records>(std::move(text.error()));
    text_ = text.has_value() ? std::optional(std::move(*text)) : std::nullopt;
    is_broken_ = !records.has_value();
    if (is_broken_) {
        log_.error(is_ready() ? "invalid new records, keeping the last valid ones"
                              : "no records yet, all names of ts.net are answered with SERVFAIL",
                   {{"reason", records.error().diagnostic.message}});
        return;
    }
    for (const std::string& reason : skipped) {
        log_.warning("skipped in records.json", {{"reason", reason}});
    }
    records_ = std::move(*records);
    log_.info("records loaded", {{"names", fmt::format("{}", records_->size())}});
}

std::string Nameserver::reply(std::string_view packet, Carrier carrier) {
    Answer said = answer(packet, carrier, is_ready() ? &*records_ : nullptr);
    if (!said.packet.empty()) {
        ++replies_[{carrier, said.rcode}];
        truncated_ += said.truncated ? 1 : 0;
    }
    return std::move(said.packet);
}

std::string Nameserver::metrics() const {
    MetricsText out;
    out.begin("tailrender_dns_replies_total", "Replies to queries.", "counter");
    for (const auto& [kind, count] : replies_) {
        out.sample({{"protocol", kind.first == Carrier::Udp ? "udp" : "tcp"},
                    {"rcode", name_of(kind.second)}},
                   count);
    }
    out.counter("tailrender_dns_truncated_total", "Truncated replies (TC).", truncated_);
    out.gauge("tailrender_dns_names", "Names with records.", is_ready() ? records_->size() : 0);
    out.gauge("tailrender_dns_records_broken", "Whether the newest records.json is invalid.",
              is_broken_ ? 1 : 0);
    return out.text();
}

}  // namespace runtime::nameserver
