#include "renderer/kube/operator_container.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "renderer/core/yaml_reader.h"

namespace renderer::inline kube {
namespace {

class OperatorContainer : public testing::Test {
protected:
    Value parse(std::string text) {
        const SourceId id = sources_.add("deployment.yaml", std::move(text));
        return read_yaml(sources_, id, diagnostics_);
    }

private:
    SourceMap sources_;
    Diagnostics diagnostics_;
};

TEST_F(OperatorContainer, IsKnownByItsEnvNotByItsName) {
    const std::vector<std::pair<std::string_view, bool>> rows = {
        {"{name: x, image: mirror/op, env: [{name: OPERATOR_SECRET}, {name: PROXY_IMAGE}]}", true},
        {"{name: x, env: [{name: OPERATOR_HOSTNAME}, {name: PROXY_IMAGE}]}", true},
        {"{name: operator, image: 'tailscale/k8s-operator:v1'}", false},
        {"{name: operator, env: [{name: PROXY_IMAGE}, {name: PROXY_TAGS}]}", false},
        // Our own controller, in a stream that was rendered before.
        {"{name: operator, args: [controller], env: [{name: OPERATOR_LOGGING}, {name: "
         "OPERATOR_NAMESPACE}, {name: OPERATOR_INGRESS_CLASS_NAME}, {name: PROXY_TAGS}]}",
         false},
    };
    for (const auto& [container, want] : rows) {
        const Value parsed = parse(fmt::format(
            "spec: {{template: {{spec: {{containers: [{{name: sidecar}}, {}]}}}}}}", container));
        EXPECT_EQ(operator_container(parsed) != nullptr, want) << container;
    }
    EXPECT_EQ(operator_container(parse("spec: {template: {spec: {containers: x}}}")), nullptr);
    EXPECT_EQ(operator_container(Value()), nullptr);
}

}  // namespace
}  // namespace renderer::inline kube
