// The name and the addresses of a device. Only those are published that the tailnet reported when
// the device was proven to be the replica's own, as noted on its auth Secret. What its pod writes
// into the state Secret is never published; when that differs from the notes, the tailnet is asked
// again. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "runtime/controller/view/objects.h"

namespace runtime::controller {

// On an auth Secret.
struct DeviceNotes {
    std::string name;       // without a dot at its end
    std::string addresses;  // joined with `,`
};

// A digest of what a pod reports about its device, to detect a new report. Never empty.
std::string digest_of_words(const StateSecret& state);

// True if the pod reports a name or an address that is not in the notes. A report that is missing
// is no contradiction, nor is an address that is left out, or the name for HTTPS, which is updated
// some time after the name.
bool contradicts(const StateSecret& state, const DeviceNotes& notes);

// True if the tailnet must be asked for the noted device: it was not asked yet, or the pod reports
// something new that contradicts the notes.
bool has_new_words(const StateSecret& state, const AuthSecret& auth);

// Returns "web.tail1.ts.net." without its dot.
std::string_view without_dot(std::string_view name);

}  // namespace runtime::controller
