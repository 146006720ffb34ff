#include "renderer/load/unread_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/pattern.h"
#include "renderer/base/split.h"
#include "renderer/core/encrypted.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/load/operator_setting.h"
#include "renderer/repo/walk.h"

namespace renderer::load {

namespace {

// True for the text of the operator's Deployment.
bool is_operator(std::string_view text) {
    return text.find("k8s-operator") != std::string_view::npos &&
           (text.find("OPERATOR_HOSTNAME") != std::string_view::npos ||
            text.find("PROXY_IMAGE") != std::string_view::npos);
}

// Keys of the chart's values, in the syntax of any tool: "proxyConfig: {defaultTags: tag:a}",
// "proxyConfig.defaultTags=tag:a", `name = "proxyConfig.defaultTags"`. Source: tailscale v1.98.9
// cmd/k8s-operator/deploy/chart/values.yaml.
constexpr std::string_view kChartValues =
    R"(\b(defaultTags|defaultProxyClass|firewallMode|image)\b)"
    R"(|\b(loginServer)\b|\b(ingressClass)(?:\.(?:name|enabled)|["']?[ \t]*:[ \t]*(?:\{|\r?\n)))";
constexpr std::string_view kProxyConfig = "proxyConfig";
// What follows a key: its value, which Terraform and others write beside "value".
constexpr std::string_view kValue =
    R"(^(?:\.[a-z]+)*["']?[\s,]*(?:value["']?)?[ \t]*[:=][ \t]*["']?([^\s"',}\]]*))";

// A text without the lines that are comments.
class Code {
public:
    explicit Code(std::string_view text) {
        for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
            end = std::min(text.find('\n', begin), text.size() - 1) + 1;
            const std::size_t first = std::min(text.find_first_not_of(" \t", begin), end - 1);
            if (text[first] != '#' && text.compare(first, 2, "//") != 0) {
                add(text.substr(begin, end - begin), begin);
            }
        }
    }

    // Returns the lines of a program that install the operator's chart: around its name, but not
    // beyond a line that runs helm for another chart, or tailrender.
    [[nodiscard]] Code lines_of_operator() const {
        constexpr std::size_t kLinesBefore = 10;
        constexpr std::size_t kLinesBehind = 40;
        const std::vector<Line> lines = split_lines();
        std::vector<bool> is_near(lines.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!lines[i].has(engines::kOperatorChart) || lines[i].has("tailrender")) {
                continue;
            }
            std::size_t begin = i;
            while (begin > 0 && i - begin < kLinesBefore && !lines[begin].has("helm") &&
                   !lines[begin - 1].has("tailrender")) {
                --begin;
            }
            std::size_t end = i + 1;
            while (end < lines.size() && end - i < kLinesBehind && !lines[end].has("helm") &&
                   !lines[end].has("tailrender")) {
                ++end;
            }
            std::fill(is_near.begin() + static_cast<std::ptrdiff_t>(begin),
                      is_near.begin() + static_cast<std::ptrdiff_t>(end), true);
        }
        Code near;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (is_near[i]) {
                near.add(lines[i].text, lines[i].begin);
            }
        }
        return near;
    }

    [[nodiscard]] std::string_view text() const { return text_; }

    // Returns the place in the whole text.
    [[nodiscard]] std::size_t offset(std::size_t at) const {
        const auto line = std::prev(lines_.upper_bound(at));
        return line->second + (at - line->first);
    }

private:
    struct Line {
        std::string_view text;
        std::size_t begin = 0;  // in the whole text

        [[nodiscard]] bool has(std::string_view word) const {
            return text.find(word) != std::string_view::npos;
        }
    };

    Code() = default;

    void add(std::string_view line, std::size_t begin) {
        lines_.emplace(text_.size(), begin);
        text_ += line;
    }

    [[nodiscard]] std::vector<Line> split_lines() const {
        std::vector<Line> lines;
        for (auto one = lines_.begin(); one != lines_.end(); ++one) {
            const auto next = std::next(one);
            const std::size_t end = next == lines_.end() ? text_.size() : next->first;
            lines.push_back(
                {std::string_view(text_).substr(one->first, end - one->first), one->second});
        }
        return lines;
    }

    std::string text_;
    std::map<std::size_t, std::size_t> lines_;  // where each line begins: here -> in the whole text
};

// True if the text is that of values of the chart.
bool is_values_file(std::string_view text) {
    return text.starts_with("proxyConfig:") ||
           text.find("\nproxyConfig:") != std::string_view::npos;
}

// True if the value leaves the chart's default in force.
bool is_default(std::string_view key, std::string_view value) {
    return value.empty() || value == "null" || value == (key == "defaultTags" ? "tag:k8s" : "auto");
}

// True if the value can only be one of the operator's.
bool is_of_operator(std::string_view key, std::string_view value) {
    return key == "defaultProxyClass" ||
           (key == "defaultTags" && (value.starts_with("tag:") || is_encrypted_text(value) ||
                                     value.find_first_of("$<{") != std::string_view::npos));
}

std::string pattern_of_variables() {
    std::vector<std::string_view> names;
    for (const OperatorSetting& setting : kOperatorSettings) {
        if (!setting.variable.empty()) {
            names.push_back(setting.variable);
        }
    }
    return fmt::format("\\b({})\\b", fmt::join(names, "|"));
}

// True for a key at `at` if "proxyConfig" is near before it, and no other key is between them.
// `from`: the end of the key before.
bool is_in_proxy_config(std::string_view code, std::size_t from, std::size_t at) {
    constexpr std::size_t kNear = 1000;
    const std::size_t begin = std::max(from, at - std::min(at, kNear));
    const std::string_view before = code.substr(begin, at - begin);
    const auto is_letter = [&](std::size_t i) {
        return i < before.size() && (is_alphanumeric(before[i]) || before[i] == '_');
    };
    for (std::size_t found = before.find(kProxyConfig); found != std::string_view::npos;
         found = before.find(kProxyConfig, found + 1)) {
        if (!is_letter(found - 1) && !is_letter(found + kProxyConfig.size())) {
            return true;
        }
    }
    return false;
}

// Compiled when the first file needs them.
struct Patterns {
    base::Pattern values = base::Pattern::parse(kChartValues).value();
    base::Pattern variables = base::Pattern::parse(pattern_of_variables()).value();
    base::Pattern value = base::Pattern::parse(kValue).value();
};

class SettingsSearch {
public:
    SettingsSearch(const repo::SourceTree& tree, const InstalledOperators& operators,
                   Loaded& loaded)
        : tree_(tree), operators_(operators), loaded_(loaded) {
        for (const Document& document : loaded.documents) {
            objects_.emplace(loaded.sources.path(document.source));
        }
    }

    [[nodiscard]] bool has_operator() const {
        return operators_.is_any || loaded_.operator_bundle.has_value();
    }

    void search(const engines::ChartFile& file) {
        if (!file.in_chart && (file.is_applied || !objects_.contains(file.path))) {
            search(file.path);
        }
    }

    void search(const std::string& path) {
        Result<std::string> text = tree_.read(path);
        if (text && may_have_settings(*text)) {
            const bool is_mentioned =
                repo::mentions_tailscale(*text) || repo::mentions_tailscale(path);
            const Code code(*text);
            search(path, code, std::move(*text), is_mentioned);
        }
    }

    // Searches a file that may run helm.
    void search_program(const std::string& path) {
        Result<std::string> text = tree_.read(path);
        if (!text || !may_have_settings(*text)) {
            return;
        }
        const bool names_chart = text->find(engines::kOperatorChart) != std::string::npos;
        if (names_chart || is_values_file(*text)) {
            const Code code = names_chart ? Code(*text).lines_of_operator() : Code(*text);
            search(path, code, std::move(*text), names_chart);
        }
    }

    // Searches the values of an umbrella chart that nothing installs.
    void search_umbrella(const engines::UmbrellaValues& umbrella) {
        Result<std::string> text = tree_.read(umbrella.path);
        if (!text) {
            return;
        }
        const SourceId source = loaded_.sources.add(umbrella.path, std::move(*text));
        Diagnostics discarded;
        const Value root = read_yaml(loaded_.sources, source, discarded, Repeated::AsHelm);
        const Value* values = &root;
        for (const std::string& key : umbrella.keys) {
            values = values == nullptr ? nullptr : values->find(key);
        }
        for (const OperatorSetting& setting : kOperatorSettings) {
            const Value* value = values;
            for (std::string_view rest = setting.path; value != nullptr && !rest.empty();) {
                value = value->find(take(rest, '.'));
            }
            if (value != nullptr && spelling_of(*value) != setting.value && !value->is_null()) {
                add(value->pos(), setting.path.substr(setting.path.rfind('.') + 1), setting, {});
                return;
            }
        }
    }

private:
    void search(const std::string& path, const Code& code, std::string text, bool is_mentioned) {
        if (!patterns_) {
            patterns_.emplace();
        }
        const base::Pattern::Span found = first_setting(code.text(), is_mentioned);
        if (found.begin == std::string::npos) {
            return;
        }
        const std::string name(code.text().substr(found.begin, found.end - found.begin));
        const Pos pos = loaded_.sources.pos(loaded_.sources.add(path, std::move(text)),
                                            code.offset(found.begin));
        const bool can_be_given = is_values_file(code.text()) &&
                                  code.text().find("{{") == std::string_view::npos &&
                                  code.text().find(kEncrypted) == std::string_view::npos;
        add(pos, name, setting_of(name), can_be_given ? path : std::string());
    }

    void add(Pos pos, std::string_view found, const OperatorSetting& setting, std::string file) {
        loaded_.unread_values.push_back({.kind = engines::Unread::Elsewhere,
                                         .target = std::string(setting.path),
                                         .below = loaded_.values.size(),
                                         .name = std::move(file),
                                         .diagnostic = {.pos = pos, .found = std::string(found)}});
    }

    // `key`: the last part of its path, a part of a path to several settings, or a variable.
    static const OperatorSetting& setting_of(std::string_view key) {
        return *std::ranges::find_if(kOperatorSettings, [&](const OperatorSetting& one) {
            return one.variable == key ||
                   fmt::format(".{}.", one.path).find(fmt::format(".{}.", key)) !=
                       std::string::npos;
        });
    }

    // A fast test that most files fail.
    [[nodiscard]] static bool may_have_settings(std::string_view text) {
        return std::ranges::any_of(
            std::array<std::string_view, 5>{"proxyConfig", "PROXY_", "OPERATOR_", "loginServer",
                                            "ingressClass"},
            [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
    }

    // Calls `is_setting(key, rest)` for each match of the pattern, `rest` being the text behind the
    // key. Returns the span of the first key for which it is true.
    template <typename IsSetting>
    static base::Pattern::Span first_of(const base::Pattern& pattern, std::string_view code,
                                        const IsSetting& is_setting) {
        for (std::size_t from = 0;;) {
            const std::vector<base::Pattern::Span> spans = pattern.find(code, from);
            const auto key = std::find_if(
                spans.rbegin(), spans.rend(),
                [](const base::Pattern::Span& one) { return one.begin != std::string::npos; });
            if (key == spans.rend()) {
                return {};
            }
            if (is_setting(code.substr(key->begin, key->end - key->begin), code.substr(key->end))) {
                return *key;
            }
            from = key->end;
        }
    }

    [[nodiscard]] base::Pattern::Span first_setting(std::string_view code,
                                                    bool is_mentioned) const {
        if (!has_operator()) {
            std::size_t end = 0;  // of the key before
            const base::Pattern::Span found =
                first_of(patterns_->values, code, [&](std::string_view key, std::string_view rest) {
                    const auto at = static_cast<std::size_t>(key.data() - code.data());
                    const std::size_t from = std::exchange(end, at + key.size());
                    const bool is_top = key.data() == code.data() || key.data()[-1] == '\n';
                    const bool is_own = key == "loginServer" || key == "ingressClass";
                    return (is_own || is_in_proxy_config(code, from, at)) &&
                           is_value(key, rest, is_mentioned || (is_top && key == "loginServer"));
                });
            if (found.begin != std::string::npos) {
                return found;
            }
        }
        const bool is_patch = code.find("name: operator") != std::string_view::npos;
        return first_of(patterns_->variables, code, [&](std::string_view key, std::string_view) {
            return (is_mentioned || is_patch || key == "OPERATOR_DEFAULT_LOAD_BALANCER") &&
                   !operators_.variables.contains(key);
        });
    }

    [[nodiscard]] bool is_value(std::string_view key, std::string_view rest,
                                bool is_mentioned) const {
        const std::vector<base::Pattern::Span> spans = patterns_->value.find(rest, 0);
        if (spans.empty()) {
            return false;
        }
        const std::string_view value = rest.substr(spans[1].begin, spans[1].end - spans[1].begin);
        if (key == "image" || key == "ingressClass") {
            return is_mentioned;
        }
        return !is_default(key, value) && (is_mentioned || is_of_operator(key, value));
    }

    const repo::SourceTree& tree_;
    const InstalledOperators& operators_;
    Loaded& loaded_;
    std::set<std::string, std::less<>> objects_;  // files with Kubernetes objects
    std::optional<Patterns> patterns_;
};

}  // namespace

bool has_operator_deployment(const Loaded& loaded) {
    return std::ranges::any_of(loaded.documents, [&](const Document& document) {
        return document.reachable && document.mentions_tailscale &&
               text_of(document.kind) == "Deployment" &&
               is_operator(document_text(loaded, document));
    });
}

void note_unread_settings(const repo::SourceTree& tree, const engines::Selection& selection,
                          const InstalledOperators& operators, Loaded& loaded) {
    if (has_operator_deployment(loaded)) {
        return;
    }
    SettingsSearch search(tree, operators, loaded);
    for (const engines::ChartFile& file : selection.chart_files) {
        if (!selection.operators_elsewhere.contains(file.path) &&
            !operators.elsewhere.contains(file.path)) {
            search.search(file);
        }
    }
    for (const std::string& path : selection.other_languages) {
        search.search(path);
    }
    if (search.has_operator()) {
        return;  // other settings are values of another installation
    }
    for (const std::string& path : selection.programs) {
        search.search_program(path);
    }
    for (const engines::UmbrellaValues& umbrella : selection.umbrella_values) {
        if (!operators.charts.contains(umbrella.chart)) {
            search.search_umbrella(umbrella);
        }
    }
}

}  // namespace renderer::load
