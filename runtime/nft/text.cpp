#include "runtime/nft/text.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "runtime/nft/rule_text.h"

namespace runtime::nft {

namespace {

constexpr std::array<std::string_view, 5> kHooks = {"prerouting", "input", "forward", "output",
                                                    "postrouting"};

struct PriorityName {
    std::string_view name;
    std::int32_t value;
    std::string_view only_at;  // hook; empty: all
};
constexpr PriorityName kPriorities[] = {{"raw", -300, {}},           {"mangle", -150, {}},
                                        {"dstnat", -100, kHooks[0]}, {"filter", 0, {}},
                                        {"security", 50, {}},        {"srcnat", 100, kHooks[4]}};

std::string priority_text(std::string_view hook, std::int32_t priority) {
    for (const PriorityName& known : kPriorities) {
        const std::int32_t offset = priority - known.value;
        if ((known.only_at.empty() || known.only_at == hook) && std::abs(offset) <= 10) {
            return offset == 0 ? std::string(known.name)
                               : fmt::format("{} {} {}", known.name, offset < 0 ? '-' : '+',
                                             std::abs(offset));
        }
    }
    return fmt::format("{}", priority);
}

std::string hook_text(const Hook& hook) {
    const std::string_view name = hook.hook < kHooks.size() ? kHooks[hook.hook] : "ingress";
    return fmt::format("type {} hook {} priority {}; policy {};", hook.type, name,
                       priority_text(name, hook.priority), hook.drops ? "drop" : "accept");
}

// Only "typeof", which takes an expression, can express the type of a random number.
std::string type_text(const MapType& type) {
    bool has_number = false;
    for (const Part part : type.key) {
        has_number |= part == Part::Number;
    }
    const auto part_text = [&](Part part) -> std::string {
        switch (part) {
            case Part::Number:
                return "numgen random mod 2";
            case Part::Ipv4:
                return has_number ? "ip daddr" : "ipv4_addr";
            case Part::Ipv6:
                return has_number ? "ip6 daddr" : "ipv6_addr";
            case Part::Protocol:
                return has_number ? "meta l4proto" : "inet_proto";
            case Part::Port:
                return has_number ? "th dport" : "inet_service";
        }
        return fmt::format("{}", static_cast<std::uint32_t>(part));
    };
    const auto parts_text = [&](const std::vector<Part>& parts) {
        std::string text;
        for (const Part part : parts) {
            text += (text.empty() ? "" : " . ") + part_text(part);
        }
        return text;
    };
    return fmt::format("{} {} : {}", has_number ? "typeof" : "type", parts_text(type.key),
                       parts_text(type.value));
}

std::string element_text(const MapType& type, const Element& element) {
    return fmt::format("{} : {}", nft::parts_text(type.key, element.key),
                       nft::parts_text(type.value, element.value));
}

class BatchText {
public:
    explicit BatchText(const Batch& batch) : batch_(batch) {}

    std::string text() && {
        if (batch_.delete_table) {
            say("delete table", {});
        }
        if (batch_.add_table) {
            say("add table", {});
        }
        for (const Map& map : batch_.added_maps) {
            say("add map", fmt::format(" {} {{ {}; }}", map.name, type_text(map.type)));
        }
        for (const Chain& chain : batch_.added_chains) {
            say("add chain", fmt::format(" {} {{ {} }}", chain.name, hook_text(chain.hook)));
        }
        for (const Chain& chain : batch_.rewritten_chains) {
            say("flush chain", " " + chain.name);
        }
        for (const auto* chains : {&batch_.added_chains, &batch_.rewritten_chains}) {
            for (const Chain& chain : *chains) {
                for (const Rule& rule : chain.rules) {
                    say("add rule", fmt::format(" {} {}", chain.name, rule_text(rule)));
                }
            }
        }
        for (const std::string& map : batch_.removed_maps) {
            say("delete map", " " + map);
        }
        for (const MapChange& change : batch_.changed_maps) {
            elements("delete element", change.map, change.type, change.removed);
            elements("add element", change.map, change.type, change.added);
        }
        for (const Map& map : batch_.added_maps) {
            elements("add element", map.name, map.type, map.elements);
        }
        return std::move(text_);
    }

private:
    void say(std::string_view command, std::string_view rest) {
        text_ += fmt::format("{} {} {}{}\n", command, batch_.family, batch_.table, rest);
    }

    void elements(std::string_view command, const std::string& map, const MapType& type,
                  const std::vector<Element>& elements) {
        std::string list;
        for (const Element& element : elements) {
            list += (list.empty() ? " " : ", ") + element_text(type, element);
        }
        if (!list.empty()) {
            say(command, fmt::format(" {} {{{} }}", map, list));
        }
    }

    const Batch& batch_;
    std::string text_;
};

}  // namespace

std::string dump(const Ruleset& ruleset) {
    std::string text = fmt::format("table {} {} {{\n", ruleset.family, ruleset.name);
    for (const Map& map : ruleset.maps) {
        text += fmt::format("\tmap {} {{\n\t\t{}\n", map.name, type_text(map.type));
        for (const Element& element : map.elements) {
            text += fmt::format(
                "{}{}", &element == map.elements.data() ? "\t\telements = {\n\t\t\t" : ",\n\t\t\t",
                element_text(map.type, element));
        }
        text += map.elements.empty() ? "\t}\n" : "\n\t\t}\n\t}\n";
    }
    for (const Chain& chain : ruleset.chains) {
        text += fmt::format("\tchain {} {{\n", chain.name);
        if (!chain.hook.type.empty()) {
            text += fmt::format("\t\t{}\n", hook_text(chain.hook));
        }
        for (const Rule& rule : chain.rules) {
            text += fmt::format("\t\t{}\n", rule_text(rule));
        }
        text += "\t}\n";
    }
    return text + "}\n";
}

std::string dump(const Batch& batch) {
    return BatchText(batch).text();
}

}  // namespace runtime::nft
