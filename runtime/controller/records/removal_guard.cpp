#include "runtime/controller/records/removal_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "renderer/base/sha256.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

using renderer::text_list;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kMemory = std::chrono::hours(24);
// Removals within a day that need no confirmation.
constexpr std::size_t kSafeRemovals = 5;
constexpr std::size_t kSafePercent = 20;

// `going` includes removals of the last day.
bool is_safe(std::size_t going, std::size_t wanted) {
    const bool all = wanted == 0 && going >= 2;
    return !all && going <= std::max(kSafeRemovals, (going + wanted) * kSafePercent / 100);
}

// The token does not change until it is recorded. It includes the annotation's present token, so
// that this one is not valid when the same names disappear once more.
std::string new_token(const std::set<std::string>& pods, std::string_view uid,
                      std::string_view last_word) {
    std::string text = fmt::format("{}\n{}", uid, last_word);
    for (const std::string& pod : pods) {
        text.append("\n").append(pod);
    }
    return fmt::format("{}-{:.6}", pods.size(), renderer::sha256_hex(text));
}

std::set<std::string> names_of(const Value* list) {
    const std::vector<std::string> names = texts_of(list);
    return {names.begin(), names.end()};
}

Blocked parse(std::string_view text) {
    const auto parsed = renderer::read_json(text);
    const Value* pods = parsed ? parsed->at({"pods"}) : nullptr;
    if (pods == nullptr || !pods->is_list()) {
        return {};
    }
    return {.token = std::string(text_of(parsed->at({"token"}))),
            .pods = names_of(pods),
            .confirmed = names_of(parsed->at({"confirmed"}))};
}

std::string text_of_blocked(const Blocked& blocked) {
    if (blocked.token.empty()) {
        return {};
    }
    Value text = Value::map({{"token", blocked.token}, {"pods", text_list(blocked.pods)}});
    put_if(text, !blocked.confirmed.empty(), "confirmed", text_list(blocked.confirmed));
    return renderer::write_json(text);
}

}  // namespace

GuardAnswer guard_removals(const Departures& departures, const Blocked& recorded,
                           std::string_view confirmed_token, std::string_view uid) {
    GuardAnswer answer;
    std::set<std::string> others;
    const bool is_confirmed = !recorded.token.empty() && recorded.token == confirmed_token;
    const auto sort = [&](const std::set<std::string>& names, std::set<std::string>& rest) {
        for (const std::string& name : names) {
            const bool may =
                recorded.confirmed.contains(name) || (is_confirmed && recorded.pods.contains(name));
            (may ? answer.confirmed : rest).insert(name);
        }
    };
    sort(departures.leaving, others);
    // If nothing is left, the young ones disappeared by the same mistake.
    const bool all_go = departures.wanted + departures.wanted_young == 0 &&
                        departures.leaving.size() + departures.young.size() >= 2;
    sort(departures.young, all_go ? others : answer.free);
    answer.is_blocked = !others.empty() && !is_safe(others.size() + departures.removed.size(),
                                                    departures.wanted + answer.confirmed.size());
    const bool known = !is_confirmed && std::includes(recorded.pods.begin(), recorded.pods.end(),
                                                      others.begin(), others.end());
    if (answer.is_blocked && !known) {
        answer.recorded = {.token = new_token(others, uid, confirmed_token), .pods = others};
    } else if (answer.is_blocked || !answer.confirmed.empty()) {
        answer.recorded = recorded;
    }
    if (answer.is_blocked) {
        answer.recorded.confirmed = answer.confirmed;
    }
    answer.is_recorded = !answer.recorded.token.empty() && answer.recorded == recorded;
    return answer;
}

GuardAnswer RemovalGuard::ask(Departures departures, Time now) {
    const LedgerCopy* copy = ledger_.copy();
    const LedgerCopy none;
    const LedgerCopy& known = copy == nullptr ? none : *copy;
    written_ = read_removed(ledger_.find(removed_key_).value_or(""));
    const Blocked blocked = parse(ledger_.find(blocked_key_).value_or(""));
    if (blocked.token.empty()) {  // otherwise they are among those that are blocked
        std::erase_if(written_, [now](const auto& entry) { return now - entry.second > kMemory; });
    } else if (blocked.token == known.confirmed_removals) {
        // A confirmation restarts the count. Names that are being removed besides the confirmed
        // ones have been recorded.
        std::erase_if(written_, [&departures](const auto& entry) {
            return !departures.leaving.contains(entry.first);
        });
    }
    std::erase_if(to_write_, [&departures](const auto& entry) {
        return !departures.leaving.contains(entry.first);
    });
    for (const auto& [name, unused] : written_) {
        if (!departures.leaving.contains(name)) {
            departures.removed.insert(name);
        }
    }
    const bool was_blocked = answer_.is_blocked;
    answer_ = guard_removals(departures, blocked, known.confirmed_removals, known.uid);
    const std::string& word = known.confirmed_removals;
    const auto is_token = [this, &word](std::string_view key) {
        return parse(ledger_.find(std::string(key)).value_or("")).token == word;
    };
    answer_.has_other_word = answer_.is_blocked && answer_.is_recorded && !word.empty() &&
                             !is_token(kBlockedKey) && !is_token(kBlockedServicesKey);
    ledger_.set(blocked_key_, text_of_blocked(answer_.recorded), kLedgerPause);
    if (!was_blocked && answer_.is_blocked) {
        log_.error("too many disappeared at once: nothing is removed",
                   {{"what", what_},
                    {"vanished", fmt::format("{}", departures.leaving.size())},
                    {"removed_in_a_day", fmt::format("{}", departures.removed.size())},
                    {"left", fmt::format("{}", departures.wanted)}});
    }
    return answer_;
}

bool RemovalGuard::may_remove(const std::string& name, Time now) {
    if (!answer_.may_remove(name)) {
        return false;
    }
    const bool may = !answer_.counts(name) || written_.contains(name);
    if (!may) {
        to_write_.try_emplace(name, now);
    }
    return may;
}

void RemovalGuard::write_down() {
    Removed removed = written_;
    std::erase_if(to_write_,
                  [&removed](const auto& entry) { return removed.contains(entry.first); });
    removed.insert(to_write_.begin(), to_write_.end());
    Value text = Value::map();
    for (const auto& [name, time] : removed) {
        text.add(Value(name), Value(format_seconds(time)));
    }
    ledger_.set(removed_key_, removed.empty() ? std::string() : renderer::write_json(text),
                kLedgerPause);
}

void RemovalGuard::tell(kube::Events& events) const {
    if (answer_.is_blocked && answer_.is_recorded) {
        events.post(ledger_.reference(), kube::EventType::Warning, "RemovalsBlocked",
                    fmt::format("{} {} have disappeared: none is removed until the annotation {} "
                                "on this ConfigMap is \"{}\"",
                                answer_.recorded.pods.size(), what_,
                                renderer::kConfirmRemovalsAnnotation, answer_.recorded.token));
    }
    if (answer_.has_other_word) {
        events.post(ledger_.reference(), kube::EventType::Warning, "UnknownConfirmation",
                    fmt::format("the annotation {} on this ConfigMap is not \"{}\": nothing is "
                                "confirmed",
                                renderer::kConfirmRemovalsAnnotation, answer_.recorded.token));
    }
}

}  // namespace runtime::controller
