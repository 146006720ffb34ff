#include "renderer/access/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/utf8.h"

namespace renderer::access {
namespace {

using Row = std::vector<std::string>;

std::string name_of(const Device& device, const Endpoint& endpoint) {
    return fmt::format("{}:{}", device.name, endpoint.label);
}

std::string target_text(const Endpoint& endpoint) {
    if (endpoint.is_approved) {
        return endpoint.target;
    }
    return endpoint.target + (endpoint.target.empty() ? "" : "; ") + "needs approval";
}

std::string access_text(const Access& access) {
    return who_text(access.who->text, access.parts, access.postures);
}

class TableWriter {
public:
    TableWriter(const Question& question, Evaluator& evaluator, const SourceMap& sources,
                UnknownRules& unknown)
        : question_(question), evaluator_(evaluator), sources_(sources), unknown_(unknown) {}

    // Returns "" if a cluster has nothing that is asked for.
    std::string write(const Cluster& cluster) {
        Row head = {"DEVICE:PORT", "TARGET"};
        if (question_.from.empty()) {
            head.emplace_back("WHO");
        }
        for (const Selector& from : question_.from) {
            head.push_back(from.text);
        }
        rows_ = {std::move(head)};
        for (const Device& device : cluster.devices) {
            for (const Endpoint& endpoint : device.endpoints) {
                if (question_.asks(device) && question_.asks(endpoint)) {
                    add(device, endpoint);
                }
            }
        }
        add_egress(cluster);
        if (rows_.size() == 1) {
            return "";
        }
        return (cluster.name.empty() ? "" : on_one_line(cluster.name) + ":\n") + table();
    }

private:
    void add(const Device& device, const Endpoint& endpoint) {
        const std::vector<Access>& all = evaluator_.who_reaches(device, endpoint);
        Row row = {name_of(device, endpoint), target_text(endpoint)};
        if (question_.from.empty()) {
            row.push_back(who_column(all, endpoint));
        }
        for (const Selector& from : question_.from) {
            row.emplace_back(word_of(evaluator_.reaches(from, device, endpoint)));
        }
        rows_.push_back(std::move(row));
        if (question_.why) {
            for (const Access& access : all) {
                add_rules((access.match == Match::Unknown ? "unknown: " : "") + access_text(access),
                          access.rules);
            }
        }
        add_roles(device, endpoint);
    }

    std::string who_column(const std::vector<Access>& all, const Endpoint& endpoint) {
        const std::vector<const Rule*>& unknown = evaluator_.unknown_rules(endpoint);
        unknown_.add(unknown);
        std::vector<std::string> names;
        for (const Access& access : all) {
            if (access.match == Match::Unknown) {
                unknown_.add(access);
            } else {
                names.push_back(access_text(access));
            }
        }
        if (names.empty()) {
            return all.empty() && unknown.empty() ? "no one" : "unknown";
        }
        return fmt::format("{}", fmt::join(names, ", "));
    }

    void add_rules(const std::string& who, const std::vector<const Rule*>& rules) {
        std::vector<std::string> texts;
        texts.reserve(rules.size());
        for (const Rule* rule : rules) {
            texts.push_back(rule_text(*rule, sources_));
        }
        rows_.push_back({"  " + who, fmt::format("{}", fmt::join(texts, ", "))});
    }

    void add_roles(const Device& device, const Endpoint& endpoint) {
        for (const Role& role : evaluator_.roles(device)) {
            std::string as = fmt::format("as {}", fmt::join(role.groups, ", "));
            if (!role.recorders.empty()) {
                as += fmt::format("; recorded by {}{}", fmt::join(role.recorders, ", "),
                                  role.enforces_recorder ? " or refused" : "");
            }
            Row row = {"  " + name_of(device, endpoint), std::move(as)};
            if (question_.from.empty()) {
                row.push_back(who_text(role.who->text, {}, role.postures));
            }
            for (const Selector& from : question_.from) {
                row.emplace_back(word_of(evaluator_.has(from, role)));
            }
            rows_.push_back(std::move(row));
            if (question_.why) {
                add_rules(who_text(role.who->text, {}, role.postures), role.rules);
            }
        }
    }

    void add_egress(const Cluster& cluster) {
        for (const Egress& egress : cluster.egress) {
            if (question_.device.empty() && question_.from.empty()) {
                rows_.push_back({fmt::format("from {}", egress.parent),
                                 fmt::format("tailnet {}", egress.target),
                                 std::string(word_of(evaluator_.may_leave(egress)))});
            }
        }
    }

    [[nodiscard]] std::string table() {
        std::vector<std::size_t> widths(rows_.front().size());
        for (Row& row : rows_) {
            std::ranges::transform(row, row.begin(), on_one_line);
            for (std::size_t i = 0; i + 1 < row.size(); ++i) {
                widths[i] = std::max(widths[i], count_characters(row[i]));
            }
        }
        std::string text;
        for (const Row& row : rows_) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                line += row[i];
                if (i + 1 < row.size()) {
                    line.append(widths[i] - count_characters(row[i]) + 2, ' ');
                }
            }
            text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        }
        return text;
    }

    const Question& question_;
    Evaluator& evaluator_;
    const SourceMap& sources_;
    std::vector<Row> rows_;
    UnknownRules& unknown_;
};

}  // namespace

std::string rule_text(const Rule& rule, const SourceMap& sources) {
    if (!rule.pos.known()) {
        return std::string(rule.section);
    }
    const Location place = sources.locate(rule.pos);
    return fmt::format("{}:{} ({})", place.path, place.line, rule.section);
}

std::string_view word_of(Match match) {
    constexpr std::array<std::string_view, 4> kWords = {"no", "unknown", "part", "yes"};
    return kWords.at(static_cast<std::size_t>(match));
}

std::string TextReport::add(const Cluster& cluster) {
    std::string table = TableWriter(question_, evaluator_, sources_, unknown_).write(cluster);
    if (table.empty()) {
        return table;
    }
    return (std::exchange(is_empty_, false) ? "" : "\n") + table;
}

// Says which rules are not in the tables.
std::string TextReport::end() const {
    if (is_empty_) {
        return "no devices\n";
    }
    std::string text;
    for (const Rule* rule : unknown_.all()) {
        text += fmt::format(
            "{}: unknown: it names addresses or devices that are not known before the devices "
            "join\n",
            on_one_line(rule_text(*rule, sources_)));
    }
    return text;
}

}  // namespace renderer::access
