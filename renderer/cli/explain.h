// Implements `explain`, which shows the input lines and the rule that made an object, or all
// objects that a parent becomes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/pipeline.h"

namespace renderer::cli {

struct SourceLine {
    std::string place;  // "web.yaml:7", or the name of a part that has no lines
    std::string text;
};

// Explains one object, or one rule that makes objects of a parent. Unknown fields are empty.
struct Explanation {
    std::string object;     // "Kind/namespace/name"
    std::string note = {};  // for an object that no rule makes: "passes through"
    std::string generator = {}, rule = {}, parent = {};
    std::vector<SourceLine> lines = {};      // of the parent
    std::vector<std::string> together = {};  // other objects that the rule makes
    std::vector<std::string> makes = {};     // objects that the rule makes of a parent
    std::string offers = {};                 // the name of a Tailscale Service
    std::vector<std::string> served_by = {};
    std::vector<std::string> approvals = {};  // of the tailnet, without which it has no effect
    std::string policy = {};                  // lines for the tailnet policy
    std::vector<std::string> edits = {};
};

// Explains `object` ("Kind/namespace/name" or "Kind/name"). Returns an error with a suggestion if
// it does not exist.
Result<std::vector<Explanation>> explain(const Run& run, std::string_view object);

std::string explain_text(const std::vector<Explanation>& explanations);

}  // namespace renderer::cli
