// Files that the kubelet mounts from objects, and brings up to date within some 90 seconds. Where
// the pod may watch the objects, their texts are known at once, and a file's is that of its object.
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

namespace runtime {

class FollowedFiles {
public:
    struct File {
        std::string key;  // of the object's data or binaryData
        std::string path;
    };
    // All references outlive it.
    FollowedFiles(Loop& loop, Log& log, RandomSource& random)
        : loop_(loop), log_(log), random_(random) {}

    // `changed` is called whenever one of them has another text. Here and below, of no files
    // nothing is asked.
    void follow(KubeClient& kube, const renderer::Kind& kind, const std::string& ns,
                const std::string& name, const std::vector<File>& files,
                const std::function<void()>& changed);

    // Asks for the object once. `done` is told whether to follow it: not what is not there, or may
    // not be read. Who does not answer soon may do so later.
    void ask(KubeClient& kube, const renderer::Kind& kind, const std::string& ns,
             const std::string& name, const std::vector<File>& files,
             const std::function<void(bool is_followed)>& done);

    // As read_if_there: no such file is an empty one.
    [[nodiscard]] renderer::Result<std::string> read(const std::string& path) const;
    // What cannot be read is empty, too.
    [[nodiscard]] std::string text_of(const std::string& path) const;

private:
    // Whether a text is another one.
    bool take(const renderer::Value& object, bool is_secret, const std::vector<File>& files);

    Loop& loop_;
    Log& log_;
    RandomSource& random_;
    std::map<std::string, std::string> texts_;  // by path; only of objects that are known
    std::vector<std::unique_ptr<ObjectWatch>> watches_;
};

// The text of a key of a ConfigMap or, `is_secret`, of a Secret; "" without such a key.
std::string text_of_key(const renderer::Value& object, std::string_view key, bool is_secret);

}  // namespace runtime
