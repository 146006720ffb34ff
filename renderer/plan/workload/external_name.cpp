#include "renderer/plan/workload/external_name.h"

#include <fmt/format.h>

#include "renderer/load/splice.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kLinesToWrite =
    "write these three lines, and remove \"selector\" and \"clusterIP\":\n"
    "    spec:\n"
    "      type: ExternalName\n"
    "      externalName: placeholder";

std::string_view type_name(classify::ServiceType type) {
    switch (type) {
        case classify::ServiceType::ClusterIp:
            return "ClusterIP";
        case classify::ServiceType::NodePort:
            return "NodePort";
        case classify::ServiceType::LoadBalancer:
            return "LoadBalancer";
        case classify::ServiceType::ExternalName:
            break;
    }
    return "ExternalName";
}

// Returns the only Service with that name among the files that kustomize was given; nullptr if
// kustomize renamed it, or if there are several.
const Document* origin_of(const Document& service, const load::BuiltSource& built) {
    const Document* found = nullptr;
    for (const Document& candidate : built.egress) {
        if (text_of(candidate.root, {"metadata", "name"}) == text_of(&service.name)) {
            if (found != nullptr) {
                return nullptr;
            }
            found = &candidate;
        }
    }
    return found;
}

}  // namespace

void check_headless(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (service.headless) {
        classify::about(service, diagnostics)
            .error("headless-service", service.cluster_ip_pos,
                   "a headless Service cannot target the tailnet")
            .expected("a Service of type ExternalName")
            .hint(kLinesToWrite);
    }
}

void check_external_name_type(const classify::ServiceInput& service, Diagnostics& diagnostics) {
    if (service.type == classify::ServiceType::ExternalName || !service.faults.empty()) {
        return;
    }
    const Value* type = service.doc->root.at({"spec", "type"});
    const Value* spec = service.doc->root.find("spec");
    classify::about(service, diagnostics)
        .error("egress-not-external-name",
               type != nullptr   ? type->pos()
               : spec != nullptr ? spec->pos()
                                 : service.pos(),
               "a Service that targets the tailnet must be of type ExternalName")
        .found(fmt::format("type {}", type_name(service.type)))
        .expected("a Service of type ExternalName, whose name is replaced")
        .hint(kLinesToWrite);
}

std::vector<Edit> name_target(const classify::ServiceInput& service, const std::string& name,
                              const load::Loaded& loaded, Diagnostics& diagnostics) {
    const Document& doc = *service.doc;
    const Value* spec = doc.root.find("spec");
    if (service.external_name == name || spec == nullptr || !spec->is_map()) {
        return {};
    }
    const auto built = std::ranges::find(loaded.built, doc.source, &load::BuiltSource::source);
    const bool is_built = built != loaded.built.end();
    const Document* origin = is_built ? origin_of(doc, *built) : &doc;
    if (loaded.only_generated && (!loaded.fixes_sources || origin == nullptr)) {
        const Value* shown = origin == nullptr ? spec : origin->root.find("spec");
        const Value* old = shown->find("externalName");
        classify::about(service, diagnostics)
            .error("source-edit", old == nullptr ? shown->pos() : old->pos(),
                   "this Service must name its proxy, and --only generated writes no source")
            .found(service.external_name.empty()
                       ? "no externalName"
                       : fmt::format("externalName {}", service.external_name))
            .expected(fmt::format("externalName: {}", name))
            .hint(origin == nullptr ? "write that line where the build takes this Service from"
                                    : "tailrender fix writes that line");
        return {};
    }
    const Document& target = loaded.only_generated ? *origin : doc;
    std::optional<Edit> edit =
        load::set_member({loaded.sources, target.source, target.range, target.root},
                         *target.root.find("spec"), "externalName", name);
    if (edit) {
        edit->reason = fmt::format("externalName {}", name);
        edit->in_source = true;
        return {std::move(*edit)};
    }
    const Value* old = spec->find("externalName");
    classify::about(service, diagnostics)
        .error("cannot-edit", old == nullptr ? spec->pos() : old->pos(),
               fmt::format("cannot write \"externalName: {}\" into this document", name))
        .found("a spec or a name that uses an alias, an anchor or a tag, or has several lines")
        .hint("write \"externalName: placeholder\" on a separate line");
    return {};
}

}  // namespace renderer::plan
