#include "runtime/controller/installation.h"

#include <memory>
#include <utility>

#include "renderer/contract/group_config.h"
#include "runtime/controller/records/ledger.h"

namespace runtime::controller {

using renderer::Value;

namespace {

constexpr Duration kReadRetry = std::chrono::seconds(1);

}  // namespace

void Installation::find(Found found) {
    found_ = std::move(found);
    read();
}

void Installation::read() {
    kube_.get(kube::path_of(kube::kConfigMaps, ns_, renderer::kIngressAddresses),
              [this](const kube::Reply& reply) {
                  if (reply.ok() || reply.not_found()) {
                      return read_ledger(reply.object);
                  }
                  read_again(reply);
              });
}

void Installation::read_ledger(const Value& table) {
    const auto take =
        [this, table = std::make_shared<const Value>(table.clone())](const kube::Reply& reply) {
            reply.ok() ? found_(mark_of(reply.object, *table)) : read_again(reply);
        };
    const auto take_or_create = [this, take](const kube::Reply& reply) {
        const std::string path = kube::path_of(kube::kConfigMaps, ns_);
        reply.not_found() ? kube_.create(path, empty_ledger(ns_), take) : take(reply);
    };
    kube_.get(kube::path_of(kube::kConfigMaps, ns_, kLedgerName), take_or_create);
}

void Installation::read_again(const kube::Reply& reply) {
    log_.warning("cannot read the id of this installation", {{"cause", reply.message}});
    loop_.after(kReadRetry, [this] { read(); });
}

}  // namespace runtime::controller
