// Keeps the kernel's rules as wanted: at once when what is wanted changes, after changes by others (a flush, another
// program), every minute, and with backoff while the kernel refuses. Level-triggered: each pass reads the live rules and
// applies the difference, so that nothing depends on what an earlier pass, or an earlier process, did.
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
    // `applied` is called whenever a wanted state has come to be the kernel's, also again after it was disturbed.
    // All outlive the reconciler.
    Reconciler(Loop& loop, Log& log, Chance& chance, Dataplane& dataplane,
               std::function<void()> applied);
    ~Reconciler();
    Reconciler(const Reconciler&) = delete;
    Reconciler& operator=(const Reconciler&) = delete;

    // Applies it before returning, if the kernel takes it.
    void set(Forwarding wanted);
    // Whether the last pass left the kernel as wanted. False before `set`.
    [[nodiscard]] bool is_applied() const { return applied_; }
    // Why not, in one line; empty when it is.
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void watch_changes();
    void pass();
    renderer::Result<bool> reconcile();  // whether anything had to change
    void plan(Duration delay);

    Loop& loop_;
    Log& log_;
    Dataplane& dataplane_;
    std::function<void()> on_applied_;
    Backoff backoff_;
    std::optional<Forwarding> wanted_;
    std::string problem_;
    bool applied_ = false;
    bool flows_checked_ = false;
    TimerId timer_ = 0;
    int changes_ = -1;  // netlink socket that hears of changes
};

}  // namespace runtime::nft
