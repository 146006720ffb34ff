// What `--source` names: an object of Flux, `KIND/NAME` or `KIND/NAMESPACE/NAME`, or an address of
// which kustomize or Argo CD would fetch something.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace renderer {

// Spellings of one repository are one: `https://github.com/a/b.git//x?ref=v1`,
// `git@github.com:a/b//x?ref=v1` and `github.com/a/b/x?ref=v1`.
struct SourceAddress {
    std::string path = {};  // "github.com/a/b/x"
    std::string ref = {};   // "v1"; "" = none is said
    friend bool operator==(const SourceAddress&, const SourceAddress&) = default;
};

// None: it has no host, or leads up with `..`.
std::optional<SourceAddress> parse_address(std::string_view text);

// A file of GitHub by its raw address, as a path of its repository; none for other addresses.
std::optional<SourceAddress> raw_address(const SourceAddress& address);

struct SourceKey {
    std::string kind, ns, name;  // of Flux; "" for an address. `ns` may be ""
    SourceAddress address;
};

std::optional<SourceKey> parse_source_key(std::string_view text);

// `KEY=DIR`, after the last "=". None: the key is none, or the directory is missing.
struct GivenSource {
    std::string key, dir;
};
std::optional<GivenSource> parse_source(std::string_view text);

}  // namespace renderer
