#include "renderer/load/judge_unread_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/load/operator_setting.h"
#include "renderer/repo/paths.h"

namespace renderer::load {

namespace {

// Further settings that matter if the controller is rendered.
constexpr std::array<std::string_view, 8> kInstalling = {
    "operatorConfig", "apiServerProxyConfig", "imagePullSecrets", "annotations",
    "nameOverride",   "fullnameOverride",     "installCRDs",      "tailrender",
};

std::vector<std::string_view> steps_of(std::string_view path) {
    std::vector<std::string_view> steps;
    while (!path.empty()) {
        std::string_view step = take(path, '.');
        steps.push_back(step.substr(0, step.find('[')));
    }
    return steps;
}

// True if one of the paths is a prefix of the other.
bool overlap(std::string_view a, std::string_view b) {
    const std::vector<std::string_view> left = steps_of(a);
    const std::vector<std::string_view> right = steps_of(b);
    const std::size_t count = std::min(left.size(), right.size());
    return std::equal(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count),
                      right.begin());
}

// A map does not decide a setting: another layer may still set its members.
bool decides(const Value& layer, std::string_view path) {
    const Value* value = &layer;
    for (const std::string_view step : steps_of(path)) {
        value = value == nullptr ? nullptr : value->find(step);
    }
    return value != nullptr && !value->is_map();
}

// True if the name is typical of Secrets with the operator's credentials.
bool may_name_credentials(std::string_view name) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](char c) { return lower_case(c); });
    return std::ranges::any_of(
        std::array<std::string_view, 5>{"oauth", "credential", "client-id", "clientid",
                                        "client-secret"},
        [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

class Judge {
public:
    Judge(std::size_t given, const Loaded& loaded) : loaded_(loaded) {
        // A layer decides a setting if it has a value at its path.
        for (const OperatorSetting& one : kOperatorSettings) {
            keys_.push_back(one.path);
        }
        if (loaded.operator_bundle) {
            keys_.insert(keys_.end(), kInstalling.begin(), kInstalling.end());
        }
        for (std::size_t i = given; i < loaded.values.size(); ++i) {
            const Pos pos = loaded.values[i].pos();
            if (pos.known() && !file_of(pos).starts_with("--")) {
                given_files_.insert(file_of(pos));
            }
            is_given_ = is_given_ || std::ranges::any_of(keys_, [&](std::string_view key) {
                            return key != "tailrender" && decides(loaded.values[i], key);
                        });
        }
    }

    // Sets the diagnostic of the values. Returns false if they do not matter.
    bool judge(engines::UnreadValues& one) const {
        if (one.kind == engines::Unread::Refused) {
            one.diagnostic.severity = is_given_ ? Severity::Warning : Severity::Error;
            return true;
        }
        std::vector<std::string_view> open;
        bool is_decided = false;
        for (const std::string_view key : keys_) {
            if (one.target.empty() || overlap(key, one.target)) {
                const bool decided = is_decided_above(key, one.below);
                is_decided = is_decided || decided;
                if (!decided) {
                    open.push_back(key);
                }
            }
        }
        const bool is_file_given = one.kind == engines::Unread::Elsewhere &&
                                   given_files_.contains(file_of(one.diagnostic.pos));
        // The settings in the file of a release that its engine rejects are no error of their own.
        const bool is_refused = one.kind == engines::Unread::Elsewhere &&
                                loaded_.refused_files.contains(file_of(one.diagnostic.pos));
        if (open.empty() || is_given_ || is_file_given || is_refused) {
            return false;
        }
        const bool is_assumed = one.kind == engines::Unread::Optional ||
                                (one.kind == engines::Unread::Elsewhere && !one.name.empty() &&
                                 !given_files_.empty()) ||
                                (one.kind == engines::Unread::Secret && one.target.empty() &&
                                 (is_decided || may_name_credentials(one.name)));
        say(one, is_assumed, open);
        return true;
    }

private:
    [[nodiscard]] std::string file_of(Pos pos) const {
        const SourceMap& sources = loaded_.sources;
        return repo::normal_path(std::string(sources.path(sources.source_of(pos))));
    }

    [[nodiscard]] bool is_decided_above(std::string_view key, std::size_t below) const {
        for (std::size_t i = below; i < loaded_.values.size(); ++i) {
            if (decides(loaded_.values[i], key)) {
                return true;
            }
        }
        return false;
    }

    static void say(engines::UnreadValues& one, bool is_assumed,
                    const std::vector<std::string_view>& open) {
        Diagnostic& diagnostic = one.diagnostic;
        diagnostic.severity = is_assumed ? Severity::Warning : Severity::Error;
        diagnostic.rule = "unread-values";
        if (one.kind == engines::Unread::Elsewhere) {
            diagnostic.message =
                "this setting of the operator is not used: tailrender reads only the values with "
                "which Flux, Argo CD, k3s or Fleet installs the operator's chart";
            diagnostic.expected = is_assumed
                                      ? "settings of another cluster, which is assumed"
                                      : "settings that can be read: they decide what is rendered";
            const auto* const setting =
                std::ranges::find(kOperatorSettings, one.target, &OperatorSetting::path);
            diagnostic.hint = fmt::format(
                "{}; if the default is right: --set {}={}",
                one.name.empty()
                    ? fmt::format("give them {}", engines::kWaysToGiveValues)
                    : fmt::format("if these are the settings of this cluster: --values {}",
                                  shell_word(one.name)),
                setting->path, shell_word(setting->value));
            return;
        }
        const bool is_secret = one.kind == engines::Unread::Secret;
        diagnostic.message = is_secret
                                 ? "the operator's chart has values in a Secret, which is not read"
                                 : "the operator's chart has values that are not in this tree";
        if (is_assumed) {
            diagnostic.expected = is_secret
                                      ? "only credentials in it, which is assumed"
                                      : "no such values in the cluster either, which is assumed";
            diagnostic.hint =
                fmt::format("if it sets more, give that {}", engines::kWaysToGiveValues);
            return;
        }
        constexpr std::size_t kMost = 3;
        const std::size_t shown = std::min(open.size(), kMost);
        std::vector<std::string_view> named(open.begin(),
                                            open.begin() + static_cast<std::ptrdiff_t>(shown));
        if (one.target.empty()) {
            named = {"proxyConfig.defaultTags", "loginServer", "ingressClass"};
        }
        diagnostic.expected =
            fmt::format("values that can be read: they decide what is rendered, such as {}",
                        fmt::join(named, ", "));
        diagnostic.hint =
            fmt::format("give {} {}", one.target.empty() ? "them, without credentials," : "it",
                        engines::kWaysToGiveValues);
    }

    const Loaded& loaded_;
    std::vector<std::string_view> keys_;
    std::set<std::string> given_files_;  // with values
    bool is_given_ = false;
};

}  // namespace

void judge_unread_values(std::size_t given, Loaded& loaded) {
    const Judge judge(given, loaded);
    std::vector<engines::UnreadValues> kept;
    for (engines::UnreadValues& one : loaded.unread_values) {
        if (judge.judge(one)) {
            kept.push_back(std::move(one));
        }
    }
    loaded.unread_values = std::move(kept);
}

}  // namespace renderer::load
