#include "renderer/load/binding_subjects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/load/load_testing.h"

namespace renderer::load {
namespace {

std::string account(std::string_view name, std::string_view ns = "") {
    return fmt::format("apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {}{}{}}}\n", name,
                       ns.empty() ? "" : ", namespace: ", ns);
}

std::string binding(std::string_view kind, std::string_view metadata, std::string_view subjects) {
    return fmt::format(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: {}\nmetadata: {{name: rb{}}}\n"
        "subjects:\n{}",
        kind, metadata, subjects);
}

// All rows of this file are results of `kustomize build` 5.8.1.
TEST(BindingSubjects, FollowAccountsOfTheBuild) {
    const std::string accounts = account("op") + "---\n" + account("own", "other") + "---\n";
    const Files files = {
        {"kustomization.yaml", "namespace: kc\nresources: [sa.yaml, rb.yaml, crb.yaml, x.yaml]\n"},
        {"sa.yaml", accounts},
        {"x.yaml",
         "apiVersion: example.com/v1\nkind: RoleBinding\nmetadata: {name: x, namespace: kc}\n"
         "subjects: [{name: op}]\n"},
        {"rb.yaml", binding("RoleBinding", ", namespace: kc",
                            "- kind: ServiceAccount\n"
                            "  name: op\n"
                            "- {name: op, namespace: elsewhere}\n"
                            "- {name: op, namespace: default}\n"
                            "- {name: op, namespace: kc}\n"
                            "- {name: own}\n"
                            "- {name: own, namespace: other}\n"
                            "- {name: own, namespace: third}\n"
                            "- {kind: User, name: op}\n"
                            "- {name: absent}\n"
                            "- {name: default}\n")},
        {"crb.yaml", binding("ClusterRoleBinding", "",
                             "- {name: op}\n"
                             "- {name: own, namespace: other}\n"
                             "- {name: own, namespace: default}\n")}};
    EXPECT_EQ(edited(files, "rb.yaml"), binding("RoleBinding", ", namespace: kc",
                                                "- namespace: kc\n"
                                                "  kind: ServiceAccount\n"
                                                "  name: op\n"
                                                "- {name: op, namespace: elsewhere}\n"
                                                "- {name: op, namespace: kc}\n"
                                                "- {name: op, namespace: kc}\n"
                                                "- {namespace: kc, name: own}\n"
                                                "- {name: own, namespace: kc}\n"
                                                "- {name: own, namespace: third}\n"
                                                "- {namespace: kc, kind: User, name: op}\n"
                                                "- {name: absent}\n"
                                                "- {namespace: kc, name: default}\n"));
    EXPECT_EQ(edited(files, "crb.yaml"), binding("ClusterRoleBinding", "",
                                                 "- {namespace: kc, name: op}\n"
                                                 "- {name: own, namespace: kc}\n"
                                                 "- {name: own, namespace: default}\n"));
    EXPECT_EQ(edited(files, "x.yaml"), files.at("x.yaml"));
}

TEST(BindingSubjects, FollowNoAccountThatStaysWhereItIs) {
    const std::string roles =
        binding("RoleBinding", ", namespace: sys", "- {name: op}\n- {name: op, namespace: sys}\n");
    EXPECT_EQ(edited({{"kustomization.yaml", "resources: [sa.yaml, rb.yaml]\n"},
                      {"sa.yaml", account("op", "sys")},
                      {"rb.yaml", roles}},
                     "rb.yaml"),
              roles);
}

TEST(BindingSubjects, FollowAccountsOfABase) {
    const Files files = {
        {"kustomization.yaml", "resources: [base, rb.yaml, rb2.yaml, crb.yaml]\n"},
        {"base/kustomization.yaml", "namespace: nb\nresources: [sa.yaml]\n"},
        {"base/sa.yaml", account("op", "orig")},
        {"rb.yaml", binding("RoleBinding", ", namespace: mine",
                            "- {name: op}\n- {kind: ServiceAccount, name: op, namespace: orig}\n")},
        {"rb2.yaml", binding("RoleBinding", ", namespace: mine",
                             "- {kind: ServiceAccount, name: op, namespace: orig}\n"
                             "- {kind: ServiceAccount, name: op, namespace: nb}\n")},
        {"crb.yaml", binding("ClusterRoleBinding", "", "- {name: op}\n")}};
    EXPECT_EQ(edited(files, "rb.yaml"), files.at("rb.yaml"));
    EXPECT_EQ(edited(files, "rb2.yaml"),
              binding("RoleBinding", ", namespace: mine",
                      "- {kind: ServiceAccount, name: op, namespace: nb}\n"
                      "- {kind: ServiceAccount, name: op, namespace: nb}\n"));
    EXPECT_EQ(edited(files, "crb.yaml"),
              binding("ClusterRoleBinding", "", "- {namespace: nb, name: op}\n"));
}

TEST(BindingSubjects, RefuseWhatKustomizeCannotTell) {
    const std::string file =
        account("op") + "---\n" +
        binding("ClusterRoleBinding", "", "- kind: ServiceAccount\n  name: op\n");
    const LoadedText loaded =
        load_text({{"kustomization.yaml", "resources: [a, b]\n"},
                   {"a/kustomization.yaml", "namespace: na\nresources: [x.yaml]\n"},
                   {"a/x.yaml", file},
                   {"b/kustomization.yaml", "namespace: nb\nresources: [sa.yaml]\n"},
                   {"b/sa.yaml", account("op")}});
    EXPECT_EQ(loaded.diagnostics,
              "a/x.yaml:9:3: error: ClusterRoleBinding/rb: kustomize fails: it cannot tell which "
              "ServiceAccount this subject is [ambiguous-subject]\n"
              "    9 | - kind: ServiceAccount\n"
              "      |   ^\n"
              "  found: ServiceAccount/na/op and ServiceAccount/nb/op\n"
              "  expected: a subject with the namespace of one of them\n");
}

TEST(BindingSubjects, RefuseWhatCannotBeEdited) {
    const LoadedText loaded =
        load_text({{"kustomization.yaml", "namespace: na\nresources: [x.yaml]\n"},
                   {"x.yaml", account("op") + "---\n" +
                                  binding("ClusterRoleBinding", "", "- &a {name: op}\n")}});
    EXPECT_EQ(loaded.diagnostics,
              "x.yaml:9:3: error: ClusterRoleBinding/rb: cannot write \"namespace: na\" into this "
              "subject [cannot-edit]\n"
              "    9 | - &a {name: op}\n"
              "      |   ^\n"
              "  found: a subject that uses an alias, an anchor or a tag\n"
              "  hint: write \"namespace: na\" into this file\n");
}

}  // namespace
}  // namespace renderer::load
