// The key of `--source`: a Flux object, `KIND/NAME` or `KIND/NAMESPACE/NAME`, or an address from
// which kustomize or Argo CD would fetch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace renderer::engines {

// Different spellings of one repository give the same address:
// `https://github.com/a/b.git//x?ref=v1`, `git@github.com:a/b//x?ref=v1` and
// `github.com/a/b/x?ref=v1`.
struct SourceAddress {
    std::string path = {};  // "github.com/a/b/x"
    std::string ref = {};   // "v1"; "" if none is given
    friend bool operator==(const SourceAddress&, const SourceAddress&) = default;
};

// Returns nothing if the address has no host, or contains `..`.
std::optional<SourceAddress> parse_address(std::string_view text);

// Converts the address of a raw file on GitHub to a path in its repository. Returns nothing for
// other addresses.
std::optional<SourceAddress> raw_address(const SourceAddress& address);

struct SourceKey {
    std::string kind, ns, name;  // of a Flux object, else "". `ns` may be ""
    SourceAddress address;
};

// True for a kind of Flux whose objects are the source of a Kustomization.
bool is_source_kind(std::string_view kind);

std::optional<SourceKey> parse_source_key(std::string_view text);

// Splits `KEY=DIR` at the last "=". Returns nothing if the key is invalid or the directory is
// missing.
struct GivenSource {
    std::string key, dir;
};
std::optional<GivenSource> parse_source(std::string_view text);

}  // namespace renderer::engines
