// What a device is called and reached at. What is published of it is what the tailnet said when the
// device was proven to be the replica's own, as noted on its auth Secret. What its pod says in the
// state Secret is published nowhere; when it says something else than the notes, the tailnet is
// asked again. Pure functions.
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

// A digest of what a pod says of its device, to tell when it says something new. Never empty.
std::string digest_of_words(const StateSecret& state);

// A name or an address that is not among the notes. What a pod has not said yet contradicts
// nothing, nor does an address that it leaves out, or the name that it serves over HTTPS, which
// follows a new name some time later.
bool contradicts(const StateSecret& state, const DeviceNotes& notes);

// The tailnet has to be asked what the noted device is called: no one has, or the pod says
// something new that is not so.
bool has_new_words(const StateSecret& state, const AuthSecret& auth);

// "web.tail1.ts.net." without its dot.
std::string_view without_dot(std::string_view name);

}  // namespace runtime::controller
