#include "runtime/controller/records/ledger.h"

#include <algorithm>
#include <utility>

#include "renderer/base/sha256.h"
#include "renderer/contract/controller_objects.h"
#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"
#include "runtime/controller/records/removal_times.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

// Returns the text as it is kept in the copy.
std::string remembered(std::string_view key, std::string_view text) {
    return (key == kDevicesKey || key == kServicesKey) && !text.empty() ? renderer::sha256_hex(text)
                                                                        : std::string(text);
}

std::optional<LedgerCopy> decode_ledger(const Value& object) {
    if (text_of(object.at({"metadata", "name"})) != kLedgerName) {
        return std::nullopt;
    }
    LedgerCopy copy;
    copy.uid = text_of(object.at({"metadata", "uid"}));
    copy.made_at = parse_time(text_of(object.at({"metadata", "creationTimestamp"})));
    copy.confirmed_removals =
        text_of(object.at({"metadata", "annotations", renderer::kConfirmRemovalsAnnotation}));
    copy.predecessor =
        text_of(object.at({"metadata", "annotations", renderer::kPredecessorAnnotation}));
    for (const renderer::Member& member : renderer::members_of(object.find("data"))) {
        copy.data.emplace(member.name(), remembered(member.name(), text_of(member.value)));
    }
    return copy;
}

// Adds what a new confirmation changes, and what may be removed now that it is recorded.
void add_removals(const LedgerCopy* before, const LedgerCopy* after, Changes& changes) {
    const LedgerCopy none;
    const LedgerCopy& old = before == nullptr ? none : *before;
    const LedgerCopy& now = after == nullptr ? none : *after;
    const auto datum = [](const LedgerCopy& copy, std::string_view key) {
        const auto found = copy.data.find(std::string(key));
        return found == copy.data.end() ? std::string_view() : std::string_view(found->second);
    };
    changes.everything = old.confirmed_removals != now.confirmed_removals ||
                         datum(old, kBlockedKey) != datum(now, kBlockedKey);
    if (datum(old, kRemovedKey) != datum(now, kRemovedKey)) {
        const Removed known = read_removed(datum(old, kRemovedKey));
        for (const auto& [pod, unused] : read_removed(datum(now, kRemovedKey))) {
            if (!known.contains(pod)) {
                changes.pods.insert(pod);
            }
        }
    }
}

}  // namespace

Value empty_ledger(const std::string& ns) {
    return Value::map({{"apiVersion", "v1"},
                       {"kind", "ConfigMap"},
                       {"metadata", Value::map({{"name", kLedgerName}, {"namespace", ns}})}});
}

std::string mark_of(const Value& ledger, const Value& table) {
    for (const Value* map : {&ledger, &table}) {
        if (const std::string_view mark = text_of(map->at({"data", kOwnerKey})); !mark.empty()) {
            return std::string(mark);
        }
    }
    const std::string_view uid = text_of(ledger.at({"metadata", "uid"}));
    return uid.empty() ? std::string() : "tailrender-" + renderer::sha256_hex(uid).substr(0, 16);
}

Ledger::Ledger(ClusterView& view, ObjectEditor& editor)
    : view_(view),
      editor_(editor),
      copies_(view.follow<LedgerCopy>(
          view.config_maps(), decode_ledger,
          [](std::string_view, const LedgerCopy* before, const LedgerCopy* after,
             Changes& changes) { add_removals(before, after, changes); })) {}

const LedgerCopy* Ledger::copy() const {
    return copies_.find(view_.key(kLedgerName));
}

kube::ObjectRef Ledger::reference() const {
    const LedgerCopy* found = copy();
    return view_.reference(kube::kConfigMaps, kLedgerName, found == nullptr ? "" : found->uid);
}

std::optional<std::string_view> Ledger::find(const std::string& key) const {
    const LedgerCopy* found = copy();
    if (found == nullptr || !found->data.contains(key)) {
        return std::nullopt;
    }
    return found->data.at(key);
}

void Ledger::set(const std::string& key, const std::string& text, Duration pause) {
    const bool is_there = find(key).value_or("") == remembered(key, text);
    const auto known = wanted_->find(key);
    if (is_there ? known != wanted_->end()
                 : known == wanted_->end() || known->second.text != text) {
        AllWanted wanted = *wanted_;
        wanted.erase(key);
        if (!is_there) {
            wanted.emplace(key, Wanted{.text = text, .pause = pause});
        }
        wanted_ = std::make_shared<const AllWanted>(std::move(wanted));
    }
    if (is_there) {
        return;
    }
    for (const auto& wanted : *wanted_) {
        pause = std::max(pause, wanted.second.pause);
    }
    editor_.edit({.source = view_.config_maps(),
                  .ns = view_.ns(),
                  .name = std::string(kLedgerName),
                  .pause = pause,
                  .make = [this] { return empty_ledger(view_.ns()); }},
                 [wanted = wanted_](Value& object) {
                     if (object.find("data") == nullptr) {
                         object.put("data", Value::map());
                     }
                     Value& data = *object.find("data");
                     bool changed = false;
                     for (const auto& [its_key, its] : *wanted) {
                         if (text_of(data.find(its_key)) == its.text) {
                             continue;
                         }
                         changed = true;
                         data.erase(its_key);
                         put_if(data, !its.text.empty(), Value(its_key), its.text);
                     }
                     return changed;
                 });
}

}  // namespace runtime::controller
