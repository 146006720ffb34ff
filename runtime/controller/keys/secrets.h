// The two Secrets that the controller creates for each replica. An API proxy has its key in its
// configuration, which replaces the auth Secret. Source of their shape: testdata/contract/proxy.md.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/core/value.h"
#include "runtime/controller/view/objects.h"

namespace runtime::controller {

struct MintedKey {
    std::string id, key;
    std::string created, expires;  // RFC 3339
};

// The content of an auth Secret, without its labels.
struct AuthContent {
    MintedKey key;  // all empty: blank
    std::string key_tags, restart_pod, device, device_tags;
    std::string device_name = {}, device_addresses = {}, device_words = {};
    std::string device_named = {}, device_gone = {}, tags_before = {}, tailnet = {}, hostname = {};
    std::string config = {};  // of an API proxy, without its key
};

// Returns what the auth Secret says about its replica, without its key and where it belongs.
AuthContent without_key(const AuthSecret& auth);

// `labels` are those of the StatefulSet.
renderer::Value state_secret(std::string_view ns, std::string_view pod, std::string_view set,
                             std::string_view tailnet, std::string_view labels);

// With `version` it replaces only that version.
renderer::Value auth_secret(std::string_view ns, std::string_view pod, std::string_view set,
                            std::string_view version, std::string_view labels,
                            const AuthContent& content);

// A patch that notes values on an auth Secret, which always has annotations.
using AuthNote = std::pair<std::string_view, std::string_view>;
renderer::Value noting(std::initializer_list<AuthNote> notes);

// The Secret that the key of a pod is written to.
std::string auth_name(std::string_view pod, bool is_api_proxy);

}  // namespace runtime::controller
