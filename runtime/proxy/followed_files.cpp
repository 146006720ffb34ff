#include "runtime/proxy/followed_files.h"

#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/text_of.h"
#include "runtime/proxy/config_file.h"

namespace runtime::proxy {

using renderer::Value;

namespace {

constexpr Duration kReadPatience = std::chrono::seconds(5);

}  // namespace

std::string text_of_key(const Value& object, std::string_view key, bool is_secret) {
    const Value* plain = object.at({"data", key});
    if (plain != nullptr && !is_secret) {
        return std::string(renderer::text_of(plain));
    }
    const Value* encoded = is_secret ? plain : object.at({"binaryData", key});
    return renderer::decode_base64(renderer::text_of(encoded)).value_or(std::string());
}

void FollowedFiles::follow(kube::Client& kube, const renderer::Kind& kind, const std::string& ns,
                           const std::string& name, const std::vector<File>& files,
                           const std::function<void()>& changed) {
    if (files.empty()) {
        return;
    }
    ObjectWatch::Listener listener;
    const bool is_secret = kind.name == kube::kSecrets.name;
    listener.on_object = [this, is_secret, files, changed](const Value& object) {
        if (take(object, is_secret, files)) {
            changed();
        }
    };
    listener.on_refusal = [this, files, changed] {
        std::size_t forgotten = 0;
        for (const File& file : files) {
            forgotten += texts_.erase(file.path);
        }
        if (forgotten > 0) {
            changed();
        }
    };
    watches_.push_back(std::make_unique<ObjectWatch>(loop_, kube, log_, random_, kind, ns, name,
                                                     std::move(listener)));
    watches_.back()->start();
}

bool FollowedFiles::take(const Value& object, bool is_secret, const std::vector<File>& files) {
    bool is_new = false;
    for (const File& file : files) {
        std::string text = text_of_key(object, file.key, is_secret);
        auto [known, is_first] = texts_.try_emplace(file.path);
        is_new = is_new || is_first || known->second != text;
        known->second = std::move(text);
    }
    return is_new;
}

void FollowedFiles::ask(kube::Client& kube, const renderer::Kind& kind, const std::string& ns,
                        const std::string& name, const std::vector<File>& files,
                        const std::function<void(bool is_followed)>& done) {
    if (files.empty()) {
        return done(false);
    }
    const bool is_secret = kind.name == kube::kSecrets.name;
    const auto is_over = std::make_shared<bool>(false);
    // Do not wait long: the mounted files have the same content, if older.
    loop_.after(kReadPatience, [is_over, done] {
        if (!std::exchange(*is_over, true)) {
            done(true);
        }
    });
    kube.get(kube::path_of(kind, ns, name),
             [this, is_secret, files, is_over, done](const kube::Reply& reply) {
                 if (std::exchange(*is_over, true)) {
                     return;
                 }
                 if (reply.ok()) {
                     take(reply.object, is_secret, files);
                 }
                 done(reply.code != 401 && reply.code != 403 && !reply.not_found());
             });
}

renderer::Result<std::string> FollowedFiles::read(const std::string& path) const {
    const auto known = texts_.find(path);
    return known == texts_.end() ? read_if_there(path) : renderer::Result(known->second);
}

std::string FollowedFiles::text_of(const std::string& path) const {
    auto text = read(path);
    return text ? *text : std::string();
}

}  // namespace runtime::proxy
