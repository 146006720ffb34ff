// A copy of all objects of a kind, each reduced to the used fields.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/text_of.h"
#include "runtime/base/text.h"
#include "runtime/kube/watch.h"

namespace runtime::controller {

// Returns "namespace/name", or "name" of an object without a namespace.
inline std::string key_of(const renderer::Value& object) {
    const std::string_view ns = renderer::text_of(object.at({"metadata", "namespace"}));
    const std::string_view name = renderer::text_of(object.at({"metadata", "name"}));
    return ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
}

template <typename T>
class Mirror : public kube::WatchSink {
public:
    using Decode = std::optional<T> (*)(const renderer::Value&);
    struct Versioned : T {
        std::uint64_t version = 0;  // 0: from before the list; a restored etcd counts again
    };
    using Objects = std::map<Text, Versioned, std::less<>>;
    // `before` is nullptr for a new object, `after` for a deleted one. Both are nullptr, with an
    // empty key, when the first list is complete.
    using Changed = std::function<void(std::string_view key, const T* before, const T* after)>;
    // `decode` returns no value for objects that are not relevant. `changed` is called after every
    // change of T.
    Mirror(Decode decode, Changed changed) : decode_(decode), changed_(std::move(changed)) {}

    [[nodiscard]] bool complete() const { return complete_; }
    // A new number after every change of T.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    [[nodiscard]] const Objects& objects() const { return objects_; }
    [[nodiscard]] const T* find(const std::string& key) const {
        const auto found = objects_.find(key);
        return found == objects_.end() ? nullptr : &found->second;
    }

    void begin_list() override {
        unseen_.clear();
        for (auto& [key, object] : objects_) {
            unseen_.emplace(key.view());
            object.version = 0;
        }
    }

    void put(const renderer::Value& object) override {
        const std::string key = key_of(object);
        unseen_.erase(key);
        const std::uint64_t version = kube::version_number(object);
        const auto found = objects_.find(key);
        // Our own write may be newer than what the watch reports.
        if (found != objects_.end() && version < found->second.version) {
            return;
        }
        auto decoded = decode_(object);
        if (!decoded.has_value()) {
            return drop(key);
        }
        if (found == objects_.end()) {
            const auto made = objects_.emplace(key, Versioned{std::move(*decoded), version}).first;
            return tell(key, nullptr, &made->second);
        }
        found->second.version = version;
        if (static_cast<const T&>(found->second) != *decoded) {
            const T before = std::exchange(static_cast<T&>(found->second), std::move(*decoded));
            tell(key, &before, &found->second);
        }
    }

    void erase(const renderer::Value& object) override {
        const std::string key = key_of(object);
        const auto found = objects_.find(key);
        // Ignores an older object if it was recreated with this name since.
        if (const auto version = kube::version_number(object);
            found != objects_.end() && (version == 0 || version >= found->second.version)) {
            drop(key);
        }
    }

    void end_list() override {
        for (const std::string& key : std::exchange(unseen_, {})) {
            drop(key);
        }
        if (!std::exchange(complete_, true)) {
            changed_({}, nullptr, nullptr);
        }
    }

private:
    void tell(std::string_view key, const T* before, const T* after) {
        ++revision_;
        changed_(key, before, after);
    }
    void drop(const std::string& key) {
        if (const auto node = objects_.extract(key); !node.empty()) {
            tell(key, &node.mapped(), nullptr);
        }
    }

    Decode decode_;
    Changed changed_;
    Objects objects_;
    std::set<std::string> unseen_;
    bool complete_ = false;
    std::uint64_t revision_ = 0;
};

}  // namespace runtime::controller
