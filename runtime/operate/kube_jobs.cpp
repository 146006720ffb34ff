#include "runtime/operate/kube_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/base/url.h"

namespace runtime::operate {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr Duration kPollInterval(500);
constexpr int kForbidden = 403;

std::string problem_of(const kube::Reply& reply, std::string_view verb, const std::string& path) {
    return reply.problem(fmt::format("cannot {} {}", verb, path));
}

// Conditions under which a list may fail without an error.
struct Lenience {
    bool kind = false;               // the kind may be missing, as its CRD is
    std::string* refusal = nullptr;  // set: the right may be missing; gets the server's message
};

void list_page(kube::Client& kube, const std::string& path, Lenience lenience,
               const std::string& continued, Objects& out, const Next& next) {
    const std::string query =
        "limit=500" + (continued.empty() ? "" : "&continue=" + escape_url(continued));
    const auto keep = [&out](Value item) { out.push_back(std::move(item)); };
    kube.list(path, query, keep, [&kube, path, lenience, &out, next](const kube::Reply& reply) {
        if (reply.not_found()) {
            return next(lenience.kind ? std::string()
                                      : problem_of(reply, "list", path) +
                                            ": the server there is not a Kubernetes API server");
        }
        if (reply.code == kForbidden && lenience.refusal != nullptr) {
            *lenience.refusal = problem_of(reply, "list", path);
            return next({});
        }
        const Value* items = reply.ok() ? reply.object.find("items") : nullptr;
        if (items == nullptr || !items->is_list()) {
            return next(reply.ok() ? "the list of " + path + " has no items"
                                   : problem_of(reply, "list", path));
        }
        const std::string_view more = text_of(reply.object.at({"metadata", "continue"}));
        if (more.empty()) {
            return next({});
        }
        list_page(kube, path, lenience, std::string(more), out, next);
    });
}

void try_change(kube::Client& kube, const std::string& path, const Change& change, int attempts,
                const Next& next) {
    kube.get(path, [&kube, path, change, attempts, next](const kube::Reply& read) {
        if (!read.ok()) {
            return next(read.not_found() ? std::string() : problem_of(read, "read", path));
        }
        const Value operations = change(read.object);
        if (operations.is_null()) {
            return next({});
        }
        Value all = Value::list();
        all.append(operation("test", "/metadata/resourceVersion",
                             read.object.at({"metadata", "resourceVersion"})->clone()));
        for (const Value& one : operations.items()) {
            all.append(one.clone());
        }
        kube.json_patch(path, all, [&kube, path, change, attempts, next](const kube::Reply& reply) {
            const bool was_changed = reply.code == 409 || reply.code == 422;
            if (was_changed && attempts > 1) {
                return try_change(kube, path, change, attempts - 1, next);
            }
            next(reply.not_found() ? std::string() : problem_of(reply, "change", path));
        });
    });
}

struct Waiting {
    kube::Client& kube;
    Patience patience;
    std::string path, what;
    Condition condition;
    Duration end;  // uptime
};

void look_again(const std::shared_ptr<Waiting>& wait, const Next& next) {
    wait->kube.get(wait->path, [wait, next](const kube::Reply& reply) {
        const bool is_known = reply.ok() || reply.not_found();
        if (is_known && wait->condition(reply.object)) {
            return next({});
        }
        if (wait->patience.loop.uptime() >= wait->end) {
            return next(is_known ? wait->what : problem_of(reply, "read", wait->path));
        }
        wait->patience.loop.after(kPollInterval, [wait, next] { look_again(wait, next); });
    });
}

}  // namespace

const Value* find_named(const Objects& objects, std::string_view name) {
    const auto found = std::find_if(objects.begin(), objects.end(), [name](const Value& object) {
        return text_of(object, {"metadata", "name"}) == name;
    });
    return found == objects.end() ? nullptr : &*found;
}

Job list_all(kube::Client& kube, const std::string& path, Objects& out) {
    return [&kube, path, &out](const Next& next) {
        out.clear();
        list_page(kube, path, {}, {}, out, next);
    };
}

Job list_custom(kube::Client& kube, const std::string& path, Objects& out) {
    return [&kube, path, &out](const Next& next) {
        out.clear();
        list_page(kube, path, {.kind = true}, {}, out, next);
    };
}

Job list_allowed(kube::Client& kube, const std::string& path, Listed& out) {
    return [&kube, path, &out](const Next& next) {
        out = {};
        list_page(kube, path, {.refusal = &out.refusal}, {}, out.objects, next);
    };
}

Job read_object(kube::Client& kube, const std::string& path, Value& out) {
    return [&kube, path, &out](const Next& next) {
        kube.get(path, [path, &out, next](const kube::Reply& reply) {
            if (!reply.ok() && !reply.not_found()) {
                return next(problem_of(reply, "read", path));
            }
            out = reply.ok() ? reply.object.clone() : Value();
            next({});
        });
    };
}

Job create_once(kube::Client& kube, const std::string& collection, Value object) {
    return
        [&kube, collection, object = std::make_shared<Value>(std::move(object))](const Next& next) {
            kube.create(collection, *object, [collection, next](const kube::Reply& reply) {
                next(reply.reason == "AlreadyExists" ? std::string()
                                                     : problem_of(reply, "create in", collection));
            });
        };
}

Job erase_object(kube::Client& kube, const std::string& path, const std::string& uid,
                 std::string_view propagation) {
    return [&kube, path, uid, propagation = std::string(propagation)](const Next& next) {
        kube.erase(
            path, {.uid = uid},
            [path, next](const kube::Reply& reply) {
                const bool gone = reply.not_found() || reply.code == 409;
                next(gone ? std::string() : problem_of(reply, "delete", path));
            },
            propagation);
    };
}

Job change_object(kube::Client& kube, const std::string& path, Change change) {
    return [&kube, path, change = std::move(change)](const Next& next) {
        try_change(kube, path, change, kConflicts, next);
    };
}

Value annotate(const Value& object, std::initializer_list<Annotation> wanted) {
    const Value* present = object.at({"metadata", "annotations"});
    Value all = present == nullptr ? Value::map() : present->clone();
    for (const auto& [key, value] : wanted) {
        if (value.empty()) {
            all.erase(key);
        } else {
            all.put(Value(key), Value(value));
        }
    }
    const bool is_so = present == nullptr ? all.size() == 0 : all == *present;
    return is_so ? Value()
                 : Value::list({operation("add", "/metadata/annotations", std::move(all))});
}

Job only_if(kube::Client& kube, const std::string& path, Condition condition, Job job) {
    return [&kube, path, condition = std::move(condition), job = std::move(job)](const Next& next) {
        kube.get(path, [path, condition, job, next](const kube::Reply& reply) {
            if (!reply.ok() && !reply.not_found()) {
                return next(problem_of(reply, "read", path));
            }
            condition(reply.object) ? job(next) : next({});
        });
    };
}

Job wait_for(kube::Client& kube, Patience patience, const std::string& path, Condition condition,
             const std::string& what) {
    return [&kube, patience, path, condition = std::move(condition), what](const Next& next) {
        look_again(std::make_shared<Waiting>(Waiting{kube, patience, path, what, condition,
                                                     patience.loop.uptime() + patience.limit}),
                   next);
    };
}

}  // namespace runtime::operate
