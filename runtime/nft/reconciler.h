// Keeps the kernel's rules as wanted. It makes a pass whenever the wanted state changes, after
// changes by others (`disturbed`), every minute, and with backoff while the kernel refuses. It is
// level-triggered: each pass reads the live rules and applies the difference, so it does not depend
// on earlier passes or processes.
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
    // `applied` is called when a pass has changed the kernel's rules to the wanted ones, or has
    // found them correct after a failure. It is not called if there was nothing to do. The
    // references must outlive the reconciler.
    Reconciler(Loop& loop, Log& log, RandomSource& random, Dataplane& dataplane,
               std::function<void()> applied);
    ~Reconciler();
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;

    // Sets the wanted state, and applies it before returning if the kernel accepts it.
    void set(Forwarding wanted);
    // Tells it that rules of the namespace have changed (rule_watch.h). A pass follows soon.
    void disturbed();
    // True if the last pass left the kernel as wanted. False before `set`.
    [[nodiscard]] bool is_applied() const { return applied_; }
    // The reason in one line if the rules are not applied. Empty if they are, and before `set`.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void pass();
    renderer::Result<bool> reconcile();  // whether anything changed
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
    bool disturbed_ = false;  // a pass is scheduled because of `disturbed`
    TimerId timer_ = 0;
};

}  // namespace runtime::nft
