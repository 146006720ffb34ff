#include "runtime/controller/object_editor.h"

#include <fmt/format.h>

#include <utility>

namespace runtime {

using renderer::Value;

namespace {

constexpr Duration kFirstRetry = std::chrono::milliseconds(200);
constexpr Duration kLastRetry = std::chrono::minutes(2);
constexpr Duration kRefusedPause = std::chrono::minutes(10);
constexpr int kMostAtOnce = 32;  // each request takes some 50 KB

std::string object_path(const ObjectEditor::Target& target) {
    return path_of(target.source.resource, target.ns, target.name);
}

}  // namespace

void ObjectEditor::edit(const Target& target, Edit edit) {
    Attempts& attempts = attempts_[object_path(target)];
    if (!attempts.may_begin(loop_.uptime())) {
        return;
    }
    if (busy_ >= kMostAtOnce) {
        was_too_much_ = true;
        return;
    }
    attempts.begin();
    ++busy_;
    kube_.get(object_path(target), [this, target, edit = std::move(edit)](KubeReply reply) {
        take_object(target, edit, std::move(reply));
    });
}

void ObjectEditor::take_object(const Target& target, const Edit& edit, KubeReply reply) {
    const std::string path = object_path(target);
    const auto written = [this, target, edit](KubeReply its_reply) {
        finish(target, edit, std::move(its_reply));
    };
    if (reply.not_found() && target.make != nullptr) {
        Value made = target.make();
        edit(made);
        return kube_.create(path_of(target.source.resource, target.ns), made, written);
    }
    if (reply.not_found()) {
        attempts_.erase(path);  // the copies will tell
        return release();
    }
    if (!reply.ok()) {
        return fail(path, reply);
    }
    if (!edit(reply.object)) {
        attempts_.erase(path);
        release();
        return view_.wrote(target.source, reply.object);
    }
    kube_.replace(target.subresource.empty() ? path : path + "/" + target.subresource, reply.object,
                  written);
}

void ObjectEditor::finish(const Target& target, const Edit& edit, KubeReply reply) {
    const std::string path = object_path(target);
    if (!reply.ok()) {
        return fail(path, reply);
    }
    view_.wrote(target.source, reply.object);
    if (edit(reply.object)) {
        // Its schema does not know what we write: asking again would be a loop.
        log_.warning("the API server did not keep what was written", {{"path", path}});
        return pause(path, kRefusedPause);
    }
    pause(path, target.pause);
}

void ObjectEditor::fail(const std::string& path, const KubeReply& reply) {
    if (reply.code != 409) {
        log_.warning("cannot write", {{"path", path}, {"cause", reply.message}});
    }
    look_again(path, attempts_[path].fail(chance_, kFirstRetry, kLastRetry, loop_.uptime()));
}

void ObjectEditor::pause(const std::string& path, Duration delay) {
    attempts_[path].succeed(loop_.uptime() + delay);
    look_again(path, delay);
}

void ObjectEditor::release() {
    --busy_;
    if (std::exchange(was_too_much_, false)) {
        view_.changed();
    }
}

void ObjectEditor::look_again(const std::string& path, Duration delay) {
    release();
    loop_.after(delay, [this, path] {
        const auto known = attempts_.find(path);
        if (known != attempts_.end() && known->second.is_as_new(loop_.uptime())) {
            attempts_.erase(known);
        }
        view_.changed();
    });
}

}  // namespace runtime
