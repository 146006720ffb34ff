// What the copy of a kustomization leaves out, since it takes the network or another program, or is
// not in Git: charts, remote resources, plug-ins, files of Secrets, and the patches of what those
// would have made, on which kustomize fails. Rendered trees are left out silently.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer {

struct LeftOut {
    Pos pos;           // the entry
    std::string what;  // "https://example.com/crds.yaml", "chart tailscale-operator"
    bool is_chart = false;
    bool is_secret = false;  // by its name: the file is not in the tree
    bool is_remote = false;  // what kustomize would fetch
};

// A resource that is not there because Git must not have it: the name of the file says so.
bool is_kept_secret(const SourceTree& tree, const std::string& path);

// Of one kustomization that can be read, but for patches.
std::vector<LeftOut> left_out_of(const SourceTree& tree, KustomizationReader& reader,
                                 const Kustomization& file);

// A strategic merge patch whose object is not there.
struct Orphan {
    std::string dir;     // of its kustomization; "" = of the one that is built
    std::string object;  // "Kind/name"; "" = there is none
    friend auto operator<=>(const Orphan&, const Orphan&) = default;
};

// The bytes that a copy of the file gets: its own, unless it is a kustomization of which something
// is left out. The directories of `orphans` are those of the tree.
Result<std::string> content_for_copy(const SourceTree& tree, KustomizationReader& reader,
                                     const std::string& path, const std::set<Orphan>& orphans,
                                     std::vector<LeftOut>& left_out);

// A file at hand in place of a remote one is given to kustomize as a directory that lists it:
// kustomize reads no file outside of the directory that names it.
inline constexpr std::string_view kWrapped = ".source";

// Out of kustomize's message. Source: kustomize api/internal/builtins/PatchTransformer.go,
// kyaml/resid/resid.go.
Orphan orphan_of(std::string_view message);

}  // namespace renderer
