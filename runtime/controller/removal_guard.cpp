#include "runtime/controller/removal_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/json.h"
#include "renderer/core/sha256.h"
#include "renderer/core/text_of.h"
#include "runtime/controller/contract.h"
#include "runtime/controller/decide.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

// The same until it is recorded. The word that was given last is in it, so that this word does not
// count when the same ones vanish once more.
std::string new_token(const std::set<std::string>& pods, std::string_view uid,
                      std::string_view last_word) {
    std::string text = fmt::format("{}\n{}", uid, last_word);
    for (const std::string& pod : pods) {
        text.append("\n").append(pod);
    }
    return fmt::format("{}-{:.6}", pods.size(), renderer::sha256_hex(text));
}

Blocked parse(std::string_view text) {
    Blocked blocked;
    const auto parsed = renderer::read_json(text);
    const Value* pods = parsed ? parsed->at({"pods"}) : nullptr;
    if (pods == nullptr || !pods->is_list()) {
        return blocked;
    }
    blocked.token = text_of(parsed->at({"token"}));
    for (const Value& pod : pods->items()) {
        blocked.pods.emplace(text_of(pod));
    }
    return blocked;
}

std::string text_of_blocked(const Blocked& blocked) {
    if (blocked.token.empty()) {
        return {};
    }
    Value pods = Value::list();
    for (const std::string& pod : blocked.pods) {
        pods.append(pod);
    }
    return renderer::write_json(Value::map({{"token", blocked.token}, {"pods", std::move(pods)}}));
}

}  // namespace

GuardAnswer guard_removals(const std::set<std::string>& leaving, std::size_t total,
                           const Blocked& recorded, std::string_view confirmed_token,
                           std::string_view uid) {
    GuardAnswer answer;
    std::set<std::string> others;
    const bool is_confirmed = !recorded.token.empty() && recorded.token == confirmed_token;
    for (const std::string& pod : leaving) {
        (is_confirmed && recorded.pods.contains(pod) ? answer.confirmed : others).insert(pod);
    }
    answer.is_blocked = !is_safe_to_remove(others.size(), total);
    if (!answer.confirmed.empty()) {
        answer.recorded = recorded;  // until the last of them is gone
    } else if (answer.is_blocked) {
        const bool known =
            !is_confirmed &&
            std::includes(recorded.pods.begin(), recorded.pods.end(), others.begin(), others.end());
        answer.recorded =
            known ? recorded
                  : Blocked{.token = new_token(others, uid, confirmed_token), .pods = others};
    }
    answer.is_recorded = !answer.recorded.token.empty() && answer.recorded == recorded;
    return answer;
}

GuardAnswer RemovalGuard::ask(const std::set<std::string>& leaving, std::size_t total) {
    const LedgerCopy* copy = ledger_.copy();
    const LedgerCopy none;
    const LedgerCopy& known = copy == nullptr ? none : *copy;
    GuardAnswer answer = guard_removals(leaving, total, parse(ledger_.find(key_).value_or("")),
                                        known.confirmed_removals, known.uid);
    const std::string& word = known.confirmed_removals;
    const auto is_token = [this, &word](std::string_view key) {
        return parse(ledger_.find(std::string(key)).value_or("")).token == word;
    };
    answer.has_other_word = answer.is_blocked && answer.is_recorded && !word.empty() &&
                            !is_token(kBlockedKey) && !is_token(kBlockedServicesKey);
    ledger_.set(key_, text_of_blocked(answer.recorded));
    if (!std::exchange(is_blocked_, answer.is_blocked) && answer.is_blocked) {
        log_.error("too many have vanished at once: nothing is removed",
                   {{"what", what_},
                    {"vanished", fmt::format("{}", leaving.size())},
                    {"of", fmt::format("{}", total)}});
    }
    return answer;
}

void RemovalGuard::tell(Events& events, const GuardAnswer& answer) const {
    if (answer.is_blocked && answer.is_recorded) {
        events.post(ledger_.reference(), EventType::Warning, "RemovalsBlocked",
                    fmt::format("{} {} have vanished at once: none is removed until the annotation "
                                "{} on this ConfigMap is \"{}\"",
                                answer.recorded.pods.size(), what_, kConfirmRemovalsAnnotation,
                                answer.recorded.token));
    }
    if (answer.has_other_word) {
        events.post(ledger_.reference(), EventType::Warning, "UnknownConfirmation",
                    fmt::format("the annotation {} on this ConfigMap is not \"{}\": nothing is "
                                "confirmed",
                                kConfirmRemovalsAnnotation, answer.recorded.token));
    }
}

}  // namespace runtime
