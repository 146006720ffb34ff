#include "runtime/testing/fake_kube.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/base/check.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/testing/url_query.h"

namespace runtime {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kCustom = "/apis/tailscale.com/";

HttpReply status(int code, std::string_view reason, const std::string& message) {
    return json_reply(
        code,
        Value::map(
            {{"kind", "Status"}, {"code", code}, {"reason", Value(reason)}, {"message", message}}));
}

HttpReply conflict(const std::string& path) {
    return status(409, "Conflict", path + " has been modified");
}
HttpReply missing(const std::string& path) {
    return status(404, "NotFound", path + " not found");
}

std::string_view collection_of(std::string_view path) {
    return path.substr(0, path.rfind('/'));
}

// True if `path` is in `collection`, which is of one namespace, or of a kind in all namespaces.
bool is_in(std::string_view path, std::string_view collection) {
    const std::string_view own = collection_of(path);
    if (own == collection) {
        return true;
    }
    const std::size_t start = own.find("/namespaces/");
    return start != std::string_view::npos && own.substr(0, start) == collection_of(collection) &&
           own.substr(own.rfind('/')) == collection.substr(start);
}

// True if the last part of the path is a plural; an object has its name there.
bool is_collection(const std::string& path) {
    const auto slashes = std::count(path.begin(), path.end(), '/');
    return path.starts_with("/api/") ? slashes == 5 || slashes == 3 : slashes == 6 || slashes == 4;
}

// The selector is `key` or `key=value`.
bool matches(const Value* labels, std::string_view selector) {
    const std::size_t equals = selector.find('=');
    const Value* found =
        labels != nullptr && labels->is_map() ? labels->find(selector.substr(0, equals)) : nullptr;
    return selector.empty() ||
           (found != nullptr &&
            (equals == std::string_view::npos || text_of(found) == selector.substr(equals + 1)));
}

bool has_name(std::string_view path, std::string_view name) {
    return name.empty() || path.substr(path.rfind('/') + 1) == name;
}

Value labels_of(const Value& object) {
    const Value* labels = object.at({"metadata", "labels"});
    return labels == nullptr ? Value() : labels->clone();
}

bool has_long_label(const Value& object) {
    const Value labels = labels_of(object);
    return labels.is_map() &&
           std::any_of(labels.members().begin(), labels.members().end(),
                       [](const renderer::Member& label) {
                           return text_of(label.value).size() > renderer::kMaxLabel;
                       });
}

bool has_long_annotations(const Value& object) {
    const Value* found = object.at({"metadata", "annotations"});
    return found != nullptr && renderer::write_json(*found).size() > std::size_t{256} << 10U;
}

std::uint64_t number(std::string_view text) {
    std::uint64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

// Does a server-side apply by the only manager of the fields.
void merge(Value& object, const Value& applied) {
    for (const renderer::Member& member : applied.members()) {
        Value* old = object.find(member.name());
        if (old != nullptr && old->is_map() && member.value.is_map()) {
            merge(*old, member.value);
        } else {
            object.put(Value(member.name()), member.value.clone());
        }
    }
}

// Applies a patch (RFC 6902): `test` of members, and their `add`, `replace` and `remove`.
bool patch_json(Value& object, const Value& operations) {
    for (const Value& operation : operations.items()) {
        std::string_view path = text_of(operation.find("path"));
        Value* at = &object;
        while (true) {
            path.remove_prefix(1);
            const std::size_t slash = path.find('/');
            std::string key(path.substr(0, slash));
            for (std::size_t i = key.find("~1"); i != std::string::npos; i = key.find("~1")) {
                key.replace(i, 2, "/");
            }
            if (slash == std::string_view::npos) {
                const std::string_view op = text_of(operation.find("op"));
                if (op == "test") {
                    const Value* found = at->is_map() ? at->find(key) : nullptr;
                    if (found == nullptr || !(*found == *operation.find("value"))) {
                        return false;
                    }
                    break;
                }
                if (op == "remove" ? !at->erase(key) : !at->is_map()) {
                    return false;
                }
                if (op != "remove") {
                    at->put(key, operation.find("value")->clone());
                }
                break;
            }
            at = at->find(key);
            if (at == nullptr || !at->is_map()) {
                return false;
            }
            path.remove_prefix(slash);
        }
    }
    return true;
}

}  // namespace

void FakeKube::tell(std::string_view type, const std::string& path, const Value& object,
                    Value labels_before) {
    history_.push_back(
        {version_, path, std::string(type), object.clone(), std::move(labels_before)});
    for (const Watcher& watcher : watchers_) {
        tell(watcher, history_.back());
    }
}

// Reports ADDED for an object that starts to match the selector, and DELETED when it stops.
void FakeKube::tell(const Watcher& watcher, const Event& event) {
    if (!is_in(event.path, watcher.collection) || !has_name(event.path, watcher.name)) {
        return;
    }
    const bool matched = matches(&event.labels_before, watcher.selector);
    const bool does_match = matches(event.object.at({"metadata", "labels"}), watcher.selector);
    if (!matched && !does_match) {
        return;
    }
    std::string type = event.type;
    if (type == "MODIFIED" && matched != does_match) {
        type = matched ? "DELETED" : "ADDED";
    }
    watcher.stream->data(
        renderer::write_json(Value::map({{"type", type}, {"object", event.object.clone()}})) +
        "\n");
}

void FakeKube::store(const std::string& path, Value object, bool is_new) {
    Value& metadata = *object.find("metadata");
    metadata.put("resourceVersion", fmt::format("{}", ++version_));
    if (is_new) {
        metadata.put("uid", fmt::format("uid-{}", version_));
    }
    Value labels_before = is_new ? Value() : labels_of(objects_.at(path));
    objects_.insert_or_assign(path, object.clone());
    tell(is_new ? "ADDED" : "MODIFIED", path, object, std::move(labels_before));
}

void FakeKube::put(const std::string& path, Value object) {
    const auto old = objects_.find(path);
    if (old != objects_.end()) {
        object.find("metadata")->put("uid", old->second.at({"metadata", "uid"})->clone());
    }
    store(path, std::move(object), old == objects_.end());
}

void FakeKube::erase(const std::string& path) {
    const auto entry = objects_.find(path);
    if (entry == objects_.end()) {
        return;
    }
    Value object = std::move(entry->second);
    objects_.erase(entry);
    object.find("metadata")->put("resourceVersion", fmt::format("{}", ++version_));
    tell("DELETED", path, object, labels_of(object));
    if (path.starts_with(kCustom)) {
        collect_garbage(text_of(object.at({"metadata", "uid"})));
    }
}

void FakeKube::collect_garbage(std::string_view owner) {
    std::vector<std::string> orphans;
    for (const auto& [path, object] : objects_) {
        const Value* owners = object.at({"metadata", "ownerReferences"});
        if (owners != nullptr && owners->size() == 1 &&
            text_of(owners->items()[0].find("uid")) == owner) {
            orphans.push_back(path);
        }
    }
    for (const std::string& path : orphans) {
        erase(path);
    }
}

const Value* FakeKube::find(const std::string& path) const {
    const auto entry = objects_.find(path);
    return entry == objects_.end() ? nullptr : &entry->second;
}

std::vector<std::string> FakeKube::paths_below(const std::string& collection) const {
    std::vector<std::string> paths;
    const std::string prefix = collection + "/";
    for (auto entry = objects_.lower_bound(prefix);
         entry != objects_.end() && entry->first.starts_with(prefix); ++entry) {
        if (collection_of(entry->first) == collection) {
            paths.push_back(entry->first);
        }
    }
    return paths;
}

std::string FakeKube::datum(const std::string& path, std::string_view key) const {
    const Value* object = find(path);
    return object == nullptr
               ? ""
               : renderer::decode_base64(text_of(object->at({"data", key}))).value_or("");
}

void FakeKube::set_datum(const std::string& path, std::string_view key, std::string_view text) {
    Value object = objects_.at(path).clone();
    if (object.find("data") == nullptr) {
        object.put("data", Value::map());
    }
    object.find("data")->put(Value(key), Value(renderer::encode_base64(text)));
    store(path, std::move(object), false);
}

void FakeKube::erase_datum(const std::string& path, std::string_view key) {
    Value object = objects_.at(path).clone();
    if (Value* data = object.find("data"); data != nullptr && data->erase(key)) {
        store(path, std::move(object), false);
    }
}

void FakeKube::forget_history() {
    oldest_ = version_;
    history_.clear();
    drop_watches();
}

void FakeKube::drop_watches() {
    for (const Watcher& watcher : std::exchange(watchers_, {})) {
        watcher.stream->end();
    }
}

void FakeKube::break_watches(std::string_view last_words) {
    for (const Watcher& watcher : std::exchange(watchers_, {})) {
        watcher.stream->data(last_words);
        watcher.stream->cut();
    }
}

HttpReply FakeKube::answer(const HttpRequest& request, const std::string& target,
                           const std::shared_ptr<Stream>& stream) {
    const std::size_t mark = target.find('?');
    const std::string path = target.substr(0, mark);
    const auto query = parse_query(
        mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1));
    if (!has_custom_resources && path.starts_with(kCustom)) {
        return missing(path);
    }
    if (query.contains("watch")) {
        return watch(path, query, stream);
    }
    if (request.method == "GET" && is_collection(path)) {
        return list(path, query);
    }
    if (request.method == "GET") {
        const Value* object = find(path);
        return object == nullptr ? missing(path) : json_reply(200, *object);
    }
    ++writes;
    const bool is_status = path.ends_with("/status");
    return is_status ? write_status(request, path.substr(0, path.rfind('/')))
                     : write(request, path);
}

HttpReply FakeKube::list(const std::string& collection,
                         const std::map<std::string, std::string>& query) {
    const auto get = [&query](const std::string& key) {
        return query.contains(key) ? query.at(key) : std::string();
    };
    const std::size_t limit = number(get("limit"));
    const std::string selector = get("labelSelector");
    const std::string name = selected_name(query);
    const std::string after = get("continue");
    Value items = Value::list();
    std::string last;
    bool more = false;
    for (const auto& [path, object] : objects_) {
        if (!is_in(path, collection) || !has_name(path, name) ||
            !matches(object.at({"metadata", "labels"}), selector) || path <= after) {
            continue;
        }
        if (limit != 0 && items.size() == limit) {
            more = true;
            break;
        }
        items.append(object.clone());
        last = path;
    }
    Value metadata = Value::map({{"resourceVersion", fmt::format("{}", version_)}});
    put_if(metadata, more, "continue", Value(last));
    return json_reply(200, Value::map({{"kind", "List"},
                                       {"metadata", std::move(metadata)},
                                       {"items", std::move(items)}}));
}

HttpReply FakeKube::watch(const std::string& collection,
                          const std::map<std::string, std::string>& query,
                          const std::shared_ptr<Stream>& stream) {
    const std::uint64_t from = number(query.at("resourceVersion"));
    const std::string selector = query.contains("labelSelector") ? query.at("labelSelector") : "";
    if (from < oldest_) {
        stream->data(R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"
                     "\n");
        stream->end();
    } else {
        watchers_.push_back({collection, selector, selected_name(query), stream});
        const auto first = std::ranges::upper_bound(history_, from, {}, &Event::version);
        for (const Event& event : std::span(first, history_.end())) {
            tell(watchers_.back(), event);
        }
    }
    HttpReply reply;
    reply.status = 200;
    return reply;
}

HttpReply FakeKube::write_status(const HttpRequest& request, const std::string& path) {
    const auto body = renderer::read_json(request.body);
    CHECK(request.method == "PUT" && body.has_value());
    const auto entry = objects_.find(path);
    if (entry == objects_.end()) {
        return missing(path);
    }
    Value object = entry->second.clone();
    if (text_of(body->at({"metadata", "resourceVersion"})) !=
        text_of(object.at({"metadata", "resourceVersion"}))) {
        return conflict(path);
    }
    const Value* status = body->find("status");
    object.put("status", status == nullptr ? Value() : status->clone());
    store(path, std::move(object), false);
    return json_reply(200, objects_.at(path));
}

HttpReply FakeKube::give_token(const std::string& path, const Value& asked) {
    if (!may_request_tokens) {
        return status(403, "Forbidden", "serviceaccounts \"operator\" is forbidden");
    }
    const std::string_view account = std::string_view(path).substr(0, path.rfind('/'));
    if (asked.at({"spec", "audiences"}) == nullptr) {
        std::string claims = renderer::encode_base64(fmt::format(
            R"({{"sub":"system:serviceaccount:tailscale:operator","aud":["{}"]}})", own_audience));
        claims.erase(std::min(claims.find('='), claims.size()));
        return json_reply(
            201, Value::map({{"status", Value::map({{"token", "head." + claims + ".sum"}})}}));
    }
    token_requests.push_back(fmt::format("{} {} {}", account.substr(account.rfind('/') + 1),
                                         asked.at({"spec", "audiences"})->items()[0].text(),
                                         asked.at({"spec", "expirationSeconds"})->text()));
    const std::string token = fmt::format("jwt-{}", token_requests.size());
    return json_reply(201, Value::map({{"status", Value::map({{"token", token}})}}));
}

HttpReply FakeKube::write(const HttpRequest& request, const std::string& path) {
    auto body = renderer::read_json(request.body);
    CHECK(body.has_value());
    if (request.method == "POST" && path.ends_with("/token")) {
        return give_token(path, *body);
    }
    if (request.method == "POST") {
        const std::string object_path =
            path + "/" + std::string(text_of(body->at({"metadata", "name"})));
        if (objects_.contains(object_path)) {
            return status(409, "AlreadyExists", object_path + " already exists");
        }
        if (has_long_label(*body)) {
            return status(422, "Invalid", object_path + " has a label of more than 63 bytes");
        }
        store(object_path, std::move(*body), true);
        return json_reply(201, objects_.at(object_path));
    }
    const auto entry = objects_.find(path);
    if (request.method == "PATCH" && body->is_map()) {
        Value object = entry == objects_.end() ? Value::map() : entry->second.clone();
        merge(object, *body);
        store(path, std::move(object), entry == objects_.end());
        return json_reply(200, objects_.at(path));
    }
    if (entry == objects_.end()) {
        return missing(path);
    }
    Value object = entry->second.clone();
    if (request.method == "DELETE") {
        for (const std::string_view field : {"uid", "resourceVersion"}) {
            const std::string_view wanted = text_of(body->at({"preconditions", field}));
            if (!wanted.empty() && wanted != text_of(object.at({"metadata", field}))) {
                return conflict(path);
            }
        }
        Value* metadata = object.find("metadata");
        if (text_of(body->find("propagationPolicy")) == "Foreground") {
            metadata->put("finalizers", Value::list({Value("foregroundDeletion")}));
        }
        const Value* finalizers = metadata->find("finalizers");
        if (finalizers == nullptr || finalizers->items().empty()) {
            erase(path);
        } else {
            metadata->put("deletionTimestamp", "2026-01-01T00:00:00Z");
            store(path, std::move(object), false);
        }
        return status(200, "", "");
    }
    if (request.method == "PUT") {
        const std::string_view version = text_of(body->at({"metadata", "resourceVersion"}));
        if (!version.empty() && version != text_of(object.at({"metadata", "resourceVersion"}))) {
            return conflict(path);
        }
        body->find("metadata")->put("uid", object.at({"metadata", "uid"})->clone());
        store(path, std::move(*body), false);
        return json_reply(200, objects_.at(path));
    }
    CHECK(request.method == "PATCH" && body->is_list());
    if (body->size() == 0) {
        --writes;  // an empty patch only reads the object
        return json_reply(200, object);
    }
    if (!patch_json(object, *body) || has_long_annotations(object)) {
        return status(422, "Invalid", "the patch does not fit");
    }
    const Value* finalizers = object.at({"metadata", "finalizers"});
    const bool is_over = object.at({"metadata", "deletionTimestamp"}) != nullptr &&
                         (finalizers == nullptr || finalizers->items().empty());
    store(path, std::move(object), false);
    HttpReply reply = json_reply(200, objects_.at(path));
    if (is_over) {
        erase(path);
    }
    return reply;
}

}  // namespace runtime
