// Compares a policy with what the devices of a tree need. Tags may be owned through other tags, and
// a route is approved with the larger ones that contain it. A rule of `acls` or `grants` is not
// judged: who may reach a device is the user's choice. Source: tailscale.com/kb/1337/policy-syntax.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/policy/hujson.h"
#include "renderer/policy/needs.h"

namespace renderer::policy {

// A section of the policy: what is nullptr does not exist.
struct Sections {
    const Node* root = nullptr;
    const Node* tag_owners = nullptr;
    const Node* auto_approvers = nullptr;
    const Node* routes = nullptr;
    const Node* exit_node = nullptr;
    const Node* services = nullptr;
    const Node* node_attrs = nullptr;
};

// Finds the sections, whose names have no case. Reports what is not of the right type or there
// twice ("policy-shape"), and returns nothing then.
std::optional<Sections> find_sections(const Node& root, const SourceMap& sources, SourceId source,
                                      Diagnostics& diagnostics);

// Returns the entry of `routes` for exactly this route, however it is spelled; or nullptr.
const Entry* entry_of_route(const Node* routes, const std::string& route);

// Returns the needs that the policy does not meet.
std::vector<const Need*> missing_needs(const Sections& sections, const Needs& needs);

// Whether the source map of the policy is the tree's, too, so that notes can have positions.
enum class Places : std::uint8_t { OfPolicy, OfBoth };

// Reports the missing needs, each with the entry to add ("policy-tag-owner",
// "policy-auto-approver", "policy-funnel").
void report_missing(const Sections& sections, const std::vector<const Need*>& missing,
                    const SourceMap& sources, SourceId source, Places places,
                    Diagnostics& diagnostics);

// What the policy allows for the tags of this tree, and nothing in it uses.
struct Surplus {
    std::size_t offset = 0;
    std::string text;
};
std::vector<Surplus> find_surplus(const Sections& sections, const Needs& needs);

}  // namespace renderer::policy
