// Writes `.status` of the parents of proxies, for all features. A feature says what a part of the
// status should be; the rest is unchanged. Nothing is written unless something differs, and
// `lastTransitionTime` changes only with the condition's status (Kubernetes API conventions).
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/controller/view/object_editor.h"
#include "runtime/controller/view/parents.h"

namespace runtime::controller {

struct Condition {
    std::string type;
    bool is_true = false;
    std::string reason = {};
    std::string message = {};
    bool observes_generation = true;  // the operator's conditions of Services do not
};

struct StatusChange {
    // Whole members of `.status`; null or empty removes a member.
    std::vector<std::pair<std::string, renderer::Value>> fields = {};
    std::vector<Condition> conditions = {};
    std::vector<std::string> conditions_to_remove = {};
    // Names and addresses that are removed from `loadBalancer`; those of others stay.
    std::set<std::string> gone = {};
};

// Returns the status as it should be. A pure function.
renderer::Value changed_status(const renderer::Value& status, const StatusChange& change,
                               std::int64_t generation, Time now);

// Ignores what the API server adds (`ipMode`), and members that are empty or missing.
bool same_status(const renderer::Value& a, const renderer::Value& b);

class StatusWriter {
public:
    StatusWriter(Loop& loop, ObjectEditor& editor) : loop_(loop), editor_(editor) {}

    // True if the parent's status already is as the change wants it.
    [[nodiscard]] bool is_said(const Parent& parent, const StatusChange& change) const;
    void write(const Parent& parent, StatusChange change);

private:
    Loop& loop_;
    ObjectEditor& editor_;
};

}  // namespace runtime::controller
