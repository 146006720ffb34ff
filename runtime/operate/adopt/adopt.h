// `tailrender-runtime adopt`: from the operator's proxies to rendered ones, without a new device.
// testdata/contract/adopt.md says what it does, in which order and with which rights.
#pragma once

#include "runtime/base/jobs.h"
#include "runtime/operate/adopt/adopt_plan.h"
#include "runtime/operate/context.h"

namespace runtime {

struct AdoptWish {
    bool dry_run = false;
    bool partial = false;  // what cannot be moved is left alone, and the rest is moved
};

void adopt(const OperateContext& context, AdoptWish wish, Next done);
// The operator's objects come back, and take over what their devices have become.
void roll_back(const OperateContext& context, Next done);
// Forgets how to go back.
void finish(const OperateContext& context, Next done);

// What `adopt` and the ways back look at. It is a problem if nothing there is the operator's or
// the controller's: what the operator of another namespace has put on the objects of the whole
// cluster is not ours to take off.
Job read_snapshot(const OperateContext& context, AdoptSnapshot& out);

}  // namespace runtime
