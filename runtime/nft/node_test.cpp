// Features of the node's kernel, or their absence, that our rules depend on.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>

#include "renderer/base/descriptor.h"
#include "runtime/nft/netlink.h"
#include "runtime/nft/socket_programs.h"

namespace runtime::nft {
namespace {

// Returns where cgroup version 2 is mounted.
std::string mount_point() {
    std::ifstream mounts("/proc/self/mounts");
    std::string device;
    std::string point;
    std::string type;
    for (std::string rest; mounts >> device >> point >> type && std::getline(mounts, rest);) {
        if (type == "cgroup2") {
            return point;
        }
    }
    return {};
}

// A cgroup with a child.
class CgroupTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(mount_point(), "") << "needs cgroups of version 2";
        ASSERT_EQ(mkdir(path.c_str(), 0755), 0) << std::strerror(errno);
        ASSERT_EQ(mkdir(child.c_str(), 0755), 0) << std::strerror(errno);
    }
    void TearDown() override {
        rmdir(child.c_str());
        rmdir(path.c_str());
    }

    // Attaches a program that allows everything, which stays as long as the cgroup exists.
    void attach(std::string_view name) const {
        bpf_insn code[2] = {};
        code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;  // register 0 = 1
        code[0].imm = 1;
        code[1].code = BPF_JMP | BPF_EXIT;
        const char license[] = "GPL";
        bpf_attr load = {};
        load.prog_type = BPF_PROG_TYPE_CGROUP_SOCK_ADDR;
        load.expected_attach_type = BPF_CGROUP_INET4_CONNECT;
        load.insns = reinterpret_cast<std::uintptr_t>(code);
        load.insn_cnt = std::size(code);
        load.license = reinterpret_cast<std::uintptr_t>(license);
        name.copy(load.prog_name, sizeof load.prog_name - 1);
        const renderer::Descriptor program(
            static_cast<int>(syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load)));
        ASSERT_GE(program.get(), 0) << std::strerror(errno);
        const renderer::Descriptor cgroup(path, O_RDONLY);
        bpf_attr attach = {};
        attach.target_fd = static_cast<std::uint32_t>(cgroup.get());
        attach.attach_bpf_fd = static_cast<std::uint32_t>(program.get());
        attach.attach_type = BPF_CGROUP_INET4_CONNECT;
        ASSERT_EQ(syscall(SYS_bpf, BPF_PROG_ATTACH, &attach, sizeof attach), 0)
            << std::strerror(errno);
    }

    const std::string path = fmt::format("{}/tailrender-test-{}", mount_point(), getpid());
    const std::string child = path + "/pod";
};

using SocketPrograms = CgroupTest;

TEST_F(SocketPrograms, AreNamed) {
    auto none = connect_programs(child);
    ASSERT_TRUE(none.has_value()) << none.error().diagnostic.message;
    EXPECT_TRUE(none->empty());
    EXPECT_EQ(warning_of(*none), "");

    attach("cil_sock4_conne");
    auto found = connect_programs(child);
    ASSERT_TRUE(found.has_value()) << found.error().diagnostic.message;
    EXPECT_EQ(*found, std::vector<std::string>{"cil_sock4_conne"});
    EXPECT_EQ(warning_of(*found),
              "programs of the node (cil_sock4_conne) choose where sockets of this pod connect to; "
              "if they balance connections to Services, as Cilium's kube-proxy replacement does, "
              "packets that are forwarded to a ClusterIP get no answer: set Cilium's Helm value "
              "\"socketLB.hostNamespaceOnly\" to true (\"bpf-lb-sock-hostns-only\" in the "
              "ConfigMap cilium-config); if it is set, ignore this message");
}

TEST_F(SocketPrograms, TakeTheRightToAsk) {
    ASSERT_EQ(seteuid(65534), 0);
    auto asked = connect_programs(child);
    ASSERT_EQ(seteuid(0), 0);
    ASSERT_FALSE(asked.has_value());
    EXPECT_EQ(asked.error().diagnostic.message,
              "cannot ask for the socket programs of " + child + ": Operation not permitted");
    EXPECT_EQ(connect_programs(path + "/absent").error().diagnostic.message,
              "cannot ask for the socket programs of " + path +
                  "/absent: No such file or "
                  "directory");
}

// Makes this thread see a kernel that was built without nftables.
void lose_nftables() {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_NETFILTER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter = {.len = std::size(code), .filter = code};
    ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0) << std::strerror(errno);
}

TEST(OldKernel, IsNamed) {
    std::thread([] {
        lose_nftables();
        for (auto& problem : {open_kernel().error(), read_all_tables().error()}) {
            EXPECT_EQ(problem.diagnostic.message,
                      "the kernel has no nftables: Protocol not supported");
            EXPECT_EQ(problem.diagnostic.hint,
                      "the node needs Linux 5.6 or later with CONFIG_NF_TABLES; with an older "
                      "kernel, use the dataplane containerboot in iptables mode");
        }
    }).join();
}

}  // namespace
}  // namespace runtime::nft
