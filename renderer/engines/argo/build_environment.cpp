#include "renderer/engines/argo/build_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/helm/release_parts.h"

namespace renderer::engines {

namespace {

constexpr std::array<std::string_view, 5> kUnknown = {
    "ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8",
    "KUBE_VERSION", "KUBE_API_VERSIONS"};

struct ShellName {
    std::string_view name;
    std::size_t size = 0;  // of what follows the dollar sign and is replaced with it; 0: it is kept
};

// Returns the name after a dollar sign, as Go's os.Expand finds it.
ShellName name_after(std::string_view text) {
    constexpr std::string_view kSpecial = "*#$@!?-0123456789";
    if (text.empty()) {
        return {};
    }
    if (text.front() == '{') {
        const std::size_t end = text.find('}');
        return end == std::string_view::npos ? ShellName{{}, 1}
                                             : ShellName{text.substr(1, end - 1), end + 1};
    }
    if (kSpecial.find(text.front()) != std::string_view::npos) {
        return {text.substr(0, 1), 1};
    }
    const auto end = std::ranges::find_if_not(
        text, [](char letter) { return is_alphanumeric(letter) || letter == '_'; });
    const auto size = static_cast<std::size_t>(end - text.begin());
    return {text.substr(0, size), size};
}

}  // namespace

std::string BuildEnvironment::value_of(std::string_view name) const {
    if (name == "$") {
        return "$";
    }
    if (std::ranges::find(kUnknown, name) != kUnknown.end()) {
        return fmt::format("${}", name);
    }
    const auto of = [](const Value& object, std::initializer_list<std::string_view> path) {
        return std::string(text_of(object, path));
    };
    return name == "ARGOCD_APP_NAME"        ? of(application_, {"metadata", "name"})
           : name == "ARGOCD_APP_NAMESPACE" ? of(application_, {"spec", "destination", "namespace"})
           : name == "ARGOCD_APP_PROJECT_NAME"
               ? first_text({of(application_, {"spec", "project"}), "default"})
           : name == "ARGOCD_APP_SOURCE_PATH"            ? of(source_, {"path"})
           : name == "ARGOCD_APP_SOURCE_REPO_URL"        ? of(source_, {"repoURL"})
           : name == "ARGOCD_APP_SOURCE_TARGET_REVISION" ? of(source_, {"targetRevision"})
                                                         : std::string();
}

std::string BuildEnvironment::fill(std::string_view text) const {
    std::string out;
    for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$')) {
        const ShellName found = name_after(text.substr(at + 1));
        out += text.substr(0, at);
        if (found.size == 0) {
            out += '$';
        } else if (!found.name.empty()) {
            out += value_of(found.name);
        }
        text.remove_prefix(at + 1 + found.size);
    }
    return out.append(text);
}

}  // namespace renderer::engines
