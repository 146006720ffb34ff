// Files that the kubelet mounts from ConfigMaps and Secrets, and updates with a delay of up to some
// 90 seconds. If the pod may watch an object, the text of its files comes from the object itself,
// without that delay.
// Contract: testdata/contract/proxy.md, "Followed objects".
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"
#include "runtime/proxy/object_watch.h"

namespace runtime::proxy {

class FollowedFiles {
public:
    struct File {
        std::string key;  // of the object's data or binaryData
        std::string path;
    };
    // All references outlive it.
    FollowedFiles(Loop& loop, Log& log, RandomSource& random)
        : loop_(loop), log_(log), random_(random) {}

    // Watches the object. `changed` is called whenever the text of one of its files changes. If
    // `files` is empty, this and `ask` send no request.
    void follow(kube::Client& kube, const renderer::Kind& kind, const std::string& ns,
                const std::string& name, const std::vector<File>& files,
                const std::function<void()>& changed);

    // Reads the object once. `done` gets false if the object does not exist or may not be read, and
    // true otherwise, also if the server does not answer within a few seconds.
    void ask(kube::Client& kube, const renderer::Kind& kind, const std::string& ns,
             const std::string& name, const std::vector<File>& files,
             const std::function<void(bool is_followed)>& done);

    // Returns the text of the file. As in read_if_there, a file that does not exist is empty.
    [[nodiscard]] renderer::Result<std::string> read(const std::string& path) const;
    // Like read, but a file that cannot be read is also empty.
    [[nodiscard]] std::string text_of(const std::string& path) const;

private:
    // Returns true if the text of one of the files changed.
    bool take(const renderer::Value& object, bool is_secret, const std::vector<File>& files);

    Loop& loop_;
    Log& log_;
    RandomSource& random_;
    std::map<std::string, std::string> texts_;  // by path; only of objects that were read
    std::vector<std::unique_ptr<ObjectWatch>> watches_;
};

// Returns the text of a key of a ConfigMap or, if `is_secret`, of a Secret; "" without such a key.
std::string text_of_key(const renderer::Value& object, std::string_view key, bool is_secret);

}  // namespace runtime::proxy
