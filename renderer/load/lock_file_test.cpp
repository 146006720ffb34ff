#include "renderer/load/lock_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "renderer/load/load.h"
#include "renderer/load/load_testing.h"
#include "renderer/repo/memory_tree_testing.h"

namespace renderer::load {
namespace {

constexpr const char* kConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

std::string lines(Files files, repo::LoadOptions options = {}) {
    if (!options.stream && options.path.empty()) {
        options.path = ".";
    }
    Diagnostics diagnostics;
    const Loaded loaded =
        load_tree(repo::MemoryTree(std::move(files)), std::move(options), diagnostics);
    std::string out;
    for (const LockedPort& port : loaded.locked_ports) {
        out += fmt::format("{} {} {}\n", port.cluster, port.key, port.number);
    }
    return out + diagnostics.print(loaded.sources, false);
}

std::string lock(const std::string& text) {
    return lines({{"a.yaml", kConfigMap}, {"tailrender.lock.yaml", text}});
}

TEST(LockFile, PinsPortsOfAllClusters) {
    EXPECT_EQ(lines({{"a.yaml", kConfigMap}}), "");
    EXPECT_EQ(lock(""), "");
    EXPECT_EQ(lock("egressPorts: {}\n"), "");
    EXPECT_EQ(lock("egressPorts:\n"
                   "  home/out/data/pg/5432/TCP: 10000\n"
                   "  out/data/pg/5432/TCP: 10000\n"
                   "  out/data/pg/5432/UDP: 10999\n"
                   "  two/data/pg/5432/UDP: 10999\n"),
              "home out/data/pg/5432/TCP 10000\n"
              " out/data/pg/5432/TCP 10000\n"
              " out/data/pg/5432/UDP 10999\n"
              " two/data/pg/5432/UDP 10999\n");
}

TEST(LockFile, PinsNodePorts) {
    EXPECT_EQ(lock("nodePorts: {edge/0: 30500, home/edge/10: 30500}\n"),
              " edge/0 30500\nhome edge/10 30500\n");
    for (const char* wrong : {"nodePorts: {edge: 30500}\n", "nodePorts: {edge/x: 30500}\n",
                              "nodePorts: {edge/0: 0}\n", "nodePorts: {edge/0: 65536}\n",
                              "nodePorts: {edge/0: '1'}\n", "nodePorts: {a/0: 1, b/0: 1}\n"}) {
        EXPECT_NE(lock(wrong).find("[invalid-lock]"), std::string::npos) << wrong;
    }
}

TEST(LockFile, IsNeitherAManifestNorSkipped) {
    const Files files = {{"a.yaml", kConfigMap}, {"tailrender.lock.yaml", "egressPorts: {}\n"}};
    EXPECT_EQ(load_text(files).files.find("lock"), std::string::npos);
    Diagnostics diagnostics;
    repo::LoadOptions options;
    options.path = ".";
    EXPECT_EQ(load_tree(repo::MemoryTree(files), options, diagnostics).skipped_files, 0U);
}

TEST(LockFile, OfAContextDirectoryOnlyWithoutOneOfItsOwn) {
    const std::string first = "egressPorts: {a/b/c/1/TCP: 10001}\n";
    const std::string second = "egressPorts: {a/b/c/1/TCP: 10002}\n";
    repo::LoadOptions options;
    options.path = "tree";
    options.context_dirs = {"facts"};
    EXPECT_EQ(lines({{"tree/a.yaml", kConfigMap},
                     {"tree/tailrender.lock.yaml", first},
                     {"facts/tailrender.lock.yaml", second}},
                    options),
              " a/b/c/1/TCP 10001\n");
    EXPECT_EQ(lines({{"tree/a.yaml", kConfigMap}, {"facts/tailrender.lock.yaml", second}}, options),
              " a/b/c/1/TCP 10002\n");
    options.stream = kConfigMap;
    options.path = "";
    EXPECT_EQ(
        lines({{"tailrender.lock.yaml", first}, {"facts/tailrender.lock.yaml", second}}, options),
        " a/b/c/1/TCP 10002\n");
}

TEST(LockFile, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(lock("egressPort: {}\n"),
              "tailrender.lock.yaml:1:1: error: unknown key \"egressPort\" in tailrender.lock.yaml "
              "[unknown-key]\n"
              "    1 | egressPort: {}\n"
              "      | ^\n"
              "  expected: one of { egressPorts, nodePorts }\n"
              "  hint: did you mean \"egressPorts\"?\n");
    EXPECT_EQ(
        lock("egressPorts:\n  out/pg/5432/TCP: 10698\n"),
        "tailrender.lock.yaml:2:3: error: invalid key \"out/pg/5432/TCP\" of egressPorts "
        "[invalid-lock]\n"
        "    2 |   out/pg/5432/TCP: 10698\n"
        "      |   ^\n"
        "  expected: group/namespace/name/port/TCP or …/UDP, with the cluster before it where "
        "there are several\n"
        "  hint: run tailrender render --update-lock\n");
    EXPECT_EQ(lock("egressPorts:\n  out/data/pg/5432/TCP: 9002\n"),
              "tailrender.lock.yaml:2:25: error: \"out/data/pg/5432/TCP\" has no port of "
              "egressPorts [invalid-lock]\n"
              "    2 |   out/data/pg/5432/TCP: 9002\n"
              "      |                         ^\n"
              "  found: 9002\n"
              "  expected: a number from 10000 to 10999\n"
              "  hint: run tailrender render --update-lock\n");
    EXPECT_EQ(lock("egressPorts: {a/b/c/1/TCP: 10001, a/b/d/1/TCP: 10001}\n"),
              " a/b/c/1/TCP 10001\n a/b/d/1/TCP 10001\n"
              "tailrender.lock.yaml:1:35: error: port 10001 is assigned twice [invalid-lock]\n"
              "    1 | egressPorts: {a/b/c/1/TCP: 10001, a/b/d/1/TCP: 10001}\n"
              "      |                                   ^\n"
              "  expected: a unique port for every line\n"
              "  hint: remove the newer line, then run tailrender render --update-lock\n"
              "tailrender.lock.yaml:1:15: note: the other line\n");
}

}  // namespace
}  // namespace renderer::load
