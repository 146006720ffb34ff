// A fake of the Kubernetes API, as far as the controller uses it: objects by path with
// resourceVersions and UIDs, optimistic locking, finalizers, JSON patch, server-side apply by one
// manager, `/status`, paged lists with selectors of labels or of one name, of one namespace or of
// all, watches with a history that can be forgotten, and garbage collection of objects that only a
// deleted custom resource owned. It admits everything and defaults nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/value.h"
#include "runtime/testing/fake_network.h"

namespace runtime {

class FakeKube : public FakeServer {
public:
    HttpReply answer(const HttpRequest& request, const std::string& path,
                     const std::shared_ptr<Stream>& stream) override;

    // Write and delete an object, as other clients do.
    void put(const std::string& path, renderer::Value object);
    void erase(const std::string& path);
    // Returns the version of the newest change of any object.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    [[nodiscard]] const renderer::Value* find(const std::string& path) const;
    [[nodiscard]] std::vector<std::string> paths_below(const std::string& collection) const;
    // Returns a value of a Secret, decoded; "" if there is none.
    [[nodiscard]] std::string datum(const std::string& path, std::string_view key) const;
    void set_datum(const std::string& path, std::string_view key, std::string_view text);
    void erase_datum(const std::string& path, std::string_view key);

    // Ends all watches and forgets what happened before: they have to list again (410).
    void forget_history();
    // Ends all watches; they may continue from their last version.
    void drop_watches();
    // Breaks the connections of all watches, after sending `last_words`.
    void break_watches(std::string_view last_words = {});

    std::size_t writes = 0;             // by requests
    bool has_custom_resources = false;  // the CRDs of tailscale.com are installed
    // "ACCOUNT AUDIENCE SECONDS" of each token that was requested; the first token is "jwt-1".
    std::vector<std::string> token_requests;
    std::string own_audience = "https://kubernetes.default.svc";  // of tokens for this server
    bool may_request_tokens = true;

private:
    struct Event {
        std::uint64_t version;
        std::string path, type;
        renderer::Value object, labels_before;
    };
    struct Watcher {
        std::string collection, selector;
        std::string name;  // it watches the object of this name only; empty: all objects
        std::shared_ptr<Stream> stream;
    };

    HttpReply list(const std::string& collection, const std::map<std::string, std::string>& query);
    HttpReply watch(const std::string& collection, const std::map<std::string, std::string>& query,
                    const std::shared_ptr<Stream>& stream);
    HttpReply write_status(const HttpRequest& request, const std::string& path);
    HttpReply write(const HttpRequest& request, const std::string& path);
    HttpReply give_token(const std::string& path, const renderer::Value& asked);
    void store(const std::string& path, renderer::Value object, bool is_new);
    void collect_garbage(std::string_view owner);
    void tell(std::string_view type, const std::string& path, const renderer::Value& object,
              renderer::Value labels_before);
    static void tell(const Watcher& watcher, const Event& event);

    std::map<std::string, renderer::Value> objects_;
    std::uint64_t version_ = 1;
    std::uint64_t oldest_ = 0;
    std::vector<Event> history_;
    std::vector<Watcher> watchers_;
};

}  // namespace runtime
