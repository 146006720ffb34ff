#include "renderer/load/roots/application_set.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/load/roots/argo_units.h"
#include "renderer/load/roots/go_template.h"
#include "renderer/load/roots/template_functions.h"
#include "renderer/load/tree/paths.h"

namespace renderer {

namespace {

constexpr std::size_t kMostApplications = 5000;
constexpr int kDeepest = 4;  // matrices within each other

class SetExpander {
public:
    SetExpander(const GitOpsTree& repository, const EngineObject& set)
        : repository_(repository),
          set_(set),
          is_go_(spelling_of(set.root.at({"spec", "goTemplate"})) == "true") {
        for (const Value& option : items_of(set.root.at({"spec", "goTemplateOptions"}))) {
            is_strict_ = is_strict_ || text_of(option) == "missingkey=error";
        }
    }

    ExpandedSet run() {
        const Value* shape = set_.root.at({"spec", "template"});
        for (const Value& generator : items_of(set_.root.at({"spec", "generators"}))) {
            for (const Value& parameters : generate(generator, Value::map(), 0)) {
                if (shape != nullptr && has_room(out_.applications.size())) {
                    add(*shape, parameters);
                }
            }
        }
        return std::move(out_);
    }

private:
    void leave(std::string why) {
        if (out_.unresolved.empty()) {
            out_.unresolved = std::move(why);
        }
    }

    bool has_room(std::size_t count) {
        if (count >= kMostApplications) {
            leave(fmt::format("more than {} Applications", kMostApplications));
        }
        return count < kMostApplications;
    }

    // Text with its parameters; what is not known stays, or leaves the set unresolved.
    std::string fill(std::string_view text, const Value& parameters) {
        if (is_go_) {
            std::string failure;
            auto filled = render_go_template(text, parameters, is_strict_, failure);
            if (!filled) {
                leave(fmt::format("{}: {}", text, failure));
                has_failed_ = true;
            }
            return filled.value_or("");
        }
        std::string out;
        while (true) {
            const std::size_t open = text.find("{{");
            const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
            if (close == std::string_view::npos) {
                return out.append(text);
            }
            std::string_view key = text.substr(open + 2, close - open - 2);
            key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
            key = key.substr(0, key.find_last_not_of(' ') + 1);
            const Value* value = flat(parameters, key);
            out.append(text.substr(0, open));
            out.append(value == nullptr ? text.substr(open, close + 2 - open)
                                        : spelling_of(*value));
            text.remove_prefix(close + 2);
        }
    }

    // `a.b` and `path[0]`; `path` is the path itself.
    static const Value* flat(const Value& parameters, std::string_view key) {
        if (key == "path") {
            const Value* found = parameters.at({"path", "path"});
            return found == nullptr ? parameters.find(key) : found;
        }
        if (key.starts_with("path[") && key.ends_with("]")) {
            const auto segments = items_of(parameters.at({"path", "segments"}));
            const auto at = Value::number(key.substr(5, key.size() - 6)).as_int().value_or(-1);
            return at < 0 || static_cast<std::size_t>(at) >= segments.size()
                       ? nullptr
                       : &segments[static_cast<std::size_t>(at)];
        }
        const Value* found = &parameters;
        if (const Value* whole = parameters.find(key)) {
            return whole;
        }
        for (const std::string_view part : split(key, '.')) {
            found = found->is_map() ? found->find(part) : nullptr;
            if (found == nullptr) {
                return nullptr;
            }
        }
        return found->is_map() || found->is_list() ? nullptr : found;
    }

    Value filled(const Value& shape, const Value& parameters) {
        if (shape.is_string() && parameters.size() > 0) {
            return fill(shape.text(), parameters);
        }
        Value out = shape.clone();
        if (out.is_map()) {
            for (Member& member : out.members()) {
                member.value = filled(member.value, parameters);
            }
        } else if (out.is_list()) {
            for (Value& item : out.items()) {
                item = filled(item, parameters);
            }
        }
        return out;
    }

    std::vector<Value> generate(const Value& generator, const Value& outer, int depth) {
        std::vector<Value> found;
        if (const Value* list = generator.find("list"); list != nullptr && list->is_map()) {
            for (const Value& element : items_of(list->find("elements"))) {
                found.push_back(filled(element, outer));
            }
            if (list->find("elementsYaml") != nullptr) {
                leave("list.elementsYaml");
            }
        } else if (const Value* git = generator.find("git")) {
            git_parameters(filled(*git, outer), found);
        } else if (const Value* one = generator.find("clusters")) {
            clusters(*one, found);
        } else if (const Value* matrix = generator.find("matrix"); matrix && depth < kDeepest) {
            product(*matrix, outer, depth, found);
        } else {
            leave("a generator whose results the tree does not hold");
        }
        for (const std::string_view field : {"selector", "template"}) {
            if (generator.find(field) != nullptr) {
                leave(fmt::format("{} of a generator", field));
            }
        }
        return found;
    }

    // The first of the two wins where both have a key.
    void product(const Value& matrix, const Value& outer, int depth, std::vector<Value>& found) {
        const auto both = items_of(matrix.find("generators"));
        if (both.size() != 2) {
            return leave("a matrix of other than two generators");
        }
        for (const Value& first : generate(both[0], outer, depth + 1)) {
            for (Value& second : generate(both[1], first, depth + 1)) {
                for (const Member& member : first.members()) {
                    second.put(member.key.clone(), member.value.clone());
                }
                if (!has_room(found.size())) {
                    return;
                }
                found.push_back(std::move(second));
            }
        }
    }

    // Without a word of others there may be any.
    void clusters(const Value& generator, std::vector<Value>& found) {
        const std::vector<ArgoCluster>& known = repository_.argo_clusters();
        const Value* selector = generator.find("selector");
        if (known.empty()) {
            leave(
                "clusters: the clusters that Argo CD knows are not in the tree; --argo-cluster "
                "names them");
        }
        if (generator.find("values") != nullptr || generator.find("flatList") != nullptr) {
            leave("clusters with values or flatList");
        }
        const ArgoCluster own{.name = std::string(kOwnCluster), .server = std::string(kOwnServer)};
        if (members_of(selector).empty() &&
            std::ranges::find(known, kOwnServer, &ArgoCluster::server) == known.end()) {
            found.push_back(parameters_of(own));
        }
        for (const ArgoCluster& cluster : known) {
            const std::optional<bool> is_selected = selects(selector, cluster);
            if (cluster.name.empty()) {
                leave("clusters: the Secret of a cluster is encrypted; --argo-cluster names them");
            } else if (!is_selected) {
                leave("clusters: an operator of its selector is not known");
            } else if (*is_selected) {
                found.push_back(parameters_of(cluster));
            }
        }
    }

    static Value parameters_of(const ArgoCluster& cluster) {
        Value metadata = Value::map();
        metadata.put("labels", cluster.labels.clone());
        metadata.put("annotations", cluster.annotations.clone());
        Value parameters = Value::map({{"name", cluster.name},
                                       {"nameNormalized", dns_name(cluster.name)},
                                       {"server", cluster.server}});
        parameters.put("metadata", std::move(metadata));
        return parameters;
    }

    void git_parameters(const Value& git, std::vector<Value>& found) {
        if (!repository_.is_own_url(text_of(git, {"repoURL"}))) {
            return leave(fmt::format("git: {} is not this repository", text_of(git, {"repoURL"})));
        }
        if (git.find("pathParamPrefix") != nullptr || git.find("values") != nullptr) {
            return leave("git with pathParamPrefix or values");
        }
        const std::size_t before = found.size();
        find_matches(git, found);
        if (found.size() == before) {
            leave("git: a pattern that nothing in the tree matches");
        }
    }

    void find_matches(const Value& git, std::vector<Value>& found) {
        const auto directories = items_of(git.find("directories"));
        for (const WalkedDir* dir : repository_.dirs()) {
            const std::string path = relative_path(dir->path, repository_.root());
            if (!directories.empty()) {
                if (!path.empty() && !is_hidden(path) && takes(directories, path, FNM_PATHNAME)) {
                    found.push_back(with_path(Value::map(), path));
                }
                continue;
            }
            for (const std::string& name : dir->files) {
                const std::string file = join_path(path, name);
                if (takes(items_of(git.find("files")), file, 0)) {
                    add_file(join_path(dir->path, name), path, found);
                }
            }
        }
    }

    static bool is_hidden(const std::string& path) {
        return path.starts_with('.') || path.find("/.") != std::string::npos;
    }

    static bool takes(std::span<const Value> patterns, const std::string& path, int flags) {
        bool is_taken = false;
        for (const Value& pattern : patterns) {
            const std::string text(text_of(pattern, {"path"}));
            if (::fnmatch(text.c_str(), path.c_str(), flags) == 0) {
                if (spelling_of(pattern.find("exclude")) == "true") {
                    return false;
                }
                is_taken = true;
            }
        }
        return is_taken;
    }

    static Value with_path(Value parameters, const std::string& path) {
        Value segments = Value::list();
        for (const std::string_view segment : split(path, '/')) {
            segments.append(segment);
        }
        Value made = Value::map();
        made.put("path", path);
        made.put("basename", base_name(path));
        made.put("basenameNormalized", dns_name(base_name(path)));
        made.put("segments", std::move(segments));
        parameters.put("path", std::move(made));
        return parameters;
    }

    void add_file(const std::string& file, const std::string& dir, std::vector<Value>& found) {
        Result<std::string> text = repository_.tree().read(file);
        const auto objects =
            text ? repository_.read(file, std::move(*text)) : std::vector<EngineObject>();
        if (objects.size() != 1) {
            return leave(fmt::format("{} is not one map", file));
        }
        found.push_back(with_path(objects.front().root.clone(), dir));
    }

    void add(const Value& shape, const Value& parameters) {
        has_failed_ = false;
        Value application =
            Value::map({{"apiVersion", "argoproj.io/v1alpha1"}, {"kind", "Application"}});
        Value metadata = Value::map();
        metadata.put("name", fill(text_of(shape, {"metadata", "name"}), parameters));
        application.put("metadata", std::move(metadata));
        Value spec = Value::map();
        for (const std::string_view field : {"source", "sources", "destination"}) {
            if (const Value* part = shape.at({"spec", field})) {
                spec.put(field, filled(*part, parameters));
            }
        }
        application.put("spec", std::move(spec));
        if (const std::string_view patch = text_of(set_.root, {"spec", "templatePatch"});
            !patch.empty()) {
            for (EngineObject& one : repository_.read(set_.file, fill(patch, parameters))) {
                merge_patch(application, one.root);
            }
        }
        if (!has_failed_) {
            out_.applications.push_back({set_.file, std::move(application)});
        }
    }

    const GitOpsTree& repository_;
    const EngineObject& set_;
    bool is_go_;
    bool is_strict_ = false;
    bool has_failed_ = false;  // a template of the Application that is made
    ExpandedSet out_;
};

}  // namespace

ExpandedSet expand_application_set(const GitOpsTree& repository, const EngineObject& set) {
    return SetExpander(repository, set).run();
}

}  // namespace renderer
