#include "runtime/controller/view/object_editor.h"

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

ObjectEditor::ObjectEditor(Loop& loop, kube::Client& kube, Log& log, RandomSource& random,
                           ClusterView& view)
    : loop_(loop),
      kube_(kube),
      log_(log),
      view_(view),
      edits_(loop, random, {.first = kFirstEditRetry, .longest = kLastEditRetry},
             [this](const std::string& path) {
                 const Changes about = about_[path];
                 if (!edits_.is_busy(path)) {
                     about_.erase(path);  // an edit that has begun since looks once more
                 }
                 view_.changed(about);
             }) {}

void ObjectEditor::edit(const Target& target, Edit edit) {
    const std::string path = object_path(target);
    const bool may_begin = edits_.may_begin(path);
    if (!may_begin && !edits_.is_busy(path)) {
        return;  // after its pause it is looked at again
    }
    if (!may_begin || busy_ >= kMostAtOnce) {
        turned_away_[path].add(target.about);
        return;
    }
    turned_away_.erase(path);
    edits_.begin(path);
    about_[path] = target.about;
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
        return drop(path);  // the copies will show it
    }
    if (!reply.ok()) {
        return fail(path, reply);
    }
    if (!edit(reply.object)) {
        drop(path);
        return view_.wrote(target.source, reply.object);
    }
    kube_.replace(target.subresource.empty() ? path : path + "/" + target.subresource, reply.object,
                  written);
}

void ObjectEditor::finish(const Target& target, const Edit& edit, kube::Reply reply) {
    const std::string path = object_path(target);
    if (!reply.ok()) {
        return fail(path, reply);
    }
    view_.wrote(target.source, reply.object);
    if (edit(reply.object)) {
        // Its schema does not know the field: a retry would be a loop.
        log_.warning("the API server did not store what was written", {{"path", path}});
        release();
        return edits_.succeed(path, kRefusedPause);
    }
    release();
    edits_.succeed(path, std::max(target.pause, writes_.spend(path, loop_.uptime())));
}

void ObjectEditor::fail(const std::string& path, const kube::Reply& reply) {
    if (reply.code != 409) {
        log_.warning("cannot write", {{"path", path}, {"cause", reply.message}});
    }
    release();
    edits_.fail(path);
}

void ObjectEditor::drop(const std::string& path) {
    edits_.forget(path);
    about_.erase(path);
    release();
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

}  // namespace runtime::controller
