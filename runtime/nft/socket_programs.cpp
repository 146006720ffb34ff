#include "runtime/nft/socket_programs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "renderer/base/descriptor.h"
#include "runtime/base/file.h"

namespace runtime::nft {

namespace {

constexpr std::size_t kMost = 64;  // limit of a cgroup (BPF_CGROUP_MAX_PROGS)
constexpr std::string_view kMount = "/sys/fs/cgroup";
constexpr std::string_view kUnified = "0::";  // the line of version 2 in /proc/self/cgroup

long bpf(bpf_cmd command, bpf_attr& attributes) {
    return syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

std::string name_of_program(std::uint32_t id) {
    bpf_attr by_id = {};
    by_id.prog_id = id;
    const renderer::Descriptor program(static_cast<int>(bpf(BPF_PROG_GET_FD_BY_ID, by_id)));
    bpf_prog_info info = {};
    bpf_attr about = {};
    about.info.bpf_fd = static_cast<std::uint32_t>(program.get());
    about.info.info_len = sizeof info;
    about.info.info = address_of(&info);
    if (program.get() < 0 || bpf(BPF_OBJ_GET_INFO_BY_FD, about) != 0) {
        return {};
    }
    return {info.name, strnlen(info.name, sizeof info.name)};
}

}  // namespace

renderer::Result<std::vector<std::string>> connect_programs(const std::string& cgroup) {
    const renderer::Descriptor folder(cgroup, O_RDONLY | O_DIRECTORY);
    std::array<std::uint32_t, kMost> ids = {};
    bpf_attr query = {};
    query.query.target_fd = static_cast<std::uint32_t>(folder.get());
    query.query.attach_type = BPF_CGROUP_INET4_CONNECT;
    query.query.query_flags = BPF_F_QUERY_EFFECTIVE;
    query.query.prog_ids = address_of(ids.data());
    query.query.prog_cnt = ids.size();
    if (folder.get() < 0 || bpf(BPF_PROG_QUERY, query) != 0) {
        return renderer::Error{
            {.rule = "socket-programs",
             .message = fmt::format("cannot ask for the socket programs of {}: {}", cgroup,
                                    std::strerror(errno))}};
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < query.query.prog_cnt && i < ids.size(); ++i) {
        names.push_back(name_of_program(ids[i]));
    }
    return names;
}

std::string own_cgroup() {
    const auto groups = read_trimmed("/proc/self/cgroup");
    const std::size_t line = groups ? groups->find(kUnified) : std::string::npos;
    if (line == std::string::npos) {
        return std::string(kMount);
    }
    // In a cgroup namespace the mount point is the process's own cgroup. Otherwise that is below
    // it.
    const std::size_t begin = line + kUnified.size();
    const std::string below =
        fmt::format("{}{}", kMount, groups->substr(begin, groups->find('\n', begin) - begin));
    return std::filesystem::is_directory(below) ? below : std::string(kMount);
}

std::string warning_of(const std::vector<std::string>& programs) {
    if (programs.empty()) {
        return {};
    }
    std::vector<std::string> names;
    names.reserve(programs.size());
    for (const std::string& name : programs) {
        names.push_back(name.empty() ? "of unknown name" : name);
    }
    return fmt::format(
        "programs of the node ({}) choose where sockets of this pod connect to; if they balance "
        "connections to Services, as Cilium's kube-proxy replacement does, packets that are "
        "forwarded to a ClusterIP get no answer: set Cilium's Helm value "
        "\"socketLB.hostNamespaceOnly\" to true (\"bpf-lb-sock-hostns-only\" in the ConfigMap "
        "cilium-config); if it is set, ignore this message",
        fmt::join(names, ", "));
}

}  // namespace runtime::nft
