#include "runtime/controller/view/object_editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace runtime::controller {

using renderer::Value;

namespace {

constexpr Duration kFirstEditRetry = std::chrono::milliseconds(200);
constexpr Duration kLastEditRetry = std::chrono::minutes(2);
constexpr Duration kRefusedPause = std::chrono::minutes(10);
constexpr int kMostAtOnce = 32;  // each request takes some 50 KB

std::string object_path(const ObjectEditor::Target& target) {
    return kube::path_of(target.source.kind, target.ns, target.name);
}

}  // namespace

void ObjectEditor::edit(const Target& target, Edit edit) {
    const std::string path = object_path(target);
    const auto known = attempts_.find(path);
    const bool may_begin = known == attempts_.end() || known->second.may_begin(loop_.uptime());
    if (!may_begin && !known->second.busy()) {
        return;  // after its pause it is looked at again
    }
    if (!may_begin || busy_ >= kMostAtOnce) {
        turned_away_[path].add(target.about);
        return;
    }
    turned_away_.erase(path);
    attempts_[path].begin();
    ++busy_;
    kube_.get(path, [this, target, edit = std::move(edit)](kube::Reply reply) {
        take_object(target, edit, std::move(reply));
    });
}

void ObjectEditor::take_object(const Target& target, const Edit& edit, kube::Reply reply) {
    const std::string path = object_path(target);
    const auto written = [this, target, edit](kube::Reply its_reply) {
        finish(target, edit, std::move(its_reply));
    };
    if (reply.not_found() && target.make != nullptr) {
        Value made = target.make();
        edit(made);
        return kube_.create(kube::path_of(target.source.kind, target.ns), made, written);
    }
    if (reply.not_found()) {
        attempts_.erase(path);  // the copies will show it
        return release();
    }
    if (!reply.ok()) {
        return fail(target, reply);
    }
    if (!edit(reply.object)) {
        attempts_.erase(path);
        release();
        return view_.wrote(target.source, reply.object);
    }
    kube_.replace(target.subresource.empty() ? path : path + "/" + target.subresource, reply.object,
                  written);
}

void ObjectEditor::finish(const Target& target, const Edit& edit, kube::Reply reply) {
    const std::string path = object_path(target);
    if (!reply.ok()) {
        return fail(target, reply);
    }
    view_.wrote(target.source, reply.object);
    if (edit(reply.object)) {
        // Its schema does not know the field: a retry would be a loop.
        log_.warning("the API server did not store what was written", {{"path", path}});
        return pause(target, kRefusedPause);
    }
    pause(target, std::max(target.pause, writes_.spend(path, loop_.uptime())));
}

void ObjectEditor::fail(const Target& target, const kube::Reply& reply) {
    const std::string path = object_path(target);
    if (reply.code != 409) {
        log_.warning("cannot write", {{"path", path}, {"cause", reply.message}});
    }
    look_again(target,
               attempts_[path].fail(random_, kFirstEditRetry, kLastEditRetry, loop_.uptime()));
}

void ObjectEditor::pause(const Target& target, Duration delay) {
    attempts_[object_path(target)].succeed(loop_.uptime() + delay);
    look_again(target, delay);
}

void ObjectEditor::release() {
    --busy_;
    if (turned_away_.empty()) {
        return;
    }
    Changes about;
    for (int room = kMostAtOnce - busy_; room > 0 && !turned_away_.empty(); --room) {
        about.add(std::move(turned_away_.extract(turned_away_.begin()).mapped()));
    }
    view_.changed(std::move(about));
}

void ObjectEditor::look_again(const Target& target, Duration delay) {
    release();
    loop_.after(delay, [this, path = object_path(target), about = target.about] {
        const auto known = attempts_.find(path);
        if (known != attempts_.end() && known->second.is_as_new(loop_.uptime())) {
            attempts_.erase(known);
        }
        view_.changed(about);
    });
}

}  // namespace runtime::controller
