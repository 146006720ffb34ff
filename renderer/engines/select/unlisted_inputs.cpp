#include "renderer/engines/select/unlisted_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "renderer/base/printable.h"
#include "renderer/contract/annotations.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/engine_files.h"
#include "renderer/engines/kustomize/build_files.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

std::string named_object(const Value& object) {
    const std::string_view ns = text_of(object, {"metadata", "namespace"});
    return fmt::format("{} {}{}{}", text_of(object, {"kind"}), ns, ns.empty() ? "" : "/",
                       text_of(object, {"metadata", "name"}));
}

bool opens_funnel(const Value& object) {
    return spelling_of(object.at({"metadata", "annotations", annotation::kFunnel})) == "true";
}

}  // namespace

bool UnlistedInputs::holds(const std::string& path) {
    const Result<std::string> text = context_.build.tree.read(path);
    return text && has_input(path, *text, {}) && !is_read(path);
}

bool UnlistedInputs::is_read(const std::string& path) {
    if (!read_) {
        read_.emplace();
        for (const repo::WalkedDir* dir : dirs_) {
            if (!dir->kustomizations.empty()) {
                read_->merge(find_build_files(context_.build.tree, context_.build.reader,
                                              context_.root, dir->path)
                                 .paths);
            }
        }
    }
    return read_->contains(path);
}

std::string UnlistedInputs::kustomization_above(const std::string& path) const {
    const repo::WalkedDir* nearest = nullptr;
    for (const repo::WalkedDir* dir : dirs_) {
        if (!dir->kustomizations.empty() && repo::is_within(path, dir->path)) {
            nearest = dir;  // parents come before children
        }
    }
    return nearest == nullptr ? std::string()
                              : repo::join_path(nearest->path, nearest->kustomizations.front());
}

std::optional<Finding> UnlistedInputs::report(const std::string& path,
                                              std::string_view message) const {
    Result<std::string> text = context_.build.tree.read(path);
    if (!text) {
        return std::nullopt;
    }
    SourceMap& sources = context_.build.sources;
    const SourceId source = sources.add(path, std::move(*text));
    std::vector<Value> objects;
    for (const ScannedDocument& scanned : scan_documents(sources, source)) {
        Diagnostics discarded;
        if (scanned.mentions_tailscale) {
            add_objects(read_yaml(sources, source, scanned.range, discarded), objects);
        }
    }
    if (objects.empty()) {
        return std::nullopt;
    }
    const auto open = std::ranges::find_if(objects, opens_funnel);
    const Value& shown = open == objects.end() ? objects.front() : *open;
    const Value* kind = shown.find("kind");
    Finding warning = context_.build.selection.unlisted.warning(
        "unreached-input", kind == nullptr ? sources.pos(source, 0) : kind->pos(),
        std::string(message));
    warning.found(
        fmt::format("{}{}", named_object(shown),
                    open == objects.end() ? "" : ", which would be PUBLIC through Funnel"));
    return warning;
}

void UnlistedInputs::report(const std::string& path) const {
    const std::string kustomization = kustomization_above(path);
    const std::string dir = shell_word(repo::parent_path(path));
    if (std::optional<Finding> warning =
            report(path, "no kustomization lists this file, so what it exposes is not rendered")) {
        warning
            ->expected(fmt::format("\"{}\" among the resources of {}",
                                   repo::relative_path(path, repo::parent_path(kustomization)),
                                   kustomization))
            .hint(fmt::format("add it there, or render it with --include {}; --ignore {} ends the "
                              "warning",
                              dir, dir));
    }
}

void UnlistedInputs::report_beside_chart(const std::string& path) const {
    const std::string dir = shell_word(repo::parent_path(path));
    if (std::optional<Finding> warning = report(
            path, "this file is in the directory of a chart, so what it exposes is not rendered")) {
        warning->expected("templates of the chart, or a directory without a Chart.yaml above it")
            .hint(fmt::format("move it, or render it with --include {}; --ignore {} ends the "
                              "warning",
                              dir, dir));
    }
}

}  // namespace renderer::engines
