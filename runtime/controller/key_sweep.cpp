#include "runtime/controller/key_sweep.h"

#include <memory>
#include <utility>
#include <vector>

#include "renderer/core/sha256.h"
#include "renderer/core/text_of.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

Job revoke(TailnetApi& api, const std::string& id) {
    return [&api, id](const Next& next) {
        api.revoke_key(id, [next](const TailnetReply& reply) {
            next(reply.ok() || reply.not_found() ? std::string() : reply.message);
        });
    };
}

// For servers whose list holds ids only.
Job look_and_revoke(TailnetApi& api, const std::string& id, const std::string& mark) {
    return [&api, id, mark](const Next& next) {
        api.get_key(id, [&api, id, mark, next](const TailnetReply& reply) {
            if (reply.ok() && text_of(reply.body.find("description")) == mark) {
                return revoke(api, id)(next);
            }
            next(reply.ok() || reply.not_found() ? std::string() : reply.message);
        });
    };
}

}  // namespace

std::string key_mark(std::string_view owner) {
    return "tailrender-" + renderer::sha256_hex(owner).substr(0, 16);
}

void sweep_keys(TailnetApi& api, const std::string& mark, std::set<std::string> recorded,
                Next done) {
    api.list_keys([&api, mark, recorded = std::move(recorded),
                   done = std::move(done)](const TailnetReply& reply) {
        const Value* keys = reply.ok() ? reply.body.find("keys") : nullptr;
        if (keys == nullptr || !keys->is_list()) {
            return done(reply.ok() ? "the list of keys has no keys" : reply.message);
        }
        std::vector<Job> jobs;
        for (const Value& key : keys->items()) {
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
        run_in_order(std::move(jobs), done);
    });
}

}  // namespace runtime
