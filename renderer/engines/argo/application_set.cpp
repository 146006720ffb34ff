#include "renderer/engines/argo/application_set.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/split.h"
#include "renderer/base/white_space.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/argo/argo_units.h"
#include "renderer/engines/argo/set_generators.h"
#include "renderer/engines/argo/set_template.h"
#include "renderer/engines/places.h"

namespace renderer::engines {

namespace {

constexpr std::size_t kMostApplications = 5000;

// True for text with nothing but comments: such a patch changes nothing.
bool is_blank(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = trim(take(text, '\n'));
        if (!line.empty() && !line.starts_with('#')) {
            return false;
        }
    }
    return true;
}

class SetExpander {
public:
    SetExpander(const GitOpsTree& repository, ParameterFiles& files, const EngineObject& set)
        : repository_(repository),
          set_(set),
          texts_(set.root),
          generators_(repository, files, texts_, out_.unresolved) {}

    ExpandedSet run() {
        for (const Value& generator : items_of(set_.root.at({"spec", "generators"}))) {
            for (const GeneratedParameters& generated : generators_.run(generator)) {
                const Value shape = shape_of(generated.overrides);
                for (const Value& parameters : generated.sets) {
                    if (out_.applications.size() == kMostApplications) {
                        leave(fmt::format("more than {} Applications", kMostApplications));
                        break;
                    }
                    if (!add(shape, parameters)) {
                        leave(std::move(failure_));
                    }
                }
            }
        }
        leave_out_twins();
        return std::move(out_);
    }

private:
    // The controller leaves out all Applications of a set that have one name.
    void leave_out_twins() {
        std::map<std::string, int> names;
        const auto name_of = [](const EngineObject& application) {
            return std::string(text_of(application.root, {"metadata", "name"}));
        };
        for (const EngineObject& application : out_.applications) {
            if (++names[name_of(application)] == 2) {
                leave(fmt::format("several Applications \"{}\"", name_of(application)));
            }
        }
        std::erase_if(out_.applications, [&](const EngineObject& application) {
            return names[name_of(application)] > 1;
        });
    }

    void leave(std::string why) {
        if (out_.unresolved.empty()) {
            out_.unresolved = std::move(why);
        }
    }

    Value shape_of(const Value* overrides) const {
        Value shape =
            overrides != nullptr && overrides->is_map() ? overrides->clone() : Value::map();
        if (const Value* common = set_.root.at({"spec", "template"})) {
            complete(shape, *common);
        }
        return shape;
    }

    // Adds an Application. Returns false on failure, with the reason in `failure_`.
    bool add(const Value& shape, const Value& parameters) {
        Value application = Value::map();
        Value spec = Value::map();
        for (const std::string_view field : {"project", "source", "sources", "destination"}) {
            if (const Value* part = shape.at({"spec", field})) {
                std::optional<Value> filled = texts_.filled(*part, parameters, failure_);
                if (!filled) {
                    return false;
                }
                spec.put(field, std::move(*filled));
            }
        }
        std::optional<Value> name =
            texts_.filled(text_of(shape, {"metadata", "name"}), parameters, failure_);
        if (!name) {
            return false;
        }
        application.put("metadata", Value::map({{"name", std::move(*name)}}));
        application.put("spec", std::move(spec));
        if (!patch(application, parameters)) {
            return false;
        }
        out_.applications.push_back({set_.file, std::move(application)});
        return true;
    }

    bool patch(Value& application, const Value& parameters) {
        const Value* written = set_.root.at({"spec", "templatePatch"});
        const auto text =
            texts_.fill(written == nullptr ? "" : text_of(*written), parameters, failure_);
        if (text && !is_blank(*text)) {
            std::vector<EngineObject> patches = repository_.read(set_.file, *text);
            if (patches.empty()) {
                failure_ = "templatePatch is not a map";
                return false;
            }
            for (EngineObject& one : patches) {
                set_places(one.root, written->pos());
                merge_patch(application, one.root);
            }
        }
        application.put("apiVersion", "argoproj.io/v1alpha1");
        Value kind("Application");
        kind.set_pos(set_.root.find("kind")->pos());
        application.put("kind", std::move(kind));
        return text.has_value();
    }

    const GitOpsTree& repository_;
    const EngineObject& set_;
    ExpandedSet out_;
    SetTemplate texts_;
    SetGenerators generators_;
    std::string failure_;
};

}  // namespace

ExpandedSet ApplicationSets::expand(const EngineObject& set) {
    return SetExpander(repository_, files_, set).run();
}

}  // namespace renderer::engines
