#include "renderer/plan/install/controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "renderer/core/json.h"
#include "renderer/plan/settings/settings_testing.h"

namespace renderer::plan {
namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file.good()) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \"`");
    return first == std::string_view::npos
               ? std::string()
               : std::string(text.substr(first, text.find_last_not_of(" \"`") - first + 1));
}

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream{std::string(text)};
    for (std::string part; std::getline(stream, part, at);) {
        parts.push_back(trimmed(part));
    }
    return parts;
}

// The cells of the first table after a line that starts with `heading`, without its two head lines.
std::vector<std::vector<std::string>> table_after(std::string_view heading) {
    std::istringstream page(read_file(TESTDATA "/contract/controller.md"));
    std::vector<std::vector<std::string>> rows;
    std::string line;
    while (std::getline(page, line) && !line.starts_with(heading)) {
    }
    while (std::getline(page, line)) {
        if (line.starts_with("|")) {
            rows.push_back(split(std::string_view(line).substr(1), '|'));
        } else if (!rows.empty()) {
            break;
        }
    }
    EXPECT_GT(rows.size(), 2U) << heading;
    rows.erase(rows.begin(), rows.begin() + 2);
    return rows;
}

Value words(std::string_view cell) {
    Value list = Value::list();
    for (const std::string& word : split(cell, ',')) {
        list.append(word);
    }
    return list;
}

Value rules_of(const std::vector<std::vector<std::string>>& rows) {
    Value rules = Value::list();
    for (const std::vector<std::string>& row : rows) {
        EXPECT_EQ(row.size(), 5U);
        EXPECT_FALSE(row[4].empty()) << "a rule without a reason: " << row[1];
        Value rule = Value::map({{"apiGroups", Value::list({Value(row[0])})},
                                 {"resources", words(row[1])},
                                 {"verbs", words(row[3])}});
        put_if(rule, !row[2].empty(), "resourceNames", words(row[2]));
        rules.append(std::move(rule));
    }
    return rules;
}

Settings of_release(std::string_view release, std::string_view values = "") {
    return std::move(
        Decoded({fmt::format("tailrender: {{operatorVersion: {}}}\n{}", release, values)})
            .settings);
}

TEST(ControllerRules, AreThoseOfTheContract) {
    EXPECT_EQ(write_json_sorted(controller_cluster_rules()),
              write_json_sorted(rules_of(table_after("ClusterRole `tailscale-operator`"))));
    EXPECT_EQ(write_json_sorted(controller_rules(of_release("1.104.5"))),
              write_json_sorted(rules_of(table_after("Role `operator`"))));
    EXPECT_EQ(write_json_sorted(controller_api_rules()),
              write_json_sorted(rules_of(table_after("Role with the controller's name"))));
}

// A Secret with the right type would get the token of the account that impersonates.
TEST(ControllerRules, CreateNoSecretInTheNamespaceOfTheApiProxy) {
    const Value rules = controller_api_rules();
    for (const Value& rule : rules.items()) {
        EXPECT_NE(rule.find("resourceNames"), nullptr) << write_json_sorted(rule);
        EXPECT_EQ(write_json_sorted(*rule.find("verbs")).find("create"), std::string::npos);
    }
}

// (group, resource, verb) of every rule.
std::vector<std::string> rights(const Value& rules) {
    std::vector<std::string> all;
    for (const Value& rule : rules.items()) {
        for (const Value& resource : rule.find("resources")->items()) {
            for (const Value& verb : rule.find("verbs")->items()) {
                all.push_back(fmt::format("{}/{} {}", rule.at({"apiGroups"})->items()[0].text(),
                                          resource.text(), verb.text()));
            }
        }
    }
    return all;
}

// The rules of the operator, as its chart prints them.
Value reference_rules(std::string_view kind, std::string_view name) {
    SourceMap sources;
    Diagnostics diagnostics;
    const std::string stream = read_file(TESTDATA "/chart-streams/default.yaml");
    std::size_t begin = 0;
    while (begin != std::string::npos) {
        const std::size_t end = stream.find("\n---\n", begin);
        const Value root = parse(sources, stream.substr(begin, end - begin), diagnostics);
        if (root.is_map() && root.find("kind")->text() == kind &&
            root.at({"metadata", "name"})->text() == name) {
            return root.find("rules")->clone();
        }
        begin = end == std::string::npos ? end : end + 5;
    }
    return Value::list();
}

TEST(ControllerRules, ATokenIsOfItsOwnAccountOnly) {
    const Value rules = controller_rules(of_release("1.104.5", "fullnameOverride: front"));
    EXPECT_EQ(
        write_json_sorted(rules.items().back()),
        R"({"apiGroups":[""],"resourceNames":["front"],"resources":["serviceaccounts/token"],)"
        R"("verbs":["create"]})");
    EXPECT_EQ(rules.size(), controller_rules(of_release("1.100.0")).size() + 1);
}

TEST(ControllerRules, AreNotWiderThanTheReferences) {
    const std::vector<std::string> extra = {
        "/pods delete", "coordination.k8s.io/leases create", "coordination.k8s.io/leases get",
        "coordination.k8s.io/leases update",
        // Charts have them since 1.102.
        "tailscale.com/peerrelays get", "tailscale.com/peerrelays list",
        "tailscale.com/peerrelays watch", "tailscale.com/peerrelays/status update"};
    const std::vector<std::pair<Value, Value>> pairs = [] {
        std::vector<std::pair<Value, Value>> made;
        made.emplace_back(controller_cluster_rules(),
                          reference_rules("ClusterRole", "tailscale-operator"));
        made.emplace_back(controller_rules(of_release("1.100.0")),
                          reference_rules("Role", "operator"));
        return made;
    }();
    for (const auto& [ours, theirs] : pairs) {
        std::vector<std::string> allowed = rights(theirs);
        ASSERT_FALSE(allowed.empty());
        allowed.insert(allowed.end(), extra.begin(), extra.end());
        for (const std::string& right : rights(ours)) {
            EXPECT_NE(std::ranges::find(allowed, right), allowed.end()) << right;
        }
    }
}

std::vector<std::string> env_names(const Settings& settings) {
    std::vector<std::string> names;
    const Value env = controller_env(settings);
    for (const Value& entry : env.items()) {
        names.emplace_back(entry.find("name")->text());
    }
    return names;
}

TEST(ControllerEnv, HasTheNamesOfTheContractInItsOrder) {
    std::vector<std::string> secret;
    std::vector<std::string> workload;
    for (const std::vector<std::string>& row : table_after("In this order.")) {
        const bool files = row[2].starts_with("credentials from");
        if (row[2] != "workload identity") {
            secret.push_back(row[0]);
        }
        if (!files) {
            workload.push_back(row[0]);
        }
    }
    const std::string all =
        "loginServer: https://a.example\n"
        "apiServerProxyConfig: {mode: 'true'}\n"
        "tailrender: {cleanupDelay: 1m, takeOverTag: 'tag:one', apiProxyNamespace: api}\n";
    EXPECT_EQ(env_names(Decoded({all}).settings), secret);
    EXPECT_EQ(env_names(Decoded({all + "oauth: {audience: a, clientId: b}"}).settings), workload);
}

TEST(ControllerEnv, ValuesComeFromTheSettings) {
    const Decoded decoded(
        {"operatorConfig: {logging: debug}\n"
         "proxyConfig: {defaultTags: 'tag:a, tag:b'}\ningressClass: {name: ts}"});
    EXPECT_EQ(
        write_json_sorted(controller_env(decoded.settings)),
        R"([{"name":"OPERATOR_LOGGING","value":"debug"},)"
        R"({"name":"OPERATOR_NAMESPACE","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},)"
        R"({"name":"OPERATOR_INGRESS_CLASS_NAME","value":"ts"},)"
        R"({"name":"CLIENT_ID_FILE","value":"/oauth/client_id"},)"
        R"({"name":"CLIENT_SECRET_FILE","value":"/oauth/client_secret"},)"
        R"({"name":"PROXY_TAGS","value":"tag:a,tag:b"},)"
        R"({"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},)"
        R"({"name":"POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}}])");
}

TEST(ControllerEnv, HasOurSettingsThatAreNotTheDefault) {
    const auto last = [](std::string_view values) {
        const Decoded decoded({std::string(values)});
        const Value env = controller_env(decoded.settings);
        return write_json_sorted(env.items().back());
    };
    EXPECT_EQ(last("tailrender: {cleanupDelay: 1h0m2s}"),
              R"({"name":"CLEANUP_DELAY_SECONDS","value":"3602"})");
    EXPECT_EQ(last("tailrender: {cleanupDelay: 0s}"),
              R"({"name":"CLEANUP_DELAY_SECONDS","value":"0"})");
    EXPECT_EQ(last("tailrender: {takeOverTag: 'tag:one'}"),
              R"({"name":"TAKE_OVER_TAG","value":"tag:one"})");
    EXPECT_EQ(last("tailrender: {cleanupDelay: 300s}").find("CLEANUP"), std::string::npos);
}

TEST(ControllerEnv, HasTheNamespaceOfAnApiProxyThatImpersonates) {
    const auto tells = [](std::string_view values) {
        return write_json_sorted(controller_env(Decoded({std::string(values)}).settings))
                   .find(R"({"name":"API_PROXY_NAMESPACE","value":"api"})") != std::string::npos;
    };
    EXPECT_TRUE(tells("apiServerProxyConfig: {mode: true}\ntailrender: {apiProxyNamespace: api}"));
    EXPECT_FALSE(
        tells("apiServerProxyConfig: {mode: noauth}\n"
              "tailrender: {apiProxyNamespace: api}"));
    EXPECT_FALSE(
        tells("apiServerProxyConfig: {mode: true}\n"
              "tailrender: {namespace: api, apiProxyNamespace: api}"));
    EXPECT_FALSE(tells("tailrender: {apiProxyNamespace: api}"));
}

TEST(ControllerEnv, ExtraNamesAreUniqueAndOnlyWhatTheControllerReads) {
    const Decoded decoded(
        {"operatorConfig:\n  extraEnv:\n"
         "  - {name: HTTPS_PROXY, value: a}\n"
         "  - {name: PROXY_PRIORITY_CLASS_NAME, value: high}\n"
         "  - {name: NO_PROXY, value: b}\n"
         "  - {name: HTTPS_PROXY, value: c}\n"});
    const Value env = controller_env(decoded.settings);
    ASSERT_EQ(env.size(), 10U);
    EXPECT_EQ(write_json_sorted(env.items()[8]), R"({"name":"NO_PROXY","value":"b"})");
    EXPECT_EQ(write_json_sorted(env.items()[9]), R"({"name":"HTTPS_PROXY","value":"c"})");
}

TEST(MakeController, LeavesEveryOtherFieldOfTheContainer) {
    SourceMap sources;
    Diagnostics diagnostics;
    Value container = parse(sources,
                            "name: operator\nimage: x\ncommand: [/bin/x]\nargs: [a]\n"
                            "env: [{name: A, value: b}]\nresources: {limits: {cpu: 1}}\n"
                            "startupProbe: {exec: {command: [x]}}\n"
                            "volumeMounts: [{name: oauth, mountPath: /oauth}]",
                            diagnostics);
    const Decoded decoded({"tailrender: {image: {repository: r/t, tag: edge}}"});
    make_controller(container, decoded.settings);
    container.erase("env");
    EXPECT_EQ(write_json_sorted(container),
              R"({"args":["controller"],"image":"r/t:edge","imagePullPolicy":"Always",)"
              R"("livenessProbe":{"httpGet":{"path":"/healthz","port":9002}},"name":"operator",)"
              R"("ports":[{"containerPort":9002,"name":"http","protocol":"TCP"}],)"
              R"("readinessProbe":{"httpGet":{"path":"/readyz","port":9002}},)"
              R"("resources":{"limits":{"cpu":1}},)"
              R"("volumeMounts":[{"mountPath":"/oauth","name":"oauth"}]})");
}

TEST(ControllerPullPolicy, FollowsTheImageUnlessSet) {
    const auto policy = [](std::string_view yaml) {
        return controller_pull_policy(Decoded({yaml}).settings);
    };
    EXPECT_EQ(policy("{}"), "IfNotPresent");
    EXPECT_EQ(policy("tailrender: {image: {tag: latest}}"), "Always");
    EXPECT_EQ(policy("tailrender: {image: {digest: 'sha256:ab'}}"), "IfNotPresent");
    EXPECT_EQ(policy("tailrender: {image: {pullPolicy: Never}}"), "Never");
}

}  // namespace
}  // namespace renderer::plan
