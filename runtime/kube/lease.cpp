#include "runtime/kube/lease.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/core/text_of.h"
#include "runtime/base/time_text.h"

namespace runtime::kube {

using renderer::text_of;
using renderer::Value;

Lease::Lease(Loop& loop, Client& client, Log& log, std::string ns, std::string name,
             std::string identity)
    : loop_(loop),
      client_(client),
      log_(log),
      ns_(std::move(ns)),
      name_(std::move(name)),
      identity_(std::move(identity)) {}

void Lease::start(std::function<void()> on_lead, std::function<void()> on_lost) {
    on_lead_ = std::move(on_lead);
    on_lost_ = std::move(on_lost);
    look();
}

void Lease::again_in(Duration delay) {
    loop_.after(delay, [this] { look(); });
}

void Lease::look() {
    check_deadline();
    if (ended_) {
        return;
    }
    if (!current_.is_null()) {
        return write(current_.clone(), false);
    }
    client_.get(path_of(kLeases, ns_, name_), [this](Reply reply) { take_seen(std::move(reply)); });
}

Value Lease::fields(std::int64_t transitions, std::string_view acquired) const {
    return Value::map(
        {{"holderIdentity", identity_},
         {"leaseDurationSeconds", static_cast<std::int64_t>(kLeaseDuration.count() / 1000)},
         {"acquireTime", acquired},
         {"leaseTransitions", transitions}});
}

void Lease::take_seen(Reply reply) {
    if (ended_) {
        return;
    }
    const std::string now = format_microseconds(loop_.now());
    if (reply.not_found()) {
        return write(Value::map({{"apiVersion", "coordination.k8s.io/v1"},
                                 {"kind", "Lease"},
                                 {"metadata", Value::map({{"name", name_}, {"namespace", ns_}})},
                                 {"spec", fields(0, now)}}),
                     true);
    }
    if (!reply.ok()) {
        log_.warning("cannot read the lease", {{"cause", reply.message}});
        return again_in(kLeaseRetry);
    }
    const std::string_view holder = text_of(reply.object.at({"spec", "holderIdentity"}));
    const std::string seen =
        fmt::format("{} {}", text_of(reply.object.at({"metadata", "resourceVersion"})), holder);
    if (seen != seen_) {
        seen_ = seen;
        seen_at_ = loop_.uptime();
    }
    if (leads_) {
        return holder == identity_ ? write(std::move(reply.object), false) : lose();
    }
    const bool free =
        holder.empty() || holder == identity_ || loop_.uptime() - seen_at_ >= kLeaseDuration;
    if (!free) {
        return again_in(std::min(kLeaseRetry, seen_at_ + kLeaseDuration - loop_.uptime()));
    }
    const Value* before = reply.object.at({"spec", "leaseTransitions"});
    const std::int64_t transitions = before == nullptr ? 0 : before->as_int().value_or(0);
    reply.object.put("spec", fields(transitions + (holder == identity_ ? 0 : 1), now));
    write(std::move(reply.object), false);
}

void Lease::write(Value lease, bool is_new) {
    sent_at_ = loop_.uptime();
    if (Value* spec = lease.find("spec"); spec != nullptr) {
        spec->put("renewTime", format_microseconds(loop_.now()));
    }
    const auto done = [this](Reply reply) {
        if (reply.ok()) {
            current_ = reply.object.clone();
        }
        take_written(reply);
    };
    if (is_new) {
        return client_.create(path_of(kLeases, ns_), lease, done);
    }
    client_.replace(path_of(kLeases, ns_, name_), lease, done);
}

void Lease::take_written(const Reply& reply) {
    if (ended_) {
        return;
    }
    if (reply.ok()) {
        renewed_at_ = sent_at_;
        if (!std::exchange(leads_, true)) {
            log_.info("this instance is the leader", {{"identity", identity_}});
            on_lead_();
        }
        const auto left_of = [this](Duration since_sent) {
            return std::max(sent_at_ + since_sent - loop_.uptime(), Duration(0));
        };
        // The deadline holds even if the next request hangs.
        loop_.after(left_of(kLeaseDeadline + Duration(1)), [this] { check_deadline(); });
        return again_in(left_of(kLeaseRenewal));
    }
    log_.warning("cannot write the lease", {{"cause", reply.message}});
    if (reply.code != 409 && !reply.not_found()) {
        return again_in(kLeaseRetry);
    }
    // There is a new holder, someone has changed a label, or the reply to a write of ours was lost.
    current_ = {};
    leads_ ? look() : again_in(kLeaseRetry);
}

void Lease::check_deadline() {
    if (leads_ && loop_.uptime() - renewed_at_ > kLeaseDeadline) {
        lose();
    }
}

void Lease::lose() {
    leads_ = false;
    ended_ = true;
    log_.error("lost the lease", {{"identity", identity_}});
    on_lost_();
}

void Lease::release(Client& client, std::function<void()> done) {
    ended_ = true;
    if (!leads_) {
        return done();
    }
    const std::string path = path_of(kLeases, ns_, name_);
    client.get(path, [this, path, &client, done = std::move(done)](Reply last) {
        Value* spec = last.object.find("spec");
        leads_ = spec != nullptr && text_of(spec->find("holderIdentity")) == identity_;
        if (!leads_) {
            return done();
        }
        spec->put("holderIdentity", "");
        client.replace(path, last.object, [this, &client, done](const Reply& reply) {
            leads_ = reply.code == 409;  // a renewal was in flight
            release(client, done);
        });
    });
}

}  // namespace runtime::kube
