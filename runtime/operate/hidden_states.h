// Finds state Secrets whose pod has removed or changed the label that identifies them. Their auth
// Secret, which no pod writes, shows which ones they are.
#pragma once

#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

// Sets their label in `secrets`, copies of all Secrets of the namespace.
void show_hidden_states(Objects& secrets);

}  // namespace runtime::operate
