#include "renderer/engines/argo/set_git.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <utility>

#include "renderer/base/split.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/argo/set_template.h"
#include "renderer/engines/templates/template_functions.h"
#include "renderer/repo/paths.h"
#include "renderer/repo/walk.h"

namespace renderer::engines {

namespace {

bool takes(std::span<const Value> patterns, const std::string& path, int flags) {
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

// Adds the parameters of a path below `prefix`. `file`: the file name, "" for a directory.
void add_path(Value& parameters, const std::string& dir, const std::string& file,
              std::string_view prefix, bool is_go) {
    const std::string path = dir.empty() ? "." : dir;
    const std::vector<std::string_view> segments = split(path, '/');
    Value made = Value::map({{"path", path},
                             {"basename", repo::base_name(path)},
                             {"basenameNormalized", dns_name(repo::base_name(path))}});
    if (!file.empty()) {
        made.put("filename", file);
        made.put("filenameNormalized", dns_name(file));
    }
    if (is_go) {
        made.put("segments", text_list(segments));
        if (prefix.empty()) {
            parameters.put("path", std::move(made));
        } else {
            Value below = Value::map();
            below.put("path", std::move(made));
            parameters.put(prefix, std::move(below));
        }
        return;
    }
    const std::string name = prefix.empty() ? "path" : fmt::format("{}.path", prefix);
    for (const Member& member : made.members()) {
        parameters.put(member.name() == "path" ? name : fmt::format("{}.{}", name, member.name()),
                       member.value.clone());
    }
    for (std::size_t i = 0; i < segments.size(); ++i) {
        parameters.put(fmt::format("{}[{}]", name, i), segments[i]);
    }
}

// Returns the text without the entry of a block map whose key is at `begin`. It ends before the
// next line that is not indented deeper; items of a list need not be. Returns "" for an entry of a
// flow map.
std::string without_entry(const std::string& text, std::size_t begin) {
    const std::size_t line = text.rfind('\n', begin) + 1;  // 0 in the first line
    const std::size_t indent = begin - line;
    if (text.find_first_not_of(' ', line) != begin) {
        return {};
    }
    std::size_t end = text.find('\n', begin);
    while (end != std::string::npos) {
        const std::size_t first = text.find_first_not_of(" \r\n", end + 1);
        const std::size_t start = first == std::string::npos ? first : text.rfind('\n', first) + 1;
        if (first == std::string::npos ||
            (first - start <= indent && text.compare(first, 2, "- ") != 0)) {
            break;
        }
        end = text.find('\n', first);
    }
    return text.substr(0, line) + (end == std::string::npos ? "" : text.substr(end + 1));
}

constexpr int kMostDuplicates = 50;

// If a key is repeated, the last entry counts.
Value read_first_document(std::string text) {
    for (int i = 0; i < kMostDuplicates; ++i) {
        SourceMap sources;
        const SourceId source = sources.add("parameters", text);
        const std::vector<ScannedDocument> documents = scan_documents(sources, source);
        if (documents.empty()) {
            return Value::map();
        }
        Diagnostics mistakes;
        Value root = read_yaml(sources, source, documents.front().range, mistakes);
        if (!mistakes.has_errors()) {
            return root.is_null() ? Value::map() : std::move(root);
        }
        const Diagnostic& mistake = mistakes.all().front();
        if (mistake.rule != "duplicate-key" || mistake.notes.empty()) {
            break;
        }
        text = without_entry(text, sources.offset_of(mistake.notes.front().pos));
        if (text.empty()) {
            break;
        }
    }
    return {};
}

}  // namespace

Value read_parameters(std::string text) {
    Value root = read_first_document(std::move(text));
    const bool is_list = root.is_list() && std::ranges::all_of(root.items(), [](const Value& item) {
                             return item.is_map();
                         });
    return root.is_map() || is_list ? std::move(root) : Value();
}

const Value& ParameterFiles::at(const std::string& file) {
    const auto [known, is_new] = known_.try_emplace(file);
    if (is_new) {
        if (Result<std::string> text = repository_.tree().read(file)) {
            known->second = read_parameters(std::move(*text));
        }
    }
    return known->second;
}

std::vector<Value> git_parameters(const GitOpsTree& repository, ParameterFiles& files,
                                  const Value& git, bool is_go, std::string& failure) {
    std::vector<Value> found;
    const auto directories = items_of(git.find("directories"));
    const std::string_view prefix = text_of(git, {"pathParamPrefix"});
    const auto add = [&](Value parameters, const std::string& dir, const std::string& file) {
        if (!is_go) {
            parameters = flattened(parameters);
        }
        add_path(parameters, dir, file, prefix, is_go);
        found.push_back(std::move(parameters));
    };
    for (const repo::WalkedDir* dir : repository.dirs()) {
        if (dir->is_outside) {
            continue;
        }
        const std::string path = repo::relative_path(dir->path, repository.root());
        if (!directories.empty()) {
            if (!path.empty() && !repo::has_hidden_name(path) &&
                takes(directories, path, FNM_PATHNAME)) {
                add(Value::map(), path, "");
            }
            continue;
        }
        for (const std::string& name : dir->files) {
            const std::string file = repo::join_path(path, name);
            if (!takes(items_of(git.find("files")), file, 0)) {
                continue;
            }
            const Value& content = files.at(repo::join_path(dir->path, name));
            if (content.is_null()) {
                failure = fmt::format("{} is neither a map nor a list of maps", file);
                return {};
            }
            if (content.is_map()) {
                add(content.clone(), path, name);
            }
            for (const Value& item : items_of(&content)) {
                add(item.clone(), path, name);
            }
        }
    }
    return found;
}

}  // namespace renderer::engines
