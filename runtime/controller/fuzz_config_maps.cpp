// Fuzz target: for any ConfigMap, the controller's records read back as they were written,
// configurations of pods, certificates and DNS records stay JSON, peers get addresses, names of
// Tailscale Services have their form, no tailnet is at an unsafe place, and a change of
// `tailrender-devices` keeps the data of others. The input is a ConfigMap, or the Service of an
// egress group, or both; data that are not strings are replaced by their JSON.
#include <cstdint>

#include "renderer/base/base64.h"
#include "renderer/base/check.h"
#include "renderer/base/utf8.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/tailnet_config.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"
#include "runtime/controller/ingress_groups/group_decide.h"
#include "runtime/controller/keys/tailnets.h"
#include "runtime/controller/records/dns_records.h"
#include "runtime/controller/records/ledger.h"
#include "runtime/controller/records/removal_guard.h"
#include "runtime/controller/relays/relay_objects.h"
#include "runtime/controller/view/api_proxy_config.h"
#include "runtime/testing/fake_loop.h"

namespace {

using namespace runtime;
using namespace runtime::controller;
using renderer::text_of;
using renderer::Value;

constexpr std::string_view kNamespace = "tailscale";

// Returns the map with its strings, and other values as JSON.
Value texts_in(const Value* map) {
    Value texts = Value::map();
    if (map != nullptr && map->is_map()) {
        for (const renderer::Member& member : map->members()) {
            const Value& value = member.value;
            texts.add(member.key.clone(),
                      value.is_string() ? value.clone() : Value(renderer::write_json(value)));
        }
    }
    return texts;
}

// Returns the object as the API server stores it, whose ConfigMaps hold only strings.
Value stored(const Value& input) {
    return Value::map(
        {{"metadata",
          Value::map({{"name", text_of(input.at({"metadata", "name"}))},
                      {"namespace", Value(kNamespace)},
                      {"uid", text_of(input.at({"metadata", "uid"}))},
                      {"resourceVersion", text_of(input.at({"metadata", "resourceVersion"}))},
                      {"annotations", texts_in(input.at({"metadata", "annotations"}))}})},
         {"data", texts_in(input.find("data"))}});
}

void check_text(std::string_view text) {
    CHECK(renderer::find_bad_utf8(text) == std::string_view::npos);
}

Value read_map(std::string_view json) {
    auto value = renderer::read_json(json);
    CHECK(value && value->is_map());
    return std::move(*value);
}

void check_tailnet(const Value& map) {
    if (const auto config = renderer::decode_tailnet(map)) {
        check_text(config->name);
        check_text(config->secret_name);
        check_text(config->login_url);
        CHECK(!config->login_url.ends_with('/'));
        const bool is_safe = unsafe_tailnet(*config, "http://own").empty();
        CHECK(!is_safe || config->login_url.starts_with("https://") ||
              config->login_url == "http://own");
        CHECK(!is_safe || config->secret_name.find_first_of("/ ;") == std::string::npos);
    }
}

void check_dns(const Value& input) {
    Value both = input.clone();
    Value binary = texts_in(input.find("binaryData"));
    for (renderer::Member& member : binary.members()) {
        member.value = Value(renderer::encode_base64(member.value.text()));
    }
    both.put("binaryData", std::move(binary));
    Mirror<DnsService>::Objects services;
    Mirror<EgressNames>::Objects groups;
    const auto service = decode_dns_service(both);
    const auto group = decode_egress_names(both);
    if (service && group) {
        services["tailscale/a"] = {*service};
        groups[fmt::format("tailscale/{}-egress-config", service->group)] = {*group};
    }
    const Value records = read_map(dns_records({}, services, groups, {}, kNamespace));
    CHECK(records.at({"ip4"}) != nullptr);
    if (service && group && !group->names.contains(service->parent)) {
        CHECK(records.at({"ip4"})->size() == 0 && records.find("ip6") == nullptr);
    }
}

void check_offer(const GroupConfig& group, const Offer& offer) {
    CHECK(offer.name.starts_with("svc:") &&
          renderer::is_dns1123_label(std::string_view(offer.name).substr(4)));
    CHECK(!offer.parent.empty() && !offer.ports.empty() && !offer.tags.empty());
    const auto certificate = decode_certificate(
        read_map(renderer::write_json(certificate_secret(kNamespace, group.name, offer))));
    CHECK(certificate && certificate->name == offer.certificate && certificate->hash.empty());
}

void check_configs(const GroupConfig& group) {
    std::set<std::string> filled;
    for (const Offer& offer : group.offers) {
        filled.insert(offer.certificate);
    }
    const auto configs = desired_configs(group, filled);
    CHECK(configs.size() == group.proxies.size());
    for (const auto& [pod, config] : configs) {
        CHECK(group.proxies.contains(pod));
        CHECK(read_map(config).find(renderer::kConfigKeyField) == nullptr);
        const std::string complete = complete_config(config, "tskey-auth-1");
        CHECK(text_of(read_map(complete).find(renderer::kConfigKeyField)) == "tskey-auth-1");
        CHECK(config_without_key(complete) == config);
    }
}

void check_group(const Value& map) {
    const auto config = decode_group(map);
    if (!config) {
        return;
    }
    check_text(config->problem);
    for (const Offer& offer : config->offers) {
        check_offer(*config, offer);
    }
    check_configs(*config);
    ProxySet set;
    set.tailnet = "lab";
    const std::map<std::string, Group> groups = {
        {config->name, {.config = &*config, .set = &set, .pods = {}, .states = {}, .auths = {}}}};
    const AllOffered offered = all_offered(groups);
    const ServiceRecords records = desired_records(
        {.old = {}, .offered = offered, .untouched = {}, .certificates = {}, .told = {}}, Time());
    CHECK(records.size() == config->offers.size());
    const AddressTable table{.version = {}, .data = {{"services", write_records(records)}}};
    CHECK(read_records(table) == records);
    for (const auto& [key, record] : records) {
        const RecordName name = split_record_key(key);
        CHECK(name.tailnet == "lab" && record_key(name.tailnet, name.service) == key);
    }
}

void check_relay(const Value& map) {
    const auto relay = decode_relay(map);
    if (!relay) {
        return;
    }
    check_text(relay->problem);
    for (const auto& [pod, configs] : relay->configs) {
        const RelayContent content = relay_content(*relay, pod, {"192.0.2.1", "2001:db8::1"});
        CHECK(content.data.size() == configs.size());
        Value written = relay_secret(kNamespace, relay->name, pod);
        put_content(written, content);
        const auto secret = decode_relay_secret(read_map(renderer::write_json(written)));
        CHECK(secret && secret->pod == pod && says(*secret, content));
        for (const auto& [key, config] : content.data) {
            CHECK(read_map(config).find("Version") != nullptr);
        }
        std::string last;
        for (const Endpoint& endpoint : secret->endpoints()) {
            CHECK(last < endpoint.address && ip_text(endpoint.address) == endpoint.address);
            last = endpoint.address;
        }
    }
}

void check_table(const Value& map) {
    const auto table = decode_address_table(map);
    const auto records = table ? read_records(*table) : std::nullopt;
    const auto told = table ? read_told(*table) : std::nullopt;
    if (!records || !told) {
        return;
    }
    const AddressTable written{.version = table->version,
                               .data = desired_table({.records = *records,
                                                      .told = *told,
                                                      .owner = "tailrender-1",
                                                      .known = {},
                                                      .old = table->data})};
    const auto again =
        decode_address_table(read_map(renderer::write_json(address_table(kNamespace, written))));
    CHECK(again && *again == written);
    CHECK(read_records(*again) == records && read_told(*again) == told);
}

// Holds one ConfigMap, as given or as written.
class Server : public Transport {
public:
    explicit Server(Loop& loop) : loop_(loop) {}

    RequestId send(HttpRequest request, std::function<void(HttpReply)> done,
                   std::function<void(std::string_view)> /*on_data*/) override {
        if (request.method != "GET") {
            text = std::move(request.body);
            ++writes;
        }
        loop_.after(Duration(1),
                    [this, done = std::move(done)] { done({.status = 200, .body = text}); });
        return 1;
    }
    void cancel(RequestId /*id*/) override {}

    std::string text;
    int writes = 0;

private:
    Loop& loop_;
};

void check_ledger(const Value& map) {
    static Log log(Log::Form::Text, LogLevel::Error);
    FakeLoop loop;
    Server server(loop);
    kube::Client client(server, {.server = "https://kube", .ca_file = "", .token_file = ""});
    RandomSource random(1);
    ClusterView view(loop, client, log, random, std::string(kNamespace));
    ObjectEditor editor(loop, client, log, random, view);
    Ledger ledger(view, editor);
    server.text = renderer::write_json(map);
    view.wrote(view.config_maps(), map);
    RemovalGuard guard(ledger, log, {.blocked = kBlockedKey, .removed = kRemovedKey}, "proxies");
    const Departures departures{.leaving = {"a-0", "b-0"}, .wanted = 1000};
    GuardAnswer answer;
    const auto reconcile = [&] {
        answer =
            guard.ask(departures, loop.now());  // few enough to be removed, whatever is recorded
        guard.write_down();
        ledger.set(std::string(kOwnerKey), "tailrender-1");
    };
    view.on_change([&reconcile](const Changes&) { reconcile(); });
    reconcile();
    CHECK(!answer.is_blocked && (answer.confirmed.empty() || !answer.recorded.token.empty()));
    loop.run_for(std::chrono::minutes(1));
    if (ledger.copy() == nullptr) {
        return;  // another ConfigMap
    }
    CHECK(ledger.find(std::string(kOwnerKey)) == "tailrender-1" && server.writes <= 2);
    CHECK(answer.is_recorded != answer.recorded.token.empty());
    const Value written = read_map(server.text);
    CHECK(mark_of(written, Value()) == "tailrender-1");
    for (const renderer::Member& member : map.find("data")->members()) {
        const Value* kept = written.at({"data", member.name()});
        CHECK(member.name() == kOwnerKey || member.name() == kBlockedKey ||
              member.name() == kRemovedKey || (kept != nullptr && *kept == member.value));
    }
}

}  // namespace

extern "C" int fuzz_config_maps(const std::uint8_t* data, std::size_t size) {
    const auto input = renderer::read_json({reinterpret_cast<const char*>(data), size});
    if (!input || !input->is_map()) {
        return 0;
    }
    const Value map = stored(*input);
    for (const Value* one : {&*input, &map}) {
        check_tailnet(*one);
        check_group(*one);
        check_relay(*one);
        check_table(*one);
        if (const auto records = decode_written_records(*one)) {
            check_text(records->text);
        }
    }
    check_dns(*input);
    check_ledger(map);
    return 0;
}
