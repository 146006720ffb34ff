#include "runtime/proxy/state_secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/contract/state_secret.h"
#include "renderer/core/text_of.h"

namespace runtime::proxy {

using renderer::Value;

namespace {

constexpr std::string_view kManager = "?fieldManager=tailscale-container";

}  // namespace

bool is_consistent(const SecretData& data) {
    const bool has_current = data.contains(renderer::kCurrentProfile);
    const bool has_known = data.contains(renderer::kKnownProfiles);
    const bool has_machine = data.contains(renderer::kMachineKey);
    const auto profiles = std::count_if(data.begin(), data.end(), [](const auto& entry) {
        return entry.first.starts_with(renderer::kProfilePrefix);
    });
    return (has_current && has_known && has_machine && profiles == 1) ||
           (!has_current && !has_known && !has_machine && profiles == 0);
}

OwnStateSecret::OwnStateSecret(Loop& loop, kube::Client& kube, Log& log, RandomSource& random,
                               std::string ns, std::string name)
    : loop_(loop),
      kube_(kube),
      log_(log),
      namespace_(std::move(ns)),
      name_(std::move(name)),
      backoff_(random, std::chrono::milliseconds(500), std::chrono::seconds(30)) {}

OwnStateSecret::~OwnStateSecret() {
    loop_.cancel(timer_);
}

std::string OwnStateSecret::path() const {
    return kube::path_of(kube::kSecrets, namespace_, name_);
}

void OwnStateSecret::ask_right(std::string_view verb,
                               std::function<void(std::optional<bool>)> done) {
    Value attributes =
        Value::map({{"namespace", namespace_}, {"verb", verb}, {"resource", "secrets"}});
    // A right to create cannot be limited to a name.
    put_if(attributes, verb != "create", "name", name_);
    const Value review =
        Value::map({{"apiVersion", "authorization.k8s.io/v1"},
                    {"kind", "SelfSubjectAccessReview"},
                    {"spec", Value::map({{"resourceAttributes", std::move(attributes)}})}});
    kube_.create(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review,
        [done = std::move(done), verb = std::string(verb), &log = log_](const kube::Reply& reply) {
            const Value* allowed = reply.object.at({"status", "allowed"});
            if (!reply.ok() || allowed == nullptr || !allowed->is_bool()) {
                log.info(fmt::format("error checking {} permission on Secret: {}", verb,
                                     reply.problem("asking")));
                return done(std::nullopt);
            }
            done(allowed->as_bool());
        });
}

void OwnStateSecret::ask_rights(const std::function<void(Rights)>& done) {
    struct Asking {
        Rights rights;
        std::vector<std::string> missing;
        int left = 4;
    };
    const auto asking = std::make_shared<Asking>();
    for (const std::string_view verb : {"get", "update", "patch", "create"}) {
        ask_right(verb, [this, asking, verb, done](std::optional<bool> allowed) {
            if (verb == "patch") {
                asking->rights.patch = allowed.value_or(false);
            } else if (verb == "create") {
                asking->rights.create = allowed.value_or(false);
            } else if (!allowed.value_or(true)) {
                asking->missing.push_back(
                    fmt::format("missing {} permission on secret \"{}\"", verb, name_));
            }
            if (--asking->left == 0) {
                std::sort(asking->missing.begin(), asking->missing.end());
                asking->rights.problem = fmt::format("{}", fmt::join(asking->missing, "\n"));
                done(asking->rights);
            }
        });
    }
}

void OwnStateSecret::read(std::function<void(Content)> done) {
    kube_.get(path(), [done = std::move(done)](const kube::Reply& reply) {
        Content out;
        if (reply.not_found()) {
            return done(std::move(out));
        }
        out.problem = reply.ok() ? std::string() : reply.message;
        out.exists = reply.ok();
        for (const renderer::Member& member : renderer::members_of(reply.object.find("data"))) {
            if (auto value = renderer::decode_base64(renderer::text_of(member.value))) {
                out.data.emplace(member.name(), std::move(*value));
            }
        }
        done(std::move(out));
    });
}

void OwnStateSecret::set(std::string_view key, std::optional<std::string> value) {
    const auto known = known_.find(key);
    if (known != known_.end() && known->second == value) {
        return;
    }
    known_.insert_or_assign(std::string(key), value);
    pending_.insert_or_assign(std::string(key), std::move(value));
    if (!is_writing_ && timer_ == 0) {
        timer_ = loop_.after({}, [this] { write(); });
    }
}

void OwnStateSecret::write() {
    timer_ = 0;
    is_writing_ = true;
    writing_ = std::exchange(pending_, {});
    Value data = Value::map();
    for (const auto& [key, value] : writing_) {
        data.put(key, value ? Value(renderer::encode_base64(*value)) : Value());
    }
    const Value patch =
        Value::map({{"metadata", Value::map({{"name", name_}, {"namespace", namespace_}})},
                    {"data", std::move(data)}});
    kube_.merge(path().append(kManager), patch,
                lifetime_.guarded([this](const kube::Reply& reply) { take(reply); }));
}

void OwnStateSecret::take(const kube::Reply& reply) {
    is_writing_ = false;
    if (!reply.ok()) {
        log_.warning(fmt::format("writing state Secret {}: {}", name_, reply.message));
        pending_.merge(std::exchange(writing_, {}));  // values that were set since win
        timer_ = loop_.after(backoff_.next(), [this] { write(); });
        return;
    }
    backoff_.reset();
    writing_.clear();
    if (!pending_.empty()) {
        return write();
    }
    if (const auto on_written = on_written_) {  // a copy: it may replace on_written_
        on_written();
    }
}

}  // namespace runtime::proxy
