// `tailrender-adopt`: moves the operator's proxies to rendered ones, with their devices.
// testdata/contract/adopt.md describes what it does, in which order and with which rights.
#pragma once

#include "runtime/adopt/adopt_plan.h"
#include "runtime/base/jobs.h"
#include "runtime/operate/context.h"

namespace runtime::adopt {

struct AdoptOptions {
    bool dry_run = false;
    bool partial = false;  // skip what cannot be moved, and move the rest
};

void adopt(const operate::OperateContext& context, AdoptOptions options, Next done);
// Recreates the operator's objects, with the present state of their devices.
void roll_back(const operate::OperateContext& context, Next done);
// Deletes the records, after which roll_back is no longer possible.
void finish(const operate::OperateContext& context, Next done);

// Reads the objects that `adopt`, `roll_back` and `finish` need. Fails if the namespace has nothing
// of the operator or the controller: then the finalizers on objects of the whole cluster belong to
// the operator of another namespace, and must stay.
Job read_snapshot(const operate::OperateContext& context, AdoptSnapshot& out);

}  // namespace runtime::adopt
