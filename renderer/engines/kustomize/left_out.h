// Decides what the copy of a kustomization leaves out because it needs the network or another
// program, or is not in Git: charts, remote resources, plug-ins, files of Secrets, and the patches
// of objects from those, on which kustomize would fail. Rendered trees are left out without a
// report.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/result.h"
#include "renderer/engines/kustomize/kustomization.h"

namespace renderer::engines {

struct LeftOut {
    Pos pos;           // of the entry
    std::string what;  // "https://example.com/crds.yaml", "chart tailscale-operator"
    bool is_chart = false;
    bool is_secret = false;   // a missing file that is a Secret by its name
    bool is_remote = false;   // kustomize would fetch it
    bool is_plug_in = false;  // a program or a function in a container
};

// True for a manifest that is missing because a Secret must not be in Git. Its file name says so.
bool is_kept_secret(const repo::SourceTree& tree, const std::string& path);

// Returns what is left out of one kustomization, except patches. Its file must be a map.
std::vector<LeftOut> left_out_of(const repo::SourceTree& tree, KustomizationReader& reader,
                                 const Kustomization& file);

// Warns of such a part. `names_helm`: the user names a helm.
void warn_left_out(const LeftOut& what, bool names_helm, Diagnostics& diagnostics);

// A strategic merge patch whose object is not in the build.
struct Orphan {
    std::string dir;     // of its kustomization; "" = the directory that is built
    std::string object;  // "Kind/name"; "" = no orphan
    friend auto operator<=>(const Orphan&, const Orphan&) = default;
};

// Returns the bytes for a copy of the file: those of the file, unless it is a kustomization that is
// changed for the copy. The directories of `orphans` are paths of the tree.
Result<std::string> content_for_copy(const repo::SourceTree& tree, KustomizationReader& reader,
                                     const std::string& path, const std::set<Orphan>& orphans,
                                     std::vector<LeftOut>& left_out);

// The suffix of a directory in the copy whose kustomization lists one file: a local copy of a
// remote file, since kustomize reads no file outside of the directory that names it, or the output
// of a chart (KustomizationReader::made_by_helm).
inline constexpr std::string_view kWrapped = ".source";

// Parses the orphan in an error message of kustomize. Source: kustomize
// api/internal/builtins/PatchTransformer.go, kyaml/resid/resid.go.
Orphan orphan_of(std::string_view message);

}  // namespace renderer::engines
