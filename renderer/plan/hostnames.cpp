#include "renderer/plan/hostnames.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/contract/annotations.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/annotations.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/workload/workload.h"

namespace renderer::plan {

namespace {

// A full name instead of only its first label is an error with exactly one fix.
std::string hint_of(const std::string& hostname, std::string_view advice) {
    const std::string label = hostname.substr(0, hostname.find('.'));
    return hostname.ends_with(".ts.net") && dns_label_error(label).empty()
               ? fmt::format("write \"{}\": the tailnet adds its domain", label)
               : std::string(advice);
}

template <typename Owner>
std::string checked_text(const Owner& owner, const Hostname& wanted, std::string_view advice,
                         const Settings& settings, Diagnostics& diagnostics) {
    std::string hostname = wanted.text;
    std::string wrong = dns_label_error(hostname);
    if (wrong.empty() && !settings.hostname_suffix.empty()) {
        hostname += "-" + settings.hostname_suffix;
        wrong = dns_label_error(hostname);
    }
    if (!wrong.empty()) {
        about(owner, diagnostics)
            .error("invalid-hostname", wanted.pos,
                   fmt::format("invalid hostname \"{}\": {}", hostname, wrong))
            .found(hostname.size() <= kMaxLabel
                       ? ""
                       : fmt::format("a name of {} bytes", hostname.size()))
            .expected("1 to 63 letters, digits and dashes, no dash at either end")
            .hint(hint_of(hostname, advice));
    }
    return hostname;
}

}  // namespace

std::string checked_hostname(const classify::ParentInput& parent, const Hostname& wanted,
                             std::string_view advice, const Settings& settings,
                             Diagnostics& diagnostics) {
    return checked_text(parent, wanted, advice, settings, diagnostics);
}

std::string checked_hostname(const Origin& owner, const Hostname& wanted, std::string_view advice,
                             const Settings& settings, Diagnostics& diagnostics) {
    return checked_text(owner, wanted, advice, settings, diagnostics);
}

std::optional<Hostname> service_hostname(const classify::ServiceInput& service,
                                         const Settings& settings, Diagnostics& diagnostics) {
    const auto checked = [&](const Hostname& wanted, std::string_view advice) {
        return Hostname{checked_hostname(service, wanted, advice, settings, diagnostics),
                        wanted.pos};
    };
    const Value* wanted = service.annotation(annotation::kHostname);
    if (wanted != nullptr && wanted->is_string()) {
        return checked({std::string(wanted->text()), wanted->pos()},
                       "fix it, or remove the annotation to use <namespace>-<name>");
    }
    if (service.ns.empty()) {
        return std::nullopt;
    }
    return checked({fmt::format("{}-{}", service.ns, service.name), service.name_pos()},
                   kHostnameAdvice);
}

void set_hostname(std::optional<Hostname> hostname, Workload& workload) {
    if (hostname) {
        workload.hostnames = {std::move(hostname->text)};
        workload.hostname_pos = hostname->pos;
    }
}

std::string cluster_dns_name(std::string_view ns, std::string_view name, const Settings& settings) {
    return fmt::format("{}.{}.svc.{}", name, ns, settings.cluster_domain);
}

}  // namespace renderer::plan
