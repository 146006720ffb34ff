#include "renderer/policy/additions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/base/printable.h"

namespace renderer::policy {

namespace {

constexpr std::size_t kMaxObjects = 3;  // that a comment names

std::string comment_of(const std::vector<const Need*>& needs, Comments comments) {
    std::vector<std::string> lines;
    for (const Need* need : needs) {
        for (const Reason& reason : need->reasons) {
            std::string line = comments == Comments::Objects || reason.place.empty()
                                   ? reason.object
                                   : fmt::format("{} {}", reason.place, reason.object);
            if (std::ranges::find(lines, line) == lines.end()) {
                lines.push_back(on_one_line(line));
            }
        }
    }
    if (lines.empty()) {
        return "of the OAuth client";
    }
    std::string comment;
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxObjects); ++i) {
        comment += (i == 0 ? "" : ", ") + lines[i];
    }
    if (lines.size() > kMaxObjects) {
        comment += fmt::format(", and {} more", lines.size() - kMaxObjects);
    }
    return comment;
}

void add_text(std::string_view text, std::vector<std::string>& texts) {
    if (std::ranges::find(texts, text) == texts.end()) {
        texts.emplace_back(text);
    }
}

// The tags that the entry lists: the OAuth client's, or one of the device.
std::vector<std::string> tags_to_add(const Need& need) {
    return need.kind == NeedKind::TagOwner || need.tags.empty()
               ? need.tags
               : std::vector<std::string>{need.tags.front()};
}

class PolicyAdditions {
public:
    PolicyAdditions(std::string_view text, const Sections& sections,
                    const std::vector<const Need*>& missing, Comments comments)
        : splice_(text, *sections.root),
          sections_(sections),
          missing_(missing),
          comments_(comments) {}

    std::string result() {
        add_lists(NeedKind::TagOwner, sections_.tag_owners, tag_owners_);
        add_lists(NeedKind::Route, sections_.routes, routes_);
        add_lists(NeedKind::Service, sections_.services, services_);
        add_exit_node();
        add_funnel();
        place_approvers();
        place(sections_.tag_owners, sections_.root, std::move(tag_owners_));
        place(sections_.auto_approvers, sections_.root, std::move(auto_approvers_));
        place(sections_.node_attrs, sections_.root, std::move(node_attrs_));
        return splice_.result();
    }

private:
    [[nodiscard]] std::vector<const Need*> of_kind(NeedKind kind) const {
        std::vector<const Need*> needs;
        std::ranges::copy_if(missing_, std::back_inserter(needs),
                             [&](const Need* need) { return need->kind == kind; });
        return needs;
    }

    // Adds tags to the lists of a map: new entries to `added`, or items to lists that exist.
    void add_lists(NeedKind kind, const Node* map, NewEntry& added) {
        const std::vector<const Need*> needs = of_kind(kind);
        for (auto next = needs.begin(); next != needs.end();) {
            const std::string& name = (*next)->name;
            std::vector<const Need*> same;
            std::vector<std::string> tags;
            for (; next != needs.end() && (*next)->name == name; ++next) {
                same.push_back(*next);
                for (const std::string& tag : tags_to_add(**next)) {
                    add_text(tag, tags);
                }
            }
            if (const Node* list = list_of(kind, map, name)) {
                add_items(*list, tags);
            } else {
                added.entries.push_back({.comment = comment_of(same, comments_),
                                         .key = name,
                                         .value = json_list(tags)});
            }
        }
    }

    static const Node* list_of(NeedKind kind, const Node* map, const std::string& name) {
        if (kind == NeedKind::Route) {
            const Entry* entry = entry_of_route(map, name);
            return entry == nullptr ? nullptr : &entry->value;
        }
        return map == nullptr ? nullptr : map->find(name);
    }

    void add_items(const Node& list, const std::vector<std::string>& tags) {
        for (const std::string& tag : tags) {
            splice_.add(list, {.value = json_string(tag)});
        }
    }

    // Returns a tag for each need, each once.
    static std::vector<std::string> tags_of(const std::vector<const Need*>& needs) {
        std::vector<std::string> tags;
        for (const Need* need : needs) {
            add_text(need->tags.front(), tags);
        }
        return tags;
    }

    void add_exit_node() {
        const std::vector<const Need*> needs = of_kind(NeedKind::ExitNode);
        if (needs.empty()) {
            return;
        }
        if (sections_.exit_node != nullptr) {
            add_items(*sections_.exit_node, tags_of(needs));
        } else {
            exit_node_ = {.comment = comment_of(needs, comments_),
                          .key = "exitNode",
                          .value = json_list(tags_of(needs))};
        }
    }

    void add_funnel() {
        const std::vector<const Need*> needs = of_kind(NeedKind::Funnel);
        if (!needs.empty()) {
            node_attrs_.entries.push_back(
                {.comment = comment_of(needs, comments_),
                 .value = fmt::format(R"({{"target": {}, "attr": ["funnel"]}})",
                                      json_list(tags_of(needs)))});
        }
    }

    // The sections in autoApprovers that do not exist go into it, whether it exists or not.
    void place_approvers() {
        place(sections_.routes, nullptr, std::move(routes_));
        if (!exit_node_.key.empty()) {
            auto_approvers_.entries.push_back(std::move(exit_node_));
        }
        place(sections_.services, nullptr, std::move(services_));
    }

    // Adds new entries to their section; or the whole section to `parent`, or to autoApprovers.
    void place(const Node* section, const Node* parent, NewEntry added) {
        if (added.entries.empty()) {
            return;
        }
        if (section == nullptr && parent == nullptr) {
            auto_approvers_.entries.push_back(std::move(added));
        } else if (section == nullptr) {
            splice_.add(*parent, std::move(added));
        } else {
            for (NewEntry& entry : added.entries) {
                splice_.add(*section, std::move(entry));
            }
        }
    }

    HujsonSplice splice_;
    const Sections& sections_;
    const std::vector<const Need*>& missing_;
    Comments comments_;
    NewEntry tag_owners_{.comment = "Who may assign a tag to a device.", .key = "tagOwners"};
    NewEntry auto_approvers_{.comment = "What works without an approval in the admin console.",
                             .key = "autoApprovers"};
    NewEntry routes_{.key = "routes"};
    NewEntry services_{.key = "services"};
    NewEntry exit_node_;
    NewEntry node_attrs_{
        .comment = "Devices that the internet may reach.", .key = "nodeAttrs", .is_list = true};
};

}  // namespace

NewEntry entry_for(const Need& need) {
    const std::string tags = json_list(tags_to_add(need));
    switch (need.kind) {
        case NeedKind::TagOwner:
        case NeedKind::Route:
        case NeedKind::Service:
            return {.key = need.name, .value = tags};
        case NeedKind::ExitNode:
            return {.key = "exitNode", .value = tags};
        case NeedKind::Funnel:
            break;
    }
    return {.value = fmt::format(R"({{"target": {}, "attr": ["funnel"]}})", tags)};
}

std::string addition_text(const Sections& sections, const Need& need) {
    const NewEntry entry = entry_for(need);
    const Node* section = need.kind == NeedKind::TagOwner  ? sections.tag_owners
                          : need.kind == NeedKind::Route   ? sections.routes
                          : need.kind == NeedKind::Service ? sections.services
                                                           : nullptr;
    if (section == nullptr || section->find(entry.key) == nullptr) {
        return entry_text(entry);
    }
    return fmt::format("{} to \"{}\"", entry.value.substr(1, entry.value.size() - 2), entry.key);
}

std::string add_missing(std::string_view text, const Sections& sections,
                        const std::vector<const Need*>& missing, Comments comments) {
    return missing.empty() ? std::string(text)
                           : PolicyAdditions(text, sections, missing, comments).result();
}

std::string print_policy(const Needs& needs, const std::vector<std::string>& examples) {
    std::string text =
        "// What the tailnet's policy must say for the devices of this tree.\n"
        "// Made by \"tailrender tailnet-policy\". Syntax: "
        "https://tailscale.com/kb/1337/policy-syntax\n";
    for (const std::string& devices : left_out(needs)) {
        text += fmt::format("// Not here: {}.\n", devices);
    }
    text += "{\n}\n";
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("policy", text);
    const std::optional<Node> root = read_hujson(sources, source, diagnostics);
    CHECK(root);
    const std::optional<Sections> sections = find_sections(*root, sources, source, diagnostics);
    CHECK(sections);
    std::string policy =
        add_missing(text, *sections, missing_needs(*sections, needs), Comments::Places);
    policy.resize(policy.size() - std::string_view("}\n").size());
    for (const std::string& line : examples) {
        policy += fmt::format("  // {}\n", as_lines(on_one_line(line)));
    }
    return policy + "}\n";
}

}  // namespace renderer::policy
