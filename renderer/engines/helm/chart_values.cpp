#include "renderer/engines/helm/chart_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "renderer/contract/domain.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/helm/files_by_pattern.h"
#include "renderer/engines/helm/values_files.h"
#include "renderer/engines/places.h"
#include "renderer/repo/paths.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::engines {

namespace {

// Returns the path that a spelled one means.
std::string meant_path(const std::string& root, const ChartRelease& release,
                       const std::string& spelled) {
    const std::string top = repo::normal_path(root);
    const std::string dir = release.files_dir.empty() ? top : release.files_dir;
    // `$ref/x` and `/x` are relative to the top of a repository.
    const bool is_absolute = spelled.starts_with('$') || spelled.starts_with('/');
    const std::size_t slash = std::min(spelled.find('/'), spelled.size());
    return repo::normal_path(
        is_absolute ? repo::join_path(top, spelled.substr(std::min(slash + 1, spelled.size())))
                    : repo::join_path(dir, spelled));
}

// Returns the path of a values file in the tree; nothing if it does not exist, which the engine may
// allow.
std::optional<std::string> file_of(const repo::SourceTree& tree, const std::string& root,
                                   const ChartRelease& release, const std::string& spelled,
                                   ChartValues& out) {
    if (spelled.find("://") != std::string::npos) {
        return {};
    }
    std::string path = meant_path(root, release, spelled);
    const bool is_inside =
        repo::is_within(tree.real_path(path), tree.real_path(repo::normal_path(root)));
    if (!spelled.empty() && is_inside && tree.kind(path) == repo::EntryKind::File) {
        out.files.push_back(path);
        return path;
    }
    return {};
}

void note_unread_values(const ChartRelease& release, Unread kind, Pos pos, std::string_view found,
                        ChartValues& out, std::string target = {}, std::string name = {}) {
    Diagnostic diagnostic{.pos = pos.known() ? pos : release.pos,
                          .object = release.object,
                          .found = secrets::without_url_credentials(found)};
    if (!diagnostic.pos.known()) {
        diagnostic.where = release.object;
    }
    out.unread.push_back({.kind = kind,
                          .target = std::move(target),
                          .below = out.layers.size(),
                          .name = std::move(name),
                          .diagnostic = std::move(diagnostic)});
}

// Removes encrypted values from the last layer and marks them as unknown.
void hide_encrypted(const ChartRelease& release, Pos pos, std::string_view where,
                    ChartValues& out) {
    out.layers.back().erase("sops");
    const std::size_t below = out.layers.size();
    for (const std::string& path : take_hidden(out.layers.back())) {
        note_unread_values(release, Unread::Secret, pos, fmt::format("{} in {}", path, where), out,
                           path);
        out.unread.back().below = below;
    }
}

// A chart cannot be rendered where an encrypted value may decide whether it exposes something.
// Others, such as passwords, are rendered as they are.
void refuse_encrypted(std::string_view where, const Value& layer, ChartValues& out) {
    constexpr auto kDeciding = std::to_array<std::string_view>(
        {"enabled", "enable", "create", "expose", "annotations", "className", "ingressClassName",
         "loadBalancerClass", "type"});
    Value copy = layer.clone();
    for (const std::string& path : take_hidden(copy)) {
        const std::string_view key = std::string_view(path).substr(path.rfind('.') + 1);
        if (out.lacking.empty() && (path.find(kOperatorDomain) != std::string::npos ||
                                    std::ranges::find(kDeciding, key) != kDeciding.end())) {
            out.lacking = fmt::format("{} in {}, which SOPS encrypts", path, where);
        }
    }
}

bool is_git_crypted(const Result<std::string>& text) {
    return text && text->starts_with(kGitCrypt);
}

void add_one_file(const repo::SourceTree& tree, const std::string& path,
                  const ChartRelease& release, const ValuesFile& file, SourceMap& sources,
                  ChartValues& out) {
    if (is_git_crypted(tree.read(path))) {
        const std::string found = fmt::format("{}, which git-crypt encrypts", file.path);
        note_unread_values(release, Unread::Missing, file.pos, found, out);
        out.lacking = out.lacking.empty() ? found : out.lacking;
        return;
    }
    Diagnostics said;
    const std::size_t count = out.layers.size();
    add_values_file(tree, path, {}, sources, out.layers, said);
    note_said(said, release.object, count, out.unread, out.warnings);
    if (release.is_operator && out.layers.size() > count) {
        hide_encrypted(release, file.pos, file.path, out);
    } else if (out.layers.size() > count) {
        refuse_encrypted(file.path, out.layers.back(), out);
    }
}

// Argo CD takes each file once, in the place of a pattern that matches it unless it is also named.
std::vector<ValuesFile> expanded_files(const repo::SourceTree& tree, const std::string& root,
                                       const ChartRelease& release,
                                       const std::vector<ValuesFile>& files) {
    if (!release.object.starts_with("Application/")) {
        return files;
    }
    const std::string top = repo::normal_path(root);
    std::set<std::string> named, taken;
    for (const ValuesFile& file : files) {
        if (file.elsewhere.empty() && !is_file_pattern(file.path)) {
            named.insert(meant_path(root, release, file.path));
        }
    }
    std::vector<ValuesFile> out;
    for (const ValuesFile& file : files) {
        if (!file.elsewhere.empty()) {
            out.push_back(file);
            continue;
        }
        const std::string path = meant_path(root, release, file.path);
        const std::vector<std::string> matches = is_file_pattern(file.path)
                                                     ? files_by_pattern(tree, top, path)
                                                     : std::vector<std::string>();
        if (matches.empty() && taken.insert(path).second) {
            out.push_back(file);
        }
        for (const std::string& match : matches) {
            if (!named.contains(match) && taken.insert(match).second) {
                out.push_back({fmt::format("/{}", repo::relative_path(match, top)), file.pos});
            }
        }
    }
    return out;
}

void add_files(const repo::SourceTree& tree, const std::string& root, const ChartRelease& release,
               const std::vector<ValuesFile>& files, SourceMap& sources, ChartValues& out) {
    for (const ValuesFile& file : expanded_files(tree, root, release, files)) {
        if (file.path.empty()) {
            continue;
        }
        if (release.is_operator && !file.elsewhere.empty()) {
            const bool is_of_chart = file.elsewhere == kOfChart;
            // The operator's chart has no other values file.
            if (!is_of_chart || (file.path != "values.yaml" && !release.may_lack_files)) {
                note_unread_values(release, Unread::Missing, file.pos,
                                   fmt::format("{}: {}", file.path, file.elsewhere), out);
            }
            continue;
        }
        if (!file.elsewhere.empty() && file.elsewhere != kOfChart) {
            out.lacking = fmt::format("{}: {}", file.path, file.elsewhere);
            continue;
        }
        if (const auto path = file_of(tree, root, release, file.path, out)) {
            add_one_file(tree, *path, release, file, sources, out);
            continue;
        }
        if (release.needs_files && out.lacking.empty()) {
            out.lacking = fmt::format("no values file {}", file.path);
        }
        if (!release.may_lack_files) {
            note_unread_values(release, Unread::Missing, file.pos,
                               fmt::format("no values file {}", file.path), out);
        }
    }
}

void add_text_files(const repo::SourceTree& tree, const std::string& root,
                    const ChartRelease& release, SourceMap& sources, ChartValues& out) {
    for (const TextFile& file : release.text_files) {
        const auto path = file_of(tree, root, release, file.path, out);
        const Result<std::string> text = tree.read(path.value_or(""));
        if (path && text) {
            add_text_set(file.target, *text, sources, out.layers);
            continue;
        }
        note_unread_values(release, Unread::Missing, file.pos,
                           fmt::format("no file {} of a parameter", file.path), out, file.target);
        if (out.lacking.empty()) {
            out.lacking = fmt::format("no file {} of a parameter", file.path);
        }
    }
}

void add_own(const ChartRelease& release, ChartValues& out) {
    for (UnreadValues one : release.unread) {
        one.below += out.layers.size();
        out.unread.push_back(std::move(one));
    }
    out.warnings.append(release.warnings);
    for (const Value& layer : release.values) {
        if (!release.is_operator) {
            refuse_encrypted(release.object, layer, out);
        }
        out.layers.push_back(layer.clone());
    }
}

std::string only_elsewhere(const ChartRelease& release, const HeldText& held) {
    return held.is_there || held.elsewhere.empty()
               ? std::string()
               : fmt::format(" of namespace {}; that of namespace {} is not read",
                             release.object_ns, held.elsewhere);
}

void note_not_held(const ValuesSource& source, const ChartRelease& release, const HeldText& held,
                   ChartValues& out) {
    const std::string_view kind = source.is_secret ? "Secret" : "ConfigMap";
    const std::string lacks =
        !source.is_secret && is_hidden_value(spelling_of(held.text))
            ? fmt::format("{} of ConfigMap {}, which is encrypted", source.key, source.name)
            : fmt::format("no {} in a {} {}{}", source.key, kind, source.name,
                          only_elsewhere(release, held));
    if (!source.is_secret && !source.is_optional && out.lacking.empty()) {
        out.lacking = lacks;
    }
    const bool may_miss = source.is_optional && !held.is_there;
    const Unread why = may_miss           ? Unread::Optional
                       : source.is_secret ? Unread::Secret
                                          : Unread::Missing;
    note_unread_values(release, why, source.pos,
                       source.is_secret && !may_miss
                           ? fmt::format("{} of Secret {}", source.key, source.name)
                           : lacks,
                       out, source.target, fmt::format("{} {}", source.name, source.key));
}

// Flux treats a quoted value as a string.
std::string_view without_quotes(std::string_view text) {
    const bool is_quoted = text.size() > 1 && text.front() == text.back() &&
                           (text.front() == '"' || text.front() == '\'');
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

void add_one_value(const ValuesSource& source, std::string_view text, const ChartRelease& release,
                   SourceMap& sources, ChartValues& out) {
    Diagnostics said;
    const std::size_t first = out.layers.size();
    add_sets({fmt::format("{}={}", source.target, without_quotes(text))}, sources, out.layers,
             said);
    for (std::size_t i = first; i < out.layers.size(); ++i) {
        // The value may be secret: messages must not quote it.
        set_places(out.layers[i], source.pos);
    }
    if (said.has_errors()) {
        note_unread_values(release, Unread::Missing, source.pos,
                           fmt::format("{} of {}, which is not a value of {}", source.key,
                                       source.name, source.target),
                           out, source.target);
    }
}

// Also handles a chart that depends on the operator's, which has these values below a key.
void erase_credentials(Value& values) {
    if (!values.is_map()) {
        return;
    }
    values.erase("oauth");
    values.erase("oauthSecretVolume");
    for (Member& member : values.members()) {
        erase_credentials(member.value);
    }
}

bool is_credential(std::string_view target) {
    return target.starts_with("oauth") || target.find(".oauth") != std::string_view::npos;
}

void add_from_object(const ValuesSource& source, const ChartRelease& release, const FindHeld& find,
                     SourceMap& sources, ChartValues& out) {
    const bool may_read = !source.is_secret || release.is_operator;
    const HeldText held = may_read ? find(source) : HeldText{};
    const std::string_view text = spelling_of(held.text);
    if (!held.kept.empty()) {
        out.kept = fmt::format("values of {} {}, which is not applied now: {}",
                               source.is_secret ? "Secret" : "ConfigMap", source.name, held.kept);
    }
    if (held.text.is_null() || (source.is_secret && is_credential(source.target))) {
        note_not_held(source, release, held, out);
        return;
    }
    if (is_hidden_value(text) && (!source.target.empty() || is_encrypted_text(text))) {
        note_not_held(source, release, held, out);
        return;
    }
    if (!source.is_secret && !held.text.is_string()) {
        out.lacking = fmt::format("{} of ConfigMap {}, which is {}: the API server rejects that",
                                  source.key, source.name, kind_name(held.text));
        note_unread_values(release, Unread::Missing, source.pos, out.lacking, out, source.target);
        return;
    }
    if (!source.target.empty()) {
        add_one_value(source, text, release, sources, out);
        return;
    }
    Diagnostics said;
    const std::string where = fmt::format("{} of {} {}", source.key,
                                          source.is_secret ? "Secret" : "ConfigMap", source.name);
    Value values = held.text.is_string()
                       ? read_values_text(held.text, where, sources, said)
                       : read_values_text(text, where, held.text.pos(), sources, said);
    if (source.is_secret && said.has_errors()) {
        note_not_held(source, release, held, out);
        return;
    }
    note_said(said, release.object, out.layers.size(), out.unread, out.warnings);
    if (!values.is_map()) {
        return;
    }
    if (source.is_secret) {
        erase_credentials(values);
    }
    out.layers.push_back(std::move(values));
    if (release.is_operator) {
        hide_encrypted(release, source.pos, where, out);
    }
}

}  // namespace

ChartValues chart_values(const repo::SourceTree& tree, const std::string& root,
                         const ChartRelease& release, SourceMap& sources, const FindHeld& held) {
    ChartValues out;
    add_files(tree, root, release, release.values_files, sources, out);
    out.packed = out.layers.size();
    if (held) {
        for (const ValuesSource& source : release.values_from) {
            add_from_object(source, release, held, sources, out);
        }
    }
    add_own(release, out);
    add_files(tree, root, release, release.later_files, sources, out);
    add_text_files(tree, root, release, sources, out);
    return out;
}

}  // namespace renderer::engines
