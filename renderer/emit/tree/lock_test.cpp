#include "renderer/emit/tree/lock.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "renderer/base/temporary_folder_testing.h"
#include "renderer/emit/tree/files.h"

namespace renderer::emit {
namespace {

load::LockedPort port(std::string cluster, std::string key, std::int64_t number) {
    load::LockedPort made;
    made.cluster = std::move(cluster);
    made.key = std::move(key);
    made.number = number;
    return made;
}

std::string updated_text(const load::Loaded& loaded, const plan::Plan& plan) {
    const generate::Objects objects;
    LockText lock;
    lock.add({loaded, plan, objects});
    return lock.text();
}

std::string lines(const std::string& text) {
    return text.substr(text.find("egressPorts"));
}

TEST(LockText, HasTheLinesOfThisRunSorted) {
    load::Loaded loaded;
    loaded.locked_ports.push_back(port("", "out/a/gone/1/TCP", 10000));
    plan::Plan plan;
    EXPECT_EQ(updated_text(loaded, plan), "");
    plan.locked_ports.push_back(port("", "out/b/x/1/UDP", 10002));
    plan.locked_ports.push_back(port("", "out/b/x/1/TCP", 10001));
    EXPECT_EQ(updated_text(loaded, plan).find("# "), 0U);
    EXPECT_EQ(lines(updated_text(loaded, plan)),
              "egressPorts:\n  out/b/x/1/TCP: 10001\n  out/b/x/1/UDP: 10002\n");
}

TEST(LockText, HasASectionForNodePorts) {
    const load::Loaded loaded{};
    plan::Plan plan;
    plan.locked_ports.push_back(port("", "edge/0", 30500));
    plan.locked_ports.back().kind = load::LockedKind::NodePort;
    const std::string text = updated_text(loaded, plan);
    EXPECT_EQ(text.substr(text.find("nodePorts")), "nodePorts:\n  edge/0: 30500\n");
    EXPECT_EQ(text.find("egressPorts"), std::string::npos);
}

TEST(LockText, KeepsTheLinesOfOtherClusters) {
    load::Loaded loaded;
    loaded.cluster = "home";
    loaded.cluster_level = true;
    loaded.locked_ports.push_back(port("home", "out/a/gone/1/TCP", 10000));
    loaded.locked_ports.push_back(port("yes", "out/a/x/1/TCP", 10007));
    plan::Plan plan;
    plan.locked_ports.push_back(port("home", "out/b/x/1/TCP", 10001));
    EXPECT_EQ(lines(updated_text(loaded, plan)),
              "egressPorts:\n  home/out/b/x/1/TCP: 10001\n  yes/out/a/x/1/TCP: 10007\n");
}

TEST(LockText, IsOfAllClustersOfARun) {
    const generate::Objects objects;
    load::Loaded loaded[2];
    plan::Plan plans[2];
    LockText lock;
    for (int i = 0; i < 2; ++i) {
        loaded[i].cluster = i == 0 ? "home" : "away";
        loaded[i].cluster_level = true;
        loaded[i].locked_ports.push_back(port("home", "out/a/gone/1/TCP", 10000));
        loaded[i].locked_ports.push_back(port("third", "out/a/x/1/TCP", 10007));
        plans[i].locked_ports.push_back(port(loaded[i].cluster, "out/b/x/1/TCP", 10001));
        lock.add({loaded[i], plans[i], objects});
    }
    EXPECT_EQ(lines(lock.text()),
              "egressPorts:\n  away/out/b/x/1/TCP: 10001\n  home/out/b/x/1/TCP: 10001\n"
              "  third/out/a/x/1/TCP: 10007\n");
}

class WriteLock : public ::testing::Test {
protected:
    const TemporaryFolder folder_;
    const std::string path_ = folder_.path() + "/tailrender.lock.yaml";
};

TEST_F(WriteLock, TouchesTheFileOnlyWhenItChanges) {
    EXPECT_FALSE(*write_lock(path_, ""));
    EXPECT_EQ(file_kind(path_), FileKind::Missing);
    EXPECT_TRUE(*write_lock(path_, "a\n"));
    EXPECT_EQ(**read_file(path_), "a\n");
    EXPECT_FALSE(*write_lock(path_, "a\n"));
    EXPECT_TRUE(*write_lock(path_, "b\n"));
    EXPECT_EQ(**read_file(path_), "b\n");
    EXPECT_TRUE(*write_lock(path_, ""));
    EXPECT_EQ(file_kind(path_), FileKind::Missing);
}

TEST_F(WriteLock, SaysWhatTheSystemSaid) {
    std::filesystem::create_directory(path_);
    EXPECT_EQ(write_lock(path_, "a\n").error().diagnostic.where, path_);
}

}  // namespace
}  // namespace renderer::emit
