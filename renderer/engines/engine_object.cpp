#include "renderer/engines/engine_object.h"

#include "renderer/core/text_of.h"
#include "renderer/engines/argo/application_charts.h"

namespace renderer::engines {

bool is_kind(const Value& object, std::string_view group, std::string_view kind) {
    return text_of(object, {"apiVersion"}).starts_with(group) && text_of(object, {"kind"}) == kind;
}

const Value* instance_part(const Value& instance, std::string_view name) {
    for (const Value* part :
         {instance.at({"spec", name}), instance.at({"spec", "values", "instance", name}),
          instance.at({"instance", name})}) {
        if (part != nullptr) {
            return part;
        }
    }
    return nullptr;
}

const Value* git_sync(const Value& instance) {
    const Value* sync = instance_part(instance, "sync");
    const std::string_view kind = sync == nullptr ? "" : text_of(*sync, {"kind"});
    return kind.empty() || kind == "GitRepository" ? sync : nullptr;
}

std::vector<const Value*> sources_of(const Value& application) {
    std::vector<const Value*> found = application_sources(application);
    std::erase_if(found, [](const Value* source) {
        return source->at({"path"}) == nullptr || source->at({"chart"}) != nullptr;
    });
    return found;
}

}  // namespace renderer::engines
