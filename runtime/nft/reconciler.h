// Keeps the kernel's rules as wanted: at once when what is wanted changes, after changes by others
// (`disturbed`), every minute, and with backoff while the kernel refuses. Level-triggered: each
// pass reads the live rules and applies the difference, so that nothing depends on what an earlier
// pass, or an earlier process, did.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/base/backoff.h"
#include "runtime/base/log.h"
#include "runtime/base/loop.h"
#include "runtime/nft/dataplane.h"

namespace runtime::nft {

class Reconciler {
public:
    // `applied` is called when a pass has made the kernel's rules as wanted, or has found them so
    // after a failure; not when there was nothing to do. Loop, log, chance and dataplane outlive
    // the reconciler.
    Reconciler(Loop& loop, Log& log, RandomSource& random, Dataplane& dataplane,
               std::function<void()> applied);
    ~Reconciler();
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;

    // Applies it before returning, if the kernel takes it.
    void set(Forwarding wanted);
    // Rules of the namespace have changed (rule_watch.h): looks after them soon.
    void disturbed();
    // Whether the last pass left the kernel as wanted. False before `set`.
    [[nodiscard]] bool is_applied() const { return applied_; }
    // Why not, in one line; empty when it is, and before `set`.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void pass();
    renderer::Result<bool> reconcile();  // whether anything had to change
    void check_flows();
    void plan(Duration delay);

    Loop& loop_;
    Log& log_;
    Dataplane& dataplane_;
    std::function<void()> on_applied_;
    Backoff backoff_;
    std::optional<Forwarding> wanted_;
    std::string problem_, flow_problem_;
    bool applied_ = false;
    bool flows_checked_ = false;
    bool disturbed_ = false;  // a pass is planned for that
    TimerId timer_ = 0;
};

}  // namespace runtime::nft
