// Fuzz target: for any bytes, the reader returns a tree or diagnostics. An entry that is inserted
// leaves the bytes as they are, and the text is still HuJSON.
#include <cstdint>
#include <optional>
#include <string>

#include "renderer/base/check.h"
#include "renderer/policy/hujson.h"
#include "renderer/policy/hujson_splice.h"

namespace {

using namespace renderer;

bool is_within(std::string_view part, std::string_view whole) {
    std::size_t at = 0;
    for (const char c : whole) {
        at += at < part.size() && part[at] == c ? 1U : 0U;
    }
    return at == part.size();
}

// Returns the text with an entry inserted, or nothing if it has no place or is not HuJSON.
std::optional<std::string> spliced(const std::string& text, const std::string& key) {
    SourceMap sources;
    Diagnostics diagnostics;
    const auto root = policy::read_hujson(sources, sources.add("fuzz", text), diagnostics);
    CHECK(root.has_value() != diagnostics.has_errors());
    if (!root) {
        CHECK(!diagnostics.print(sources, false).empty());
        return std::nullopt;
    }
    if (!root->is_map() || root->find(key) != nullptr) {
        return std::nullopt;
    }
    policy::HujsonSplice splice(text, *root);
    splice.add(*root, {.comment = "added", .key = key, .value = "[]"});
    std::string result = splice.result();
    CHECK(policy::read_hujson(sources, sources.add("spliced", result), diagnostics).has_value());
    return result;
}

}  // namespace

extern "C" int fuzz_hujson(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (const std::optional<std::string> once = spliced(text, "first")) {
        CHECK(is_within(text, *once));
        (void)spliced(*once, "second");
    }
    return 0;
}
