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
    Slot& slot = slots_[object_path(target)];
    if (slot.busy || loop_.uptime() < slot.not_before) {
        return;
    }
    if (busy_ >= kMostAtOnce) {
        was_too_much_ = true;
        return;
    }
    slot.busy = true;
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
        slots_.erase(path);  // the copies will tell
        return release();
    }
    if (!reply.ok()) {
        return fail(path, reply);
    }
    if (!edit(reply.object)) {
        slots_.erase(path);
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
        return look_again(path, kRefusedPause);
    }
    slots_[path].backoff.reset();
    look_again(path, target.pause);
}

void ObjectEditor::fail(const std::string& path, const KubeReply& reply) {
    Slot& slot = slots_[path];
    if (slot.backoff == nullptr) {
        slot.backoff = std::make_unique<Backoff>(chance_, kFirstRetry, kLastRetry);
    }
    if (reply.code != 409) {
        log_.warning("cannot write", {{"path", path}, {"cause", reply.message}});
    }
    look_again(path, slot.backoff->next());
}

void ObjectEditor::release() {
    --busy_;
    if (std::exchange(was_too_much_, false)) {
        view_.changed();
    }
}

void ObjectEditor::look_again(const std::string& path, Duration delay) {
    Slot& slot = slots_[path];
    slot.busy = false;
    release();
    slot.not_before = loop_.uptime() + delay;
    loop_.after(delay, [this, path] {
        const auto known = slots_.find(path);
        if (known != slots_.end() && !known->second.busy && known->second.backoff == nullptr &&
            known->second.not_before <= loop_.uptime()) {
            slots_.erase(known);
        }
        view_.changed();
    });
}

}  // namespace runtime
