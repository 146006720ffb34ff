#include "renderer/repo/walk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/repo/memory_tree_testing.h"

namespace renderer::repo {
namespace {

std::string walk(const MemoryTree& tree, const std::string& output_dir = "") {
    Diagnostics diagnostics;
    std::string text;
    for (const WalkedDir& dir : walk_tree(tree, ".", output_dir, diagnostics)) {
        text += fmt::format("{}: {}{}{}{}\n", dir.relative, fmt::join(dir.files, " "),
                            dir.has_chart ? " chart" : "", dir.in_chart ? " in-chart" : "",
                            dir.has_fleetignore ? " fleetignore" : "");
    }
    return text + diagnostics.print(SourceMap(), false);
}

TEST(Walk, SortedAndWithoutHiddenNames) {
    EXPECT_EQ(walk(MemoryTree({{"b/x.yaml", ""},
                               {"a/z.txt", ""},
                               {"a/.hidden", ""},
                               {"a/.fleetignore", ""},
                               {".git/config", ""},
                               {"a-b/k.json", ""},
                               {"top.yaml", ""}})),
              ": top.yaml\n"
              "a: z.txt fleetignore\n"
              "a-b: k.json\n"
              "b: x.yaml\n");
}

TEST(Walk, SkipsOutputAndRenderedTrees) {
    EXPECT_EQ(walk(MemoryTree({{"a.yaml", ""},
                               {"out/home/b.yaml", ""},
                               {"old/home/.tailrender-inventory", ""},
                               {"old/home/c.yaml", ""},
                               {"old/d.yaml", ""}}),
                   "./out/"),
              ": a.yaml\n"
              "old: d.yaml\n");
}

TEST(Walk, MarksCharts) {
    EXPECT_EQ(
        walk(MemoryTree({{"c/Chart.yaml", ""}, {"c/templates/x.yaml", ""}, {"d/y.yaml", ""}})),
        ": \n"
        "c: Chart.yaml chart in-chart\n"
        "c/templates: x.yaml in-chart\n"
        "d: y.yaml\n");
}

TEST(Walk, AManifestMayHaveTheNameOfFleetsFile) {
    const std::string object = "# a\n---\n---\napiVersion: v1\nkind: ConfigMap\n";
    const MemoryTree tree({{"a/fleet.yaml", object},
                           {"b/fleet.yaml", "name: b\nkind: x\n"},
                           {"c/fleet.yaml", object},
                           {"c/fleet.yml", "name: c\n"},
                           {"d/fleet.yml", ""},
                           {"e/fleet.yaml", "{apiVersion: v1, kind: List}"}});
    Diagnostics diagnostics;
    std::string text;
    for (const WalkedDir& dir : walk_tree(tree, ".", "", diagnostics)) {
        text += fmt::format("{}:{} ", dir.relative, fmt::join(dir.fleet_files, ","));
    }
    EXPECT_EQ(text, ": a: b:fleet.yaml c:fleet.yml d:fleet.yml e: ");
}

TEST(Walk, Links) {
    MemoryTree tree({{"a/x.yaml", ""}, {"a/b/z.yaml", "tailscale"}, {"c/y.yaml", ""}});
    tree.link("a/inside.yaml", "a/x.yaml");
    tree.link("a/outside.yaml", "../secret.yaml");
    tree.link("a/dir", "a");
    tree.link("a/other", "c");
    tree.link("a/gone.yaml", "a/b/none.yaml");
    tree.link("a/.gone.yaml", "a/b/none.yaml");
    EXPECT_EQ(walk(tree),
              ": \n"
              "a: inside.yaml x.yaml\n"
              "a/b: z.yaml\n"
              "c: y.yaml\n"
              "a/dir: error: symbolic links to directories are not followed [symbolic-link]\n"
              "  hint: list the directory in a kustomization, or copy it\n"
              "a/gone.yaml: error: broken symbolic link [broken-link]\n"
              "  expected: an existing target\n"
              "  hint: restore the target, or remove the link\n"
              "a/outside.yaml: error: symbolic link to a path outside the tree [symbolic-link]\n"
              "  expected: a target in the directory that is rendered\n"
              "  hint: replace the link by the file, or remove it\n");
}

}  // namespace
}  // namespace renderer::repo
