#include "renderer/policy/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/plan/routes.h"
#include "renderer/policy/additions.h"

namespace renderer::policy {

namespace {

constexpr std::size_t kMaxReasons = 3;  // that a message names
constexpr std::string_view kFunnel = "funnel";
constexpr std::string_view kOwnerRule = "policy-tag-owner";
constexpr std::string_view kApproverRule = "policy-auto-approver";
constexpr std::string_view kFunnelRule = "policy-funnel";

// Finds sections and checks their types.
class SectionFinder {
public:
    SectionFinder(const SourceMap& sources, SourceId source, Diagnostics& diagnostics)
        : sources_(sources), source_(source), diagnostics_(diagnostics) {}

    // Returns the value of a key, whatever its case, if it has the kind; else nullptr.
    // `path` is where it is, for messages.
    const Node* find(const Node* parent, std::string_view name, Value::Kind kind,
                     std::string_view path) {
        const Node* found = nullptr;
        for (const Entry& entry : parent == nullptr ? kNone : parent->entries) {
            if (lower_case(entry.key.text) != lower_case(name)) {
                continue;
            }
            if (found != nullptr) {
                refuse(entry.key.begin, fmt::format("{} is duplicated", path))
                    .found(fmt::format("\"{}\", in another case", entry.key.text))
                    .expected("one section; the case of its name does not matter");
            }
            found = is_of(entry.value, kind, path) ? &entry.value : nullptr;
        }
        return found;
    }

    // Checks that all values of a map are lists of strings.
    void check_lists(const Node* map, std::string_view name) {
        for (const Entry& entry : map == nullptr ? kNone : map->entries) {
            check_strings(entry.value, fmt::format("{}.\"{}\"", name, entry.key.text));
        }
    }

    void check_strings(const Node& list, const std::string& name) {
        if (!is_of(list, Value::Kind::List, name)) {
            return;
        }
        for (const Entry& item : list.entries) {
            is_of(item.value, Value::Kind::String, fmt::format("an item of {}", name));
        }
    }

    void check_attributes(const Node* list) {
        for (const Entry& item : list == nullptr ? kNone : list->entries) {
            if (!is_of(item.value, Value::Kind::Map, "an item of nodeAttrs")) {
                continue;
            }
            for (const std::string_view name : {"target", "attr"}) {
                if (const Node* texts = find(&item.value, name, Value::Kind::List,
                                             fmt::format("nodeAttrs.{}", name))) {
                    check_strings(*texts, fmt::format("nodeAttrs.{}", name));
                }
            }
        }
    }

    bool is_of(const Node& node, Value::Kind kind, std::string_view name) {
        if (node.kind == kind) {
            return true;
        }
        Node wanted;
        wanted.kind = kind;
        refuse(node.begin, fmt::format("{} has the wrong type", name))
            .found(std::string(kind_name(node)))
            .expected(std::string(kind_name(wanted)));
        return false;
    }

    Finding refuse(std::size_t offset, std::string message) {
        return diagnostics_.error("policy-shape", sources_.pos(source_, offset),
                                  std::move(message));
    }

private:
    inline static const std::vector<Entry> kNone;

    const SourceMap& sources_;
    SourceId source_;
    Diagnostics& diagnostics_;
};

const std::vector<Entry>& entries_of(const Node* node) {
    static const std::vector<Entry> none;
    return node == nullptr ? none : node->entries;
}

bool names(const Node* list, std::string_view text) {
    return std::ranges::any_of(entries_of(list),
                               [&](const Entry& item) { return item.value.text == text; });
}

bool names_any(const Node* list, const std::vector<std::string>& texts) {
    return std::ranges::any_of(texts, [&](const std::string& text) { return names(list, text); });
}

bool holds(const std::vector<std::string>& texts, std::string_view text) {
    return std::ranges::find(texts, text) != texts.end();
}

// True if a tag of the OAuth client is among the tag's owners, or among those of a tag that owns
// it. That a tag owns itself only counts for those of the client.
bool is_assignable(const Sections& sections, const Need& need) {
    const Node* owners =
        sections.tag_owners == nullptr ? nullptr : sections.tag_owners->find(need.name);
    if (owners == nullptr || need.tags.empty()) {
        return owners != nullptr;
    }
    std::set<std::string_view> seen = {need.name};
    std::vector<const Node*> left = {owners};
    while (!left.empty()) {
        const Node* list = left.back();
        left.pop_back();
        if (names_any(list, need.tags)) {
            return true;
        }
        for (const Entry& item : list->entries) {
            const Node* next = sections.tag_owners->find(item.value.text);
            if (next != nullptr && seen.insert(item.value.text).second) {
                left.push_back(next);
            }
        }
    }
    return false;
}

bool contains(const plan::Route& larger, const plan::Route& route) {
    plan::Route cut = route;
    cut.bits = larger.bits;
    return larger.v6 == route.v6 && larger.bits <= route.bits &&
           plan::masked(cut) == plan::masked(larger);
}

bool contains(std::string_view larger, std::string_view route) {
    const auto of_policy = plan::parse_route(larger);
    const auto ours = plan::parse_route(route);
    return of_policy && ours && contains(*of_policy, *ours);
}

bool is_approved(const Node* approvers, const Need& need,
                 bool (*matches)(std::string_view, const Need&)) {
    return std::ranges::any_of(entries_of(approvers), [&](const Entry& entry) {
        return matches(entry.key.text, need) && names_any(&entry.value, need.tags);
    });
}

bool is_route_of(std::string_view key, const Need& need) {
    return contains(key, need.name);
}

bool is_service_of(std::string_view key, const Need& need) {
    return key == need.name || holds(need.service_tags, key);
}

// Targets that every device with a tag is one of.
bool is_of_all(const Node* targets) {
    return names(targets, "*") || names(targets, "autogroup:tagged");
}

bool may_use_funnel(const Node* attributes, const Need& need) {
    return std::ranges::any_of(entries_of(attributes), [&](const Entry& entry) {
        const Node* targets = entry.value.find_any_case("target");
        return names(entry.value.find_any_case("attr"), kFunnel) &&
               (names_any(targets, need.tags) || is_of_all(targets));
    });
}

bool is_met(const Sections& sections, const Need& need) {
    switch (need.kind) {
        case NeedKind::TagOwner:
            return is_assignable(sections, need);
        case NeedKind::Route:
            return is_approved(sections.routes, need, is_route_of);
        case NeedKind::ExitNode:
            return names_any(sections.exit_node, need.tags);
        case NeedKind::Service:
            return is_approved(sections.services, need, is_service_of);
        case NeedKind::Funnel:
            break;
    }
    return may_use_funnel(sections.node_attrs, need);
}

struct Complaint {
    std::string_view rule;
    std::string message;
    const Node* place = nullptr;  // the innermost that exists
    std::string section;
};

const Node* innermost(std::initializer_list<const Node*> places) {
    return *std::ranges::find_if(places, [](const Node* place) { return place != nullptr; });
}

Complaint complaint_of(const Sections& sections, const Need& need) {
    const Node* root = sections.root;
    const Node* approvers = sections.auto_approvers;
    switch (need.kind) {
        case NeedKind::TagOwner: {
            const Node* owners =
                sections.tag_owners == nullptr ? nullptr : sections.tag_owners->find(need.name);
            return {kOwnerRule,
                    fmt::format("{} may{} assign \"{}\"{}", owners ? "the controller" : "no one",
                                owners ? " not" : "", need.name,
                                need.reasons.empty() ? "" : " to a device"),
                    innermost({owners, sections.tag_owners, root}), "tagOwners"};
        }
        case NeedKind::Route:
            return {kApproverRule, fmt::format("the route {} is not approved", need.name),
                    innermost({sections.routes, approvers, root}), "autoApprovers.routes"};
        case NeedKind::ExitNode:
            return {kApproverRule, "an exit node is not approved",
                    innermost({sections.exit_node, approvers, root}), "autoApprovers"};
        case NeedKind::Service:
            return {kApproverRule,
                    fmt::format("the Tailscale Service \"{}\" is not approved", need.name),
                    innermost({sections.services, approvers, root}), "autoApprovers.services"};
        case NeedKind::Funnel:
            break;
    }
    return {kFunnelRule, "the policy does not let the proxies use Funnel",
            innermost({sections.node_attrs, root}), "nodeAttrs"};
}

void add_reasons(const Need& need, Places places, Finding finding) {
    if (need.reasons.empty()) {
        finding.note({.text = "the OAuth client of the controller has this tag"});
    }
    for (std::size_t i = 0; i < std::min(need.reasons.size(), kMaxReasons); ++i) {
        const Reason& reason = need.reasons[i];
        const bool is_text = places == Places::OfPolicy && !reason.place.empty();
        finding.note({.pos = places == Places::OfBoth ? reason.pos : Pos{},
                      .object = reason.object,
                      .text = is_text ? "needs it, " + reason.place : "needs it"});
    }
    if (need.reasons.size() > kMaxReasons) {
        finding.note({.text = "also needed by " +
                              counted(need.reasons.size() - kMaxReasons, "further object")});
    }
}

class SurplusFinder {
public:
    SurplusFinder(const Sections& sections, const Needs& needs)
        : sections_(sections), needs_(needs) {}

    std::vector<Surplus> find() {
        add_tags();
        add_approvers(sections_.routes, NeedKind::Route, is_route_of,
                      "no Connector has such a route");
        add_approvers(sections_.services, NeedKind::Service, is_service_of, "nothing offers it");
        add_items(sections_.exit_node, NeedKind::ExitNode,
                  "\"{}\" is approved for exit nodes, but no Connector with it is one");
        for (const Entry& entry : entries_of(sections_.node_attrs)) {
            if (names(entry.value.find_any_case("attr"), kFunnel)) {
                add_items(entry.value.find_any_case("target"), NeedKind::Funnel,
                          "\"{}\" may use Funnel, but no Ingress with it does");
            }
        }
        std::ranges::stable_sort(found_, {}, &Surplus::offset);
        return std::move(found_);
    }

private:
    template <typename Matches>
    [[nodiscard]] bool needs_one(NeedKind kind, const Matches& matches) const {
        return std::ranges::any_of(
            needs_.all, [&](const Need& need) { return need.kind == kind && matches(need); });
    }

    // Tags that the OAuth client may assign. A tag that owns others is of use.
    void add_tags() {
        const auto& owners = entries_of(sections_.tag_owners);
        for (const Entry& entry : owners) {
            const std::string& tag = entry.key.text;
            const bool is_used =
                needs_one(NeedKind::TagOwner, [&](const Need& need) { return need.name == tag; }) ||
                std::ranges::any_of(owners, [&](const Entry& other) {
                    return &other != &entry && names(&other.value, tag);
                });
            if (!is_used && names_any(&entry.value, needs_.client_tags)) {
                found_.push_back(
                    {entry.key.begin,
                     fmt::format("the controller may assign \"{}\", but no device has it", tag)});
            }
        }
    }

    void add_approvers(const Node* approvers, NeedKind kind,
                       bool (*matches)(std::string_view, const Need&), std::string_view why) {
        for (const Entry& entry : entries_of(approvers)) {
            const bool is_used =
                needs_one(kind, [&](const Need& need) { return matches(entry.key.text, need); });
            const bool is_found =  // by an app connector
                kind == NeedKind::Route && names_any(&entry.value, needs_.app_tags);
            if (!is_used && !is_found && names_any(&entry.value, needs_.device_tags)) {
                found_.push_back({entry.key.begin,
                                  fmt::format("\"{}\" is approved, but {}", entry.key.text, why)});
            }
        }
    }

    void add_items(const Node* list, NeedKind kind, fmt::format_string<const std::string&> text) {
        for (const Entry& item : entries_of(list)) {
            const std::string& tag = item.value.text;
            const bool is_used =
                needs_one(kind, [&](const Need& need) { return holds(need.tags, tag); });
            if (!is_used && holds(needs_.device_tags, tag)) {
                found_.push_back({item.value.begin, fmt::format(text, tag)});
            }
        }
    }

    const Sections& sections_;
    const Needs& needs_;
    std::vector<Surplus> found_;
};

}  // namespace

std::optional<Sections> find_sections(const Node& root, const SourceMap& sources, SourceId source,
                                      Diagnostics& diagnostics) {
    using Kind = Value::Kind;
    const std::size_t before = diagnostics.error_count();
    SectionFinder finder(sources, source, diagnostics);
    Sections found{.root = &root};
    if (!finder.is_of(root, Kind::Map, "the policy")) {
        return std::nullopt;
    }
    found.tag_owners = finder.find(&root, "tagOwners", Kind::Map, "tagOwners");
    finder.check_lists(found.tag_owners, "tagOwners");
    found.auto_approvers = finder.find(&root, "autoApprovers", Kind::Map, "autoApprovers");
    found.routes = finder.find(found.auto_approvers, "routes", Kind::Map, "autoApprovers.routes");
    finder.check_lists(found.routes, "autoApprovers.routes");
    found.services =
        finder.find(found.auto_approvers, "services", Kind::Map, "autoApprovers.services");
    finder.check_lists(found.services, "autoApprovers.services");
    found.exit_node =
        finder.find(found.auto_approvers, "exitNode", Kind::List, "autoApprovers.exitNode");
    if (found.exit_node != nullptr) {
        finder.check_strings(*found.exit_node, "autoApprovers.exitNode");
    }
    found.node_attrs = finder.find(&root, "nodeAttrs", Kind::List, "nodeAttrs");
    finder.check_attributes(found.node_attrs);
    return diagnostics.error_count() == before ? std::optional(found) : std::nullopt;
}

const Entry* entry_of_route(const Node* routes, const std::string& route) {
    const auto wanted = plan::parse_route(route);
    for (const Entry& entry : entries_of(routes)) {
        const auto of_policy = plan::parse_route(entry.key.text);
        if (wanted && of_policy && plan::masked(*of_policy) == plan::masked(*wanted)) {
            return &entry;
        }
    }
    return nullptr;
}

std::vector<const Need*> missing_needs(const Sections& sections, const Needs& needs) {
    std::vector<const Need*> missing;
    for (const Need& need : needs.all) {
        if (!is_met(sections, need)) {
            missing.push_back(&need);
        }
    }
    return missing;
}

void report_missing(const Sections& sections, const std::vector<const Need*>& missing,
                    const SourceMap& sources, SourceId source, Places places,
                    Diagnostics& diagnostics) {
    for (const Need* need : missing) {
        Complaint complaint = complaint_of(sections, *need);
        add_reasons(*need, places,
                    diagnostics
                        .error(complaint.rule, sources.pos(source, complaint.place->begin),
                               std::move(complaint.message))
                        .expected(fmt::format("{} in {}", addition_text(sections, *need),
                                              complaint.section)));
    }
}

std::vector<Surplus> find_surplus(const Sections& sections, const Needs& needs) {
    return SurplusFinder(sections, needs).find();
}

}  // namespace renderer::policy
