// The controller and the pods rely on testdata/contract/peer-relay.md: its tables are compared with
// the objects of a PeerRelay that uses every row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/generate/contract_testing.h"
#include "renderer/generate/generate.h"
#include "renderer/plan/plan_testing.h"

namespace renderer::generate {
namespace {

constexpr std::string_view kPage = "peer-relay.md";

std::string with_text(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// Returns a name of the page for replica 1 of the relay "edge".
std::string filled(std::string text) {
    text = with_text(std::move(text), "<pod>", "<sts>-<n>");
    text = with_text(std::move(text), "<sts>", "peerrelay-<name>");
    text = with_text(std::move(text), "<name>", "edge");
    text = with_text(std::move(text), "<N>", "148");
    return with_text(std::move(text), "<n>", "1");
}

struct RenderedRelay {
    plan::Planned run;
    Objects objects;

    explicit RenderedRelay(std::string_view spec, std::string_view release = "1.104")
        : run(fmt::format("apiVersion: tailscale.com/v1alpha1\nkind: PeerRelay\nmetadata: {{name: "
                          "edge}}\nspec: {{{}}}\n",
                          spec),
              fmt::format("loginServer: https://hs.lan\ntailrender: {{operatorVersion: '{}'}}",
                          release)),
          objects(generate(run.plan)) {
        EXPECT_EQ(run.dump(), "");
    }
    [[nodiscard]] const Value& root(std::string_view name) const {
        const auto found = std::ranges::find(objects, name, &Object::object_name);
        EXPECT_NE(found, objects.end()) << name;
        return found->root;
    }
    [[nodiscard]] const Value& set() const { return root("StatefulSet/tailscale/peerrelay-edge"); }
    [[nodiscard]] const Value& pod() const { return *set().at({"spec", "template", "spec"}); }
    [[nodiscard]] const Value& container() const { return pod().find("containers")->items()[0]; }
};

constexpr std::string_view kTwo = "replicas: 2, staticEndpoints: ['203.0.113.7:1', '[::7]:2']";

TEST(PeerRelayContract, EveryObjectOfTheRendererAndNoOther) {
    const RenderedRelay rendered("hostnamePrefix: way, replicas: 2");
    std::vector<std::string> wanted = {"Service/tailscale/peerrelay-edge-0"};
    for (const Row& row : table_after(kPage, "## Who writes what")) {
        for (const std::string& kind : names_in(row.at(0))) {
            if (row.at(2) == "renderer" && kind != "type: LoadBalancer") {
                wanted.push_back(fmt::format("{}/tailscale/{}", kind, filled(row.at(1))));
            }
        }
    }
    std::vector<std::string> made;
    for (const Object& object : rendered.objects) {
        made.push_back(object.object_name());
        EXPECT_NE(text_of(object.root, {"metadata", "labels", "tailscale.com/parent-resource"}), "")
            << made.back();
    }
    std::ranges::sort(wanted);
    std::ranges::sort(made);
    EXPECT_EQ(made, wanted);
    EXPECT_EQ(text_of(rendered.set(), {"metadata", "annotations", "tailrender.dev/parent"}),
              "PeerRelay/edge");
    EXPECT_EQ(text_of(rendered.set(), {"metadata", "annotations", "tailrender.dev/hostname"}),
              "way-0,way-1");
}

TEST(PeerRelayContract, ConfigMapHasTheKeysOfThePage) {
    const RenderedRelay rendered(kTwo);
    const Value& map = rendered.root("ConfigMap/tailscale/tailrender-relay-edge");
    const Value& data = *map.find("data");
    for (const Row& row : table_after(kPage, "## ConfigMap")) {
        EXPECT_NE(data.find(filled(row.at(0))), nullptr) << row.at(0);
    }
    EXPECT_EQ(data.size(), 3U);
    EXPECT_EQ(text_of(map, {"metadata", "annotations", "tailrender.dev/contract"}), "v1");
    std::string want = filled(json_of(kPage, "{\"Version\""));
    for (const std::string_view value : {"https://hs.lan", "edge-1"}) {
        const std::size_t at = want.find("…");
        ASSERT_NE(at, std::string::npos) << want;
        want.replace(at, std::string_view("…").size(), value);
    }
    EXPECT_EQ(text_of(data.find("peerrelay-edge-1.cap-148.hujson")), want);
    EXPECT_EQ(text_of(data.find("static-endpoints")), R"(["203.0.113.7:1","[::7]:2"])");
}

TEST(PeerRelayContract, ConfigMapOfOlderReleasesAndOfNoReplica) {
    const RenderedRelay older("", "1.102.5");
    const Value* data = older.root("ConfigMap/tailscale/tailrender-relay-edge").find("data");
    ASSERT_EQ(data->size(), 1U);
    EXPECT_EQ(data->members()[0].name(), "peerrelay-edge-0.cap-142.hujson");
    const RenderedRelay none("replicas: 0");
    EXPECT_EQ(none.root("ConfigMap/tailscale/tailrender-relay-edge").find("data"), nullptr);
    EXPECT_EQ(none.root("Role/tailscale/peerrelay-edge").find("rules")->size(), 0U);
    EXPECT_EQ(none.pod().find("volumes"), nullptr);
}

TEST(PeerRelayContract, VolumesAndMountsInTheirOrder) {
    const RenderedRelay rendered("replicas: 2");
    const auto volumes = rendered.pod().find("volumes")->items();
    const auto mounts = rendered.container().find("volumeMounts")->items();
    const std::vector<Row> rows = table_after(kPage, "## The pods");
    ASSERT_EQ(volumes.size(), 2 * rows.size());
    ASSERT_EQ(mounts.size(), volumes.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Value& volume = volumes[2 * i + 1];  // replica 1
        const Value& mount = mounts[2 * i + 1];
        EXPECT_EQ(text_of(volume, {"name"}), filled(rows[i].at(0)));
        EXPECT_EQ(text_of(mount, {"name"}), filled(rows[i].at(0)));
        EXPECT_EQ(text_of(volume, {"secret", "secretName"}), filled(rows[i].at(1)));
        const Value* items = volume.at({"secret", "items"});
        EXPECT_EQ(items == nullptr ? "all" : text_of(items->items()[0], {"key"}), rows[i].at(2));
        EXPECT_EQ(text_of(mount, {"mountPath"}), filled(rows[i].at(3)));
        EXPECT_NE(mount.find("readOnly"), nullptr);
        EXPECT_EQ(volume.at({"secret", "optional"}), nullptr);
    }
}

TEST(PeerRelayContract, EnvironmentInItsOrder) {
    std::vector<std::string> wanted;
    for (const Row& row : table_after(kPage, "One container `tailscaled`")) {
        const std::vector<std::string> names = names_in(row.at(0));
        wanted.insert(wanted.end(), names.begin(), names.end());
    }
    const auto names = [](const RenderedRelay& rendered) {
        std::vector<std::string> found;
        for (const Value& variable : rendered.container().find("env")->items()) {
            found.emplace_back(text_of(variable, {"name"}));
        }
        return found;
    };
    const RenderedRelay rendered("");
    EXPECT_EQ(text_of(rendered.container(), {"name"}), "tailscaled");
    EXPECT_EQ(names(rendered), wanted);
    wanted.pop_back();
    const RenderedRelay without_health("", "1.102.2");
    EXPECT_EQ(names(without_health), wanted);
    EXPECT_EQ(without_health.container().find("ports"), nullptr);
}

TEST(PeerRelayContract, ServiceHasTheFieldsOfThePage) {
    const RenderedRelay rendered("replicas: 2, service: {port: 3478}");
    const Value& service = rendered.root("Service/tailscale/peerrelay-edge-1");
    const std::vector<Row> rows = table_after(kPage, "## Service `<pod>`");
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(filled(rows[0].at(1)), "statefulset.kubernetes.io/pod-name: peerrelay-edge-1");
    EXPECT_EQ(write_json(*service.at({"spec", "selector"})),
              R"({"statefulset.kubernetes.io/pod-name":"peerrelay-edge-1"})");
    EXPECT_EQ(write_json(*service.at({"spec", "ports"})),
              R"([{"name":"peerrelay","port":3478,"protocol":"UDP","targetPort":3478}])");
    EXPECT_EQ(text_of(service, {"metadata", "labels", "tailscale.com/peer-relay-replica"}), "1");
    EXPECT_NE(text_of(rendered.root("ConfigMap/tailscale/tailrender-relay-edge"),
                      {"data", "peerrelay-edge-0.cap-148.hujson"})
                  .find(R"("RelayServerPort":3478})"),
              std::string_view::npos);
}

}  // namespace
}  // namespace renderer::generate
