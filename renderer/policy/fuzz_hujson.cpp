// Fuzz target: for any bytes, the reader returns a tree or diagnostics. What is added to a policy
// leaves its bytes as they are, and nothing is missing afterwards.
#include <cstdint>
#include <optional>
#include <string>

#include "renderer/base/check.h"
#include "renderer/policy/additions.h"

namespace {

using namespace renderer;

const policy::Needs& fuzz_needs() {
    static const policy::Needs needs = [] {
        using Kind = policy::NeedKind;
        policy::Needs made;
        made.client_tags = {"tag:c"};
        made.device_tags = {"tag:a", "tag:b"};
        made.all = {{.kind = Kind::TagOwner, .name = "tag:a", .tags = {"tag:c"}},
                    {.kind = Kind::TagOwner, .name = "tag:b", .tags = {"tag:c"}},
                    {.kind = Kind::TagOwner, .name = "tag:c", .tags = {}},
                    {.kind = Kind::Route, .name = "10.1.0.0/16", .tags = {"tag:a"}},
                    {.kind = Kind::ExitNode, .name = "", .tags = {"tag:b", "tag:a"}},
                    {.kind = Kind::Service, .name = "svc:s", .tags = {"tag:a"}},
                    {.kind = Kind::Funnel, .name = "", .tags = {"tag:b"}}};
        return made;
    }();
    return needs;
}

bool is_within(std::string_view part, std::string_view whole) {
    std::size_t at = 0;
    for (const char c : whole) {
        at += at < part.size() && part[at] == c ? 1U : 0U;
    }
    return at == part.size();
}

// Returns nothing if the text is not a policy.
std::optional<std::string> merged(const std::string& text) {
    SourceMap sources;
    Diagnostics diagnostics;
    const SourceId source = sources.add("fuzz", text);
    const auto root = policy::read_hujson(sources, source, diagnostics);
    CHECK(root.has_value() != diagnostics.has_errors());
    if (!root) {
        CHECK(!diagnostics.print(sources, false).empty());
        return std::nullopt;
    }
    const auto sections = policy::find_sections(*root, sources, source, diagnostics);
    if (!sections) {
        CHECK(diagnostics.has_errors());
        return std::nullopt;
    }
    const auto missing = policy::missing_needs(*sections, fuzz_needs());
    policy::report_missing(*sections, missing, sources, source, policy::Places::OfPolicy,
                           diagnostics);
    CHECK(diagnostics.error_count() == missing.size());
    (void)policy::find_surplus(*sections, fuzz_needs());
    return policy::add_missing(text, *sections, missing, policy::Comments::Objects);
}

}  // namespace

extern "C" int fuzz_hujson(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const std::optional<std::string> once = merged(text)) {
        CHECK(is_within(text, *once));
        CHECK(merged(*once) == once);
    }
    return 0;
}
