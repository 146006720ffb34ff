// State Secrets whose pod has taken off the label by which they are recognised, or has changed it:
// the auth Secret, which no pod writes, says whose they are.
#pragma once

#include "runtime/operate/kube_jobs.h"

namespace runtime {

// Gives them their label in these copies of all Secrets of the namespace.
void show_hidden_states(Objects& secrets);

}  // namespace runtime
