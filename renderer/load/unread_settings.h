// Finds settings of the operator in files that are not read as such: a tool that tailrender does
// not read installs the operator, or a patch sets variables of its Deployment.
#pragma once

#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"
#include "renderer/load/operator_release.h"
#include "renderer/repo/source_tree.h"

namespace renderer::load {

// True if an operator is live as a Deployment among the documents.
bool has_operator_deployment(const Loaded& loaded);

// Adds them to `unread_values`. A file that nothing applies counts only if it has no Kubernetes
// objects: tools such as helmfile and Terraform read such files.
void note_unread_settings(const repo::SourceTree& tree, const engines::Selection& selection,
                          const InstalledOperators& operators, Loaded& loaded);

}  // namespace renderer::load
