#include "runtime/controller/keys/key_sweep.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "renderer/core/text_of.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kInterval = std::chrono::hours(1);
// The pause between two requested sweeps; also before the second sweep, for keys that the previous
// process was still writing.
constexpr Duration kPause = std::chrono::minutes(1);
constexpr Duration kFirstSweepRetry = std::chrono::seconds(10);
constexpr Duration kLastSweepRetry = std::chrono::minutes(10);

Job revoke(tailnet::Api& api, const std::string& id) {
    return [&api, id](const Next& next) {
        api.revoke_key(id, tailnet::Lane::Sweeps, done_or_gone(next));
    };
}

// For servers that list only ids.
Job look_and_revoke(tailnet::Api& api, const std::string& id, const std::string& mark) {
    return [&api, id, mark](const Next& next) {
        api.get_key(id, [&api, id, mark, next](const tailnet::Reply& reply) {
            if (reply.ok() && text_of(reply.body.find("description")) == mark) {
                return revoke(api, id)(next);
            }
            next(unless_gone(reply));
        });
    };
}

std::vector<Job> revocations(tailnet::Api& api, const std::string& mark, const Value& keys,
                             const std::set<std::string>& recorded) {
    std::vector<Job> jobs;
    jobs.reserve(keys.size());
    for (const Value& key : keys.items()) {
        const std::string id(text_of(key.find("id")));
        if (id.empty() || recorded.contains(id)) {
            continue;
        }
        const Value* description = key.find("description");
        if (description == nullptr) {
            jobs.push_back(look_and_revoke(api, id, mark));
        } else if (text_of(*description) == mark) {
            jobs.push_back(revoke(api, id));
        }
    }
    return jobs;
}

}  // namespace

void sweep_keys(tailnet::Api& api, const std::string& mark, Recorded recorded, Next done) {
    api.list_keys(
        [&api, mark, recorded = std::move(recorded), done = std::move(done)](tailnet::Reply reply) {
            const Value* keys = reply.ok() ? reply.body.find("keys") : nullptr;
            if (keys == nullptr || !keys->is_list()) {
                return done(reply.ok() ? "the response has no list of keys" : reply.message);
            }
            const auto list = std::make_shared<const Value>(keys->clone());
            recorded([&api, mark, list, done](const std::set<std::string>& ids) {
                run_in_order(revocations(api, mark, *list, ids), done);
            });
        });
}

KeySweeps::KeySweeps(Loop& loop, Log& log, RandomSource& random, Tailnets& tailnets,
                     const ClusterView& view, std::string mark)
    : loop_(loop),
      log_(log),
      random_(random),
      tailnets_(tailnets),
      view_(view),
      mark_(std::move(mark)) {}

KeySweeps::Tailnet& KeySweeps::at(const std::string& tailnet) {
    return known_
        .try_emplace(tailnet, Tailnet{.backoff = {random_, kFirstSweepRetry, kLastSweepRetry}})
        .first->second;
}

void KeySweeps::run() {
    std::set<std::string> names{""};
    for (const auto& [unused, config] : view_.tailnet_configs().objects()) {
        names.insert(config.name);
    }
    std::erase_if(known_, [&names](const auto& entry) {
        return !entry.second.busy && !names.contains(entry.first);
    });
    for (const std::string& name : names) {
        const Tailnet& tailnet = at(name);
        if (!tailnet.busy && loop_.uptime() >= tailnet.not_before) {
            sweep(name);
        }
    }
}

std::string KeySweeps::problem() const {
    const auto own = known_.find("");
    return own == known_.end() ? std::string() : own->second.problem;
}

void KeySweeps::request(const std::string& tailnet) {
    Tailnet& its = at(tailnet);
    its.not_before = std::min(its.not_before, its.earliest);
}

void KeySweeps::sweep(const std::string& name) {
    Tailnet& its = at(name);
    its.busy = true;
    its.earliest = loop_.uptime() + kPause;
    its.not_before = loop_.uptime() + (std::exchange(its.was_swept, true) ? kInterval : kPause);
    std::string problem;
    tailnet::Api* api = tailnets_.find(name, problem);
    if (api == nullptr) {
        return finish(name, problem);
    }
    sweep_keys(
        *api, mark_,
        [this](std::function<void(const std::set<std::string>&)> tell) {
            waiting_.emplace_back(next_mint_,
                                  [this, tell = std::move(tell)] { tell_recorded(tell); });
            release();
        },
        [this, name](const std::string& its_problem) { finish(name, its_problem); });
}

void KeySweeps::tell_recorded(const std::function<void(const std::set<std::string>&)>& tell) const {
    std::set<std::string> ids;
    for (const auto& [unused, auth] : view_.auths().objects()) {
        ids.insert(auth.key_id);
    }
    tell(ids);
}

void KeySweeps::finish(const std::string& name, const std::string& problem) {
    Tailnet& its = at(name);
    its.busy = false;
    if (std::exchange(its.problem, problem) != problem && !problem.empty()) {
        log_.warning("cannot look for unused keys", {{"tailnet", name}, {"cause", problem}});
    }
    if (problem.empty()) {
        its.backoff.reset();
    } else {
        its.not_before = std::min(its.not_before, loop_.uptime() + its.backoff.next());
    }
}

std::uint64_t KeySweeps::begin_mint() {
    return *mints_.insert(next_mint_++).first;
}

void KeySweeps::end_mint(std::uint64_t mint) {
    mints_.erase(mint);
    release();
}

void KeySweeps::release() {
    while (!waiting_.empty() && (mints_.empty() || *mints_.begin() >= waiting_.front().first)) {
        const auto task = std::move(waiting_.front().second);
        waiting_.pop_front();
        task();
    }
}

}  // namespace runtime::controller
