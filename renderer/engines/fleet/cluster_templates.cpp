#include "renderer/engines/fleet/cluster_templates.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"

namespace renderer::engines {

namespace {

constexpr std::string_view kLabelPrefix = "global.fleet.clusterLabels.";

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view kBlank = " \t";
    const std::size_t begin = text.find_first_not_of(kBlank);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Returns the label that an expression refers to: `.ClusterLabels.x`, or `index .ClusterLabels "x"`
// for names that are not identifiers. Returns "" for other expressions.
std::string_view label_in(std::string_view expression) {
    constexpr std::string_view kField = ".ClusterLabels.";
    constexpr std::string_view kIndex = "index .ClusterLabels \"";
    expression = without_blanks(expression);
    if (expression.starts_with(kIndex) && expression.ends_with('"')) {
        const std::string_view name = expression.substr(kIndex.size());
        return name.substr(0, name.find('"')).size() + 1 == name.size()
                   ? name.substr(0, name.size() - 1)
                   : std::string_view();
    }
    if (!expression.starts_with(kField)) {
        return {};
    }
    const std::string_view name = expression.substr(kField.size());
    for (const char c : name) {
        if (!is_alphanumeric(c) && c != '_') {
            return {};
        }
    }
    return name;
}

class LabelFiller {
public:
    LabelFiller(const Cluster& cluster, bool runs_templates, Diagnostics& diagnostics)
        : cluster_(cluster), runs_templates_(runs_templates), diagnostics_(diagnostics) {}

    // Returns false if the resulting value is not known. `is_item`: the value is an item of a list.
    bool fill(Value& value, bool is_item) {
        if (value.is_list()) {
            for (Value& item : value.items()) {
                (void)fill(item, true);
            }
        } else if (value.is_map()) {
            std::vector<std::string> unknown;
            for (Member& member : value.members()) {
                if (!fill(member.value, false)) {
                    unknown.emplace_back(member.name());
                }
            }
            for (const std::string& name : unknown) {
                value.erase(name);
            }
        } else if (value.is_string()) {
            return fill_text(value, is_item);
        }
        return true;
    }

private:
    bool fill_text(Value& value, bool is_item) {
        const Pos pos = value.pos();
        if (!is_item && value.text().starts_with(kLabelPrefix)) {
            const std::string* label = find(value.text().substr(kLabelPrefix.size()));
            if (label == nullptr) {
                refuse_label(value);
                return false;
            }
            value = Value(*label);
        } else if (runs_templates_ && value.text().find("${") != std::string_view::npos) {
            const std::optional<std::string> text = execute(value.text());
            if (!text) {
                refuse_template(value);
                return false;
            }
            value = Value(*text);
        }
        value.set_pos(pos);
        return true;
    }

    [[nodiscard]] const std::string* find(std::string_view name) const {
        const auto found = cluster_.labels.find(std::string(name));
        return found == cluster_.labels.end() ? nullptr : &found->second;
    }

    [[nodiscard]] std::optional<std::string> execute(std::string_view text) const {
        std::string out;
        while (!text.empty()) {
            const std::size_t open = text.find("${");
            out += text.substr(0, open);
            if (open == std::string_view::npos) {
                break;
            }
            const std::size_t close = text.find('}', open);
            const std::string* label =
                close == std::string_view::npos
                    ? nullptr
                    : find(label_in(text.substr(open + 2, close - open - 2)));
            if (label == nullptr) {
                return std::nullopt;
            }
            out += *label;
            text.remove_prefix(close + 1);
        }
        return out;
    }

    void refuse_label(const Value& value) {
        diagnostics_
            .error("unknown-offline", value.pos(),
                   fmt::format("Fleet replaces a value that begins with \"{}\" by a label of the "
                               "cluster",
                               kLabelPrefix))
            .found(fmt::format("\"{}\"", value.text()))
            .expected("the label's value")
            .hint(kWays);
    }

    void refuse_template(const Value& value) {
        diagnostics_
            .error("unknown-offline", value.pos(),
                   "this value is a Fleet template that cannot be evaluated offline")
            .expected(
                "\"${ .ClusterLabels.NAME }\" with a label that .tailrender.yaml gives the "
                "cluster")
            .hint(fmt::format("{}; \"helm.disablePreProcess: true\" if it is literal text", kWays));
    }

    static constexpr std::string_view kWays =
        "give the cluster that label in .tailrender.yaml, write the value, or pass it with "
        "--values FILE";
    const Cluster& cluster_;
    bool runs_templates_;
    Diagnostics& diagnostics_;
};

}  // namespace

void fill_cluster_templates(Value& values, const Cluster& cluster, bool runs_templates,
                            Diagnostics& diagnostics) {
    (void)LabelFiller(cluster, runs_templates, diagnostics).fill(values, false);
}

}  // namespace renderer::engines
