#include "renderer/schema/type_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "renderer/kube/kinds.h"

namespace renderer::schema {
namespace {

const TypedField* field_at(const ValueType* type, std::initializer_list<std::string_view> path) {
    const TypedField* field = nullptr;
    for (const std::string_view name : path) {
        while (type != nullptr && type->element != nullptr) {
            type = type->element;
        }
        field = type == nullptr || type->fields == nullptr ? nullptr : type->fields->find(name);
        type = field == nullptr ? nullptr : field->type;
    }
    return field;
}

// Reads every line of the table; a word that is not understood aborts.
TEST(TypeTable, ReadsAllKindsOfAllVersions) {
    std::string_view text = schema_table_text();
    std::size_t kinds = 0;
    for (const std::string_view version : kubernetes_versions()) {
        TypeTable table(version);
        for (std::size_t at = text.find("\nkind "); at != std::string_view::npos;
             at = text.find("\nkind ", at + 1)) {
            const std::string_view line = text.substr(at + 6, text.find('\n', at + 1) - at - 6);
            const std::size_t space = line.find(' ');
            const std::string_view kind =
                line.substr(space + 1, line.find(' ', space + 1) - space - 1);
            const ValueType* type = table.find(line.substr(0, space), kind);
            kinds += type != nullptr ? 1 : 0;
            EXPECT_TRUE(type == nullptr || type->builtin == Builtin::Any ||
                        type->fields->find("metadata") != nullptr)
                << line;
        }
    }
    EXPECT_GT(kinds, 6U * 70U);
}

TEST(TypeTable, HasTypesOfFields) {
    TypeTable table("1.37");
    const ValueType* service = table.find("v1", "Service");
    const TypedField* port = field_at(service, {"spec", "ports", "port"});
    ASSERT_NE(port, nullptr);
    EXPECT_TRUE(port->required);
    EXPECT_EQ(port->type->builtin, Builtin::Int32);
    EXPECT_EQ(field_at(service, {"spec", "ports", "targetPort"})->type->builtin,
              Builtin::IntOrString);
    EXPECT_EQ(field_at(service, {"spec", "selector"})->type->builtin, Builtin::Map);
    EXPECT_EQ(field_at(service, {"metadata", "creationTimestamp"})->type->builtin, Builtin::Time);
    const ValueType* secret = table.find("v1", "Secret");
    EXPECT_EQ(field_at(secret, {"data"})->type->element->builtin, Builtin::Bytes);
}

TEST(TypeTable, FollowsTypesThatHoldThemselves) {
    TypeTable table("1.32");
    const ValueType* crd = table.find("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const TypedField* schema = field_at(crd, {"spec", "versions", "schema", "openAPIV3Schema"});
    ASSERT_NE(schema, nullptr);
    EXPECT_EQ(field_at(schema->type, {"properties"})->type->element, schema->type);
}

TEST(TypeTable, KnowsWhatVersionsDifferIn) {
    TypeTable old("1.32");
    TypeTable latest("1.37");
    EXPECT_EQ(old.find("networking.k8s.io/v1", "ServiceCIDR"), nullptr);
    EXPECT_NE(latest.find("networking.k8s.io/v1", "ServiceCIDR"), nullptr);
    EXPECT_EQ(TypeTable::served_by("networking.k8s.io/v1", "ServiceCIDR"), "1.33-1.37");
    EXPECT_EQ(TypeTable::served_by("networking.k8s.io/v1", "Serviced"), "");
    EXPECT_EQ(TypeTable::versions_of("networking.k8s.io/v2", "ServiceCIDR", "1.32"),
              (std::vector<std::string_view>{"networking.k8s.io/v1beta1"}));
    const ValueType* pod = old.find("v1", "Pod");
    EXPECT_EQ(field_at(pod, {"spec", "hostnameOverride"}), nullptr);
    EXPECT_NE(field_at(latest.find("v1", "Pod"), {"spec", "hostnameOverride"}), nullptr);
    const std::vector<OtherField>& others = field_at(pod, {"spec"})->type->fields->others;
    const auto found = std::ranges::find(others, "hostnameOverride", &OtherField::name);
    ASSERT_NE(found, others.end());
    EXPECT_EQ(found->first, "1.34");
}

TEST(TypeTable, KnowsWhatReleasesOfTheOperatorDifferIn) {
    const OperatorSpan relays = TypeTable::releases_of("PeerRelay");
    EXPECT_FALSE(relays.holds(100));
    EXPECT_TRUE(relays.holds(102) && relays.holds(104) && relays.holds(106));
    EXPECT_TRUE(TypeTable::releases_of("Connector").holds(96));
    TypeTable table("1.37");
    const ValueType* config = table.find("tailscale.com/v1alpha1", "DNSConfig");
    const auto since = [&](std::string_view name) {
        return field_at(config, {"spec", "nameserver", "pod", name})->releases.first;
    };
    EXPECT_EQ(since("tolerations"), 0);
    EXPECT_EQ(since("affinity"), 98);
    EXPECT_EQ(since("nodeSelector"), 98);
    EXPECT_EQ(since("imagePullSecrets"), 104);
    const ValueType* relay = table.find("tailscale.com/v1alpha1", "PeerRelay");
    const TypedField* endpoints = field_at(relay, {"spec", "staticEndpoints"});
    EXPECT_EQ(endpoints->releases.first, 104);
    EXPECT_TRUE(endpoints->type->limits->is_set);
}

TEST(TypeTable, KnowsGroups) {
    EXPECT_TRUE(TypeTable::knows_group("v1"));
    EXPECT_TRUE(TypeTable::knows_group("apps/v1beta1"));
    EXPECT_TRUE(TypeTable::knows_group("tailscale.com/v1"));
    EXPECT_FALSE(TypeTable::knows_group("gateway.networking.k8s.io/v1"));
    EXPECT_FALSE(TypeTable::knows_group("extensions/v1beta1"));
}

TEST(TypeTable, HoldsLimitsOfTheReferencesKinds) {
    TypeTable table("1.34");
    const TypedField* tags =
        field_at(table.find("tailscale.com/v1alpha1", "Connector"), {"spec", "tags"});
    ASSERT_NE(tags, nullptr);
    const Limits* limits = tags->type->element->limits;
    ASSERT_NE(limits, nullptr);
    EXPECT_TRUE(limits->pattern->matches("tag:k8s"));
    EXPECT_FALSE(limits->pattern->matches("k8s"));
    const TypedField* type =
        field_at(table.find("tailscale.com/v1alpha1", "ProxyGroup"), {"spec", "type"});
    EXPECT_TRUE(type->required);
    EXPECT_EQ(type->type->limits->choices.size(), 3U);
}

TEST(TypeTable, ServesTheKindsThatWeKnow) {
    for (const Kind& kind : kKinds) {
        const std::string served = TypeTable::served_by(kind.api_version, kind.name);
        // ComponentStatus objects are never created.
        EXPECT_EQ(served.empty(), kind.name == "ComponentStatus") << kind.name;
        EXPECT_TRUE(served.empty() || served.ends_with(kubernetes_versions().back())) << kind.name;
    }
}

}  // namespace
}  // namespace renderer::schema
