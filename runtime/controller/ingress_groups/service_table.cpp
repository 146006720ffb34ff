#include "runtime/controller/ingress_groups/service_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "renderer/core/json.h"
#include "runtime/base/log.h"
#include "runtime/controller/decide.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::text_list;
using renderer::Value;

namespace {

struct Verdict {
    std::string_view state;
    std::string problem = {};
};

Verdict verdict_on(const ToldService& service) {
    const OfferedState& state = service.state;
    if (!state.registration.refusal.empty()) {
        return {"refused", state.registration.refusal};
    }
    if (!state.registration.is_there && !service.problem.empty()) {
        return {"refused", service.problem};
    }
    if (!state.offered.group->has_joined()) {
        return {"waiting", "no replica of its group has joined"};
    }
    if (backends_of(state).ready == 0) {
        return {"waiting", service.problem.empty() ? "no replica advertises it" : service.problem};
    }
    const bool lacks_certificate =
        !state.offered.offer->certificate.empty() && !state.has_certificate;
    return {"registered", !service.problem.empty() ? service.problem
                          : lacks_https(state)     ? std::string(kHttpsIsOffProblem)
                          : lacks_certificate      ? "it has no certificate yet"
                                                   : ""};
}

Value line_of(const Offer& offer, std::string_view group, std::string_view tailnet,
              const std::string& fqdn, const std::vector<std::string>& addresses,
              const Verdict& verdict) {
    Value line = Value::map({{"service", offer.name},
                             {"group", group},
                             {"parent", offer.parent},
                             {"fqdn", fqdn},
                             {"addresses", text_list(addresses)},
                             {"tailnet", tailnet},
                             {"state", verdict.state}});
    put_if(line, !verdict.problem.empty(), "problem", redact(verdict.problem));
    return line;
}

// A service that its group does not offer, or whose group cannot be reconciled.
Value line_of(const ServiceRecord& record, const RecordName& name) {
    const Offer offer{.name = std::string(name.service),
                      .parent = record.parent,
                      .ports = {},
                      .tags = {},
                      .certificate = {}};
    const bool is_leaving = !record.gone_since.empty();
    return line_of(offer, record.group, name.tailnet, record.certificate, {},
                   is_leaving
                       ? Verdict{"leaving"}
                       : Verdict{"waiting", fmt::format("group \"{}\" is blocked: its ConfigMap "
                                                        "cannot be read, or it has no StatefulSet",
                                                        record.group)});
}

}  // namespace

std::string services_table(const ServiceRecords& records,
                           const std::map<std::string, ToldService>& offered) {
    std::map<std::string, Value> lines;
    for (const auto& [key, service] : offered) {
        const OfferedState& state = service.state;
        const Offer& offer = *state.offered.offer;
        lines.emplace(
            key, line_of(offer, state.offered.group->config->name, split_record_key(key).tailnet,
                         offer.certificate.empty() ? full_name(state) : offer.certificate,
                         state.registration.addresses, verdict_on(service)));
    }
    for (const auto& [key, record] : records) {
        lines.try_emplace(key, line_of(record, split_record_key(key)));
    }
    std::string table;
    for (const auto& [unused, line] : lines) {
        table += renderer::write_json(line) + "\n";
    }
    return table;
}

Value waiting_service(const Offer& offer, std::string_view group) {
    return line_of(offer, group, {}, offer.certificate, {}, {"waiting"});
}

std::string lines_that_fit(std::string table, std::size_t limit) {
    if (table.size() <= limit) {
        return table;
    }
    const std::size_t end = table.rfind('\n', limit - 1) + 1;
    const auto omitted =
        std::count(table.begin() + static_cast<std::ptrdiff_t>(end), table.end(), '\n');
    table.resize(end);
    return table + fmt::format("{{\"omitted\":{}}}\n", omitted);
}

}  // namespace runtime::controller
