// `tailrender-runtime adopt`: from the operator's proxies to rendered ones, without a new device.
// testdata/contract/adopt.md says what it does, in which order and with which rights.
#pragma once

#include "runtime/base/jobs.h"
#include "runtime/operate/adopt_plan.h"
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

// What `adopt` and `roll_back` look at.
Job read_snapshot(const OperateContext& context, AdoptSnapshot& out);

}  // namespace runtime
