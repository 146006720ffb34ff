#include "renderer/load/unread_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/base/pattern.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/helm/chart_release.h"

namespace renderer::load {

namespace {

constexpr std::string_view kOperatorImage = "k8s-operator";

// Values of the chart, in the syntax of any tool: "proxyConfig: {defaultTags: tag:a}",
// "proxyConfig.defaultTags=tag:a".
constexpr std::string_view kChartValues =
    R"(\bproxyConfig\b(?s:.{0,400}?)\b(defaultTags|defaultProxyClass|firewallMode)\b)";
// Further values, which other charts have as well.
constexpr std::string_view kCommonValues = R"(\b(loginServer|ingressClass)\b)";
// Variables of the operator's Deployment. Source: tailscale v1.98.9
// cmd/k8s-operator/deploy/chart/templates/deployment.yaml, and operator.go for the load balancer.
constexpr std::string_view kVariables =
    R"(\b(OPERATOR_DEFAULT_LOAD_BALANCER|OPERATOR_INGRESS_CLASS_NAME|OPERATOR_LOGIN_SERVER|)"
    R"(PROXY_TAGS|PROXY_IMAGE|PROXY_DEFAULT_CLASS|PROXY_FIREWALL_MODE)\b)";

// Replaces lines that are comments by spaces.
void blank_comments(std::string& text) {
    std::size_t end = 0;
    for (std::size_t begin = 0; begin < text.size(); begin = end + 1) {
        end = std::min(text.find('\n', begin), text.size());
        const std::size_t first = text.find_first_not_of(" \t", begin);
        if (first < end && (text[first] == '#' || text.compare(first, 2, "//") == 0)) {
            std::fill(text.begin() + static_cast<std::ptrdiff_t>(first),
                      text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        }
    }
}

// True if the text is that of values of the chart.
bool is_values_file(std::string_view text) {
    return text.starts_with("proxyConfig:") || text.find("\nproxyConfig:") != std::string::npos;
}

class SettingsSearch {
public:
    SettingsSearch(const repo::SourceTree& tree, const InstalledOperators& operators,
                   Loaded& loaded)
        : tree_(tree), operators_(operators), loaded_(loaded) {
        for (const Document& document : loaded.documents) {
            objects_.emplace(loaded.sources.path(document.source));
        }
    }

    void search(const engines::ChartFile& file) {
        if (!file.in_chart && (file.is_applied || !objects_.contains(file.path))) {
            search(file.path);
        }
    }

    void search(const std::string& path) {
        Result<std::string> text = tree_.read(path);
        if (!text || !may_have_settings(*text)) {
            return;
        }
        std::string code = *text;
        blank_comments(code);
        const base::Pattern::Span found = first_setting(code);
        if (found.begin == std::string::npos) {
            return;
        }
        const std::string name = code.substr(found.begin, found.end - found.begin);
        const Pos pos =
            loaded_.sources.pos(loaded_.sources.add(path, std::move(*text)), found.begin);
        loaded_.unread_values.push_back({.kind = engines::Unread::Elsewhere,
                                         .below = loaded_.values.size(),
                                         .name = is_values_file(code) ? path : std::string(),
                                         .diagnostic = {.pos = pos, .found = name}});
    }

private:
    // A fast test that most files fail.
    [[nodiscard]] static bool may_have_settings(std::string_view text) {
        return text.find("proxyConfig") != std::string_view::npos ||
               text.find("PROXY_") != std::string_view::npos ||
               text.find("OPERATOR_") != std::string_view::npos ||
               text.find(engines::kOperatorChart) != std::string_view::npos;
    }

    [[nodiscard]] base::Pattern::Span first_setting(std::string_view code) const {
        if (!operators_.is_any && !loaded_.operator_bundle) {
            for (const base::Pattern* pattern : {&*values_, &*common_values_}) {
                const bool counts = pattern == &*values_ ||
                                    code.find(engines::kOperatorChart) != std::string_view::npos;
                const auto spans =
                    counts ? pattern->find(code, 0) : decltype(pattern->find({}, 0)){};
                if (!spans.empty()) {
                    return spans.back();
                }
            }
        }
        if (code.find("operator") == std::string_view::npos) {
            return {};
        }
        for (std::size_t from = 0;;) {
            const auto spans = variables_->find(code, from);
            if (spans.empty()) {
                return {};
            }
            const std::string_view name =
                code.substr(spans.back().begin, spans.back().end - spans.back().begin);
            if (!operators_.variables.contains(name)) {
                return spans.back();
            }
            from = spans.back().end;
        }
    }

    const repo::SourceTree& tree_;
    const InstalledOperators& operators_;
    Loaded& loaded_;
    std::set<std::string, std::less<>> objects_;  // files with Kubernetes objects
    std::optional<base::Pattern> values_ = base::Pattern::parse(kChartValues);
    std::optional<base::Pattern> common_values_ = base::Pattern::parse(kCommonValues);
    std::optional<base::Pattern> variables_ = base::Pattern::parse(kVariables);
};

}  // namespace

bool has_operator_deployment(const Loaded& loaded) {
    return std::ranges::any_of(loaded.documents, [&](const Document& document) {
        return document.reachable && document.mentions_tailscale &&
               text_of(document.kind) == "Deployment" &&
               document_text(loaded, document).find(kOperatorImage) != std::string_view::npos;
    });
}

void note_unread_settings(const repo::SourceTree& tree, const engines::Selection& selection,
                          const InstalledOperators& operators, Loaded& loaded) {
    if (has_operator_deployment(loaded)) {
        return;
    }
    SettingsSearch search(tree, operators, loaded);
    for (const engines::ChartFile& file : selection.chart_files) {
        search.search(file);
    }
    for (const std::string& path : selection.other_languages) {
        search.search(path);
    }
}

}  // namespace renderer::load
