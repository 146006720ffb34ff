#include "renderer/base/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace renderer::inline base {

namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// These system calls are newer than the headers that this may be built with. Their numbers are the
// same on all architectures.
constexpr unsigned kQuotactlFd = 443;
constexpr unsigned kFchmodat2 = 452;
constexpr unsigned kSetxattrat = 463;
constexpr unsigned kRemovexattrat = 466;
constexpr unsigned kOpenTreeAttr = 467;
constexpr unsigned kFileSetattr = 469;

struct Refusal {
    unsigned call;
    int error;  // 0: the call does nothing and reports success
};

constexpr std::array kRefusals = std::to_array<Refusal>({
    // These calls would bypass the filter.
    {SYS_io_uring_setup, EPERM}, {SYS_io_uring_enter, EPERM}, {SYS_io_uring_register, EPERM},
        // These calls affect other processes. ENOSYS makes libraries use the older call, which
        // kChecks filters. execve need not be refused: a program that cannot start processes can
        // only replace itself.
        {SYS_clone3, ENOSYS}, {SYS_ptrace, EPERM}, {SYS_process_vm_readv, EPERM},
        {SYS_process_vm_writev, EPERM}, {SYS_process_madvise, EPERM}, {SYS_pidfd_getfd, EPERM},
        {SYS_pidfd_send_signal, EPERM}, {SYS_tkill, EPERM}, {SYS_rt_sigqueueinfo, EPERM},
        {SYS_rt_tgsigqueueinfo, EPERM}, {SYS_kcmp, EPERM}, {SYS_setpriority, EPERM},
        {SYS_ioprio_set, EPERM}, {SYS_sched_setaffinity, EPERM}, {SYS_sched_setparam, EPERM},
        {SYS_sched_setscheduler, EPERM}, {SYS_sched_setattr, EPERM}, {SYS_migrate_pages, EPERM},
        {SYS_move_pages, EPERM},
        // These calls communicate with other processes. Even a socket of a pair can connect to a
        // socket of another process.
        {SYS_socketpair, EPERM}, {SYS_shmget, EPERM}, {SYS_shmat, EPERM}, {SYS_shmctl, EPERM},
        {SYS_semget, EPERM}, {SYS_semctl, EPERM}, {SYS_semop, EPERM}, {SYS_semtimedop, EPERM},
        {SYS_msgget, EPERM}, {SYS_msgctl, EPERM}, {SYS_msgsnd, EPERM}, {SYS_msgrcv, EPERM},
        {SYS_mq_open, EPERM}, {SYS_mq_unlink, EPERM},
        // These calls change files, or open them in ways that the filter cannot check.
        {SYS_openat2, ENOSYS}, {SYS_open_by_handle_at, EPERM}, {SYS_mknodat, EPERM},
        {SYS_linkat, EPERM}, {SYS_symlinkat, EPERM}, {SYS_truncate, EPERM}, {SYS_fchown, EPERM},
        {SYS_fchownat, EPERM}, {SYS_utimensat, EPERM}, {SYS_setxattr, EPERM},
        {SYS_lsetxattr, EPERM}, {SYS_fsetxattr, EPERM}, {kSetxattrat, EPERM},
        {SYS_removexattr, EPERM}, {SYS_lremovexattr, EPERM}, {SYS_fremovexattr, EPERM},
        {kRemovexattrat, EPERM}, {kFileSetattr, EPERM},
        // These calls change the machine.
        {SYS_mount, EPERM}, {SYS_umount2, EPERM}, {SYS_move_mount, EPERM}, {SYS_open_tree, EPERM},
        {kOpenTreeAttr, EPERM}, {SYS_fsopen, EPERM}, {SYS_fspick, EPERM}, {SYS_fsmount, EPERM},
        {SYS_mount_setattr, EPERM}, {SYS_pivot_root, EPERM}, {SYS_chroot, EPERM},
        {SYS_unshare, EPERM}, {SYS_setns, EPERM}, {SYS_bpf, EPERM}, {SYS_perf_event_open, EPERM},
        {SYS_userfaultfd, EPERM}, {SYS_add_key, EPERM}, {SYS_request_key, EPERM},
        {SYS_keyctl, EPERM}, {SYS_sethostname, EPERM}, {SYS_setdomainname, EPERM},
        {SYS_clock_settime, EPERM}, {SYS_clock_adjtime, EPERM}, {SYS_settimeofday, EPERM},
        {SYS_adjtimex, EPERM}, {SYS_acct, EPERM}, {SYS_swapon, EPERM}, {SYS_swapoff, EPERM},
        {SYS_init_module, EPERM}, {SYS_finit_module, EPERM}, {SYS_delete_module, EPERM},
        {SYS_kexec_load, EPERM}, {SYS_kexec_file_load, EPERM}, {SYS_quotactl, EPERM},
        {kQuotactlFd, EPERM}, {SYS_reboot, EPERM}, {SYS_syslog, EPERM}, {SYS_vhangup, EPERM},
        {SYS_fanotify_init, EPERM},
#if defined(__x86_64__)
        {SYS_iopl, EPERM}, {SYS_ioperm, EPERM}, {SYS_modify_ldt, EPERM}, {SYS_fork, EPERM},
        {SYS_vfork, EPERM}, {SYS_creat, EPERM}, {SYS_mknod, EPERM}, {SYS_link, EPERM},
        {SYS_symlink, EPERM}, {SYS_chown, EPERM}, {SYS_lchown, EPERM}, {SYS_utime, EPERM},
        {SYS_utimes, EPERM}, {SYS_futimesat, EPERM},
#endif
});

// Landlock can limit these calls to a directory.
constexpr std::array kChangesOfFiles = std::to_array<Refusal>({
    {SYS_unlinkat, EPERM}, {SYS_renameat, EPERM}, {SYS_renameat2, EPERM}, {SYS_mkdirat, EPERM},
#if defined(__x86_64__)
        {SYS_unlink, EPERM}, {SYS_rename, EPERM}, {SYS_mkdir, EPERM}, {SYS_rmdir, EPERM},
#endif
});

// Landlock cannot limit these calls.
constexpr std::array kChangesOfModes = std::to_array<unsigned>({
    SYS_fchmod, SYS_fchmodat, kFchmodat2,
#if defined(__x86_64__)
        SYS_chmod,
#endif
});

// Landlock does not check connections that are opened by sending data (MSG_FASTOPEN), so these
// calls are refused.
constexpr std::array kOtherWaysToConnect = std::to_array<Refusal>({{SYS_bind, EPERM},
                                                                   {SYS_listen, EPERM},
                                                                   {SYS_accept, EPERM},
                                                                   {SYS_accept4, EPERM},
                                                                   {SYS_sendto, EPERM},
                                                                   {SYS_sendmsg, EPERM},
                                                                   {SYS_sendmmsg, EPERM}});

// A placeholder for the process id, which apply() fills in.
constexpr std::uint32_t kOwnProcess = 0xffffffff;
constexpr std::uint32_t kSetOwnerEx = 15;  // F_SETOWN_EX
constexpr std::uint32_t kWrites = O_ACCMODE | O_CREAT | O_TRUNC;

// Allows a call only if the bits `mask` of an argument equal `value`, or, with `differs`, only if
// they differ from it.
struct Check {
    unsigned call;
    int error;
    std::uint32_t argument, mask, value;
    bool differs = false;
};

constexpr std::array kChecks = std::to_array<Check>({
    {SYS_clone, EPERM, 0, CLONE_THREAD, CLONE_THREAD},
    {SYS_kill, EPERM, 0, 0xffffffff, kOwnProcess},
    {SYS_tgkill, EPERM, 0, 0xffffffff, kOwnProcess},
    {SYS_prlimit64, EPERM, 0, 0xffffffff, 0},
    // These choose the process that the kernel signals when a file is ready.
    {SYS_fcntl, EPERM, 1, 0xffffffff, F_SETOWN, true},
    {SYS_fcntl, EPERM, 1, 0xffffffff, kSetOwnerEx, true},
    {SYS_ioctl, EPERM, 1, 0xffffffff, FIOSETOWN, true},
    {SYS_ioctl, EPERM, 1, 0xffffffff, SIOCSPGRP, true},
});

constexpr std::array kReadsOnly = std::to_array<Check>({
    {SYS_openat, EACCES, 2, kWrites, O_RDONLY},
#if defined(__x86_64__)
        {SYS_open, EACCES, 1, kWrites, O_RDONLY},
#endif
});

// These flags can truncate a file without opening it for writing. Landlock before version 3 does
// not check that.
constexpr std::uint32_t kEmpties = O_ACCMODE | O_TRUNC;
constexpr std::array kOpensAsItSays = std::to_array<Check>({
    {SYS_openat, EACCES, 2, O_ACCMODE, O_ACCMODE, true},
        {SYS_openat, EACCES, 2, kEmpties, O_RDONLY | O_TRUNC, true},
#if defined(__x86_64__)
        {SYS_open, EACCES, 1, O_ACCMODE, O_ACCMODE, true},
        {SYS_open, EACCES, 1, kEmpties, O_RDONLY | O_TRUNC, true},
#endif
});

// The protocol must be 0 or TCP, because Landlock does not check MPTCP connections.
constexpr std::uint32_t kKindOfSocket = 0xf;
constexpr std::array kTcpSockets = std::to_array<Check>({
    {SYS_socket, EAFNOSUPPORT, 0, 0xffffffff, AF_INET},
    {SYS_socket, EACCES, 1, kKindOfSocket, SOCK_STREAM},
    {SYS_socket, EACCES, 2, ~std::uint32_t{IPPROTO_TCP}, 0},
});

sock_filter load(std::size_t offset) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// Skips `count` statements unless the loaded value is `value`.
sock_filter skip_unless(std::uint32_t value, std::uint8_t count) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}

sock_filter give(std::uint32_t verdict) {
    return BPF_STMT(BPF_RET | BPF_K, verdict);
}

sock_filter refuse(int error) {
    return give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}

class Filter {
public:
    // Kills the program if it uses system calls of another architecture, or of the x32 ABI.
    Filter() {
        constexpr std::uint32_t kX32 = 0x40000000;
        statements_ = {
            load(offsetof(seccomp_data, arch)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
            give(SECCOMP_RET_KILL_PROCESS),
            load(offsetof(seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1),
            give(SECCOMP_RET_KILL_PROCESS),
        };
    }

    void add(std::span<const Refusal> refusals) {
        for (const auto& [call, error] : refusals) {
            statements_.insert(statements_.end(), {skip_unless(call, 1), refuse(error)});
        }
    }

    void add(std::span<const Check> checks) {
        for (const Check& check : checks) {
            const std::size_t offset =
                offsetof(seccomp_data, args) + check.argument * sizeof(std::uint64_t);
            const std::uint8_t if_equal = check.differs ? 0 : 1;
            statements_.insert(statements_.end(),
                               {skip_unless(check.call, 5), load(offset),
                                BPF_STMT(BPF_ALU | BPF_AND | BPF_K, check.mask),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, check.value, if_equal,
                                         static_cast<std::uint8_t>(1 - if_equal)),
                                refuse(check.error), load(offsetof(seccomp_data, nr))});
        }
    }

    std::vector<sock_filter> finish() {
        statements_.push_back(give(SECCOMP_RET_ALLOW));
        return std::move(statements_);
    }

private:
    std::vector<sock_filter> statements_;
};

std::vector<sock_filter> call_filter(const Rights& rights) {
    Filter filter;
    filter.add(kRefusals);
    for (const unsigned call : kChangesOfModes) {
        const Refusal refusal = {call, rights.changes_files ? 0 : EPERM};
        filter.add(std::span(&refusal, 1));
    }
    filter.add(kChecks);
    if (rights.changes_files) {
        filter.add(kOpensAsItSays);
    } else {
        filter.add(kChangesOfFiles);
        filter.add(kReadsOnly);
    }
    if (rights.port != 0) {
        filter.add(kOtherWaysToConnect);
        filter.add(kTcpSockets);
    } else {
        const Refusal no_network = {SYS_socket, EACCES};
        filter.add(std::span(&no_network, 1));
    }
    return filter.finish();
}

// The files and directories that dynamically linked programs and scripts need.
constexpr std::array kSystem = {"/bin",
                                "/lib",
                                "/lib64",
                                "/usr/bin",
                                "/usr/lib",
                                "/usr/lib64",
                                "/nix/store",
                                "/gnu/store",
                                "/home/linuxbrew/.linuxbrew/Cellar",
                                "/home/linuxbrew/.linuxbrew/lib",
                                "/dev/null",
                                "/dev/urandom",
                                "/etc/ld.so.cache"};

// These constants are newer than the headers that this may be built with.
constexpr std::uint64_t kTruncate = 1U << 14U;
constexpr std::uint64_t kConnectTcp = 1U << 1U;
constexpr int kNetPort = 2;

struct Ruleset {
    std::uint64_t files, ports;
};

struct PortRule {
    std::uint64_t allowed, port;
};

constexpr std::uint64_t kExecute = LANDLOCK_ACCESS_FS_EXECUTE;
constexpr std::uint64_t kReadFile = kExecute | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
// kChange is what a program needs to change files. kMakeOthers is never allowed to programs that
// may change files.
constexpr std::uint64_t kChange = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                  LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                  LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t kMakeOthers = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                      LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                      LANDLOCK_ACCESS_FS_MAKE_SYM;

void allow(int ruleset, const std::string& path, std::uint64_t access) {
    const int place = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat status {};
    if (place < 0) {
        return;
    }
    if (::fstat(place, &status) == 0) {
        const landlock_path_beneath_attr rule = {
            .allowed_access = S_ISDIR(status.st_mode) ? access : access & kReadFile,
            .parent_fd = place};
        (void)::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    ::close(place);
}

constexpr int kKnowsTruncate = 3;
constexpr int kKnowsPorts = 4;

// Returns 0 if the kernel has no Landlock.
int landlock_version() {
    const long version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : static_cast<int>(version);
}

// Returns -1 if the kernel has no Landlock.
int make_ruleset(const Rights& rights, int version) {
    const std::uint64_t truncate = version >= kKnowsTruncate ? kTruncate : 0;
    const std::uint64_t change = rights.changes_files ? kChange | truncate : 0;
    const bool knows_ports = version >= kKnowsPorts;
    const Ruleset handled = {.files = kRead | change | (rights.changes_files ? kMakeOthers : 0),
                             .ports = rights.port != 0 && knows_ports ? kConnectTcp : 0};
    const std::size_t size = knows_ports ? sizeof(handled) : sizeof(handled.files);
    const int ruleset = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0));
    if (ruleset >= 0 && handled.ports != 0) {
        const PortRule rule = {.allowed = kConnectTcp, .port = rights.port};
        (void)::syscall(SYS_landlock_add_rule, ruleset, kNetPort, &rule, 0);
    }
    // A program may not execute files that it can write.
    const std::uint64_t own = rights.changes_files ? (kRead | change) & ~kExecute : kRead;
    allow(ruleset, rights.directory, own);
    return ruleset;
}

// Drops all capabilities for good. Because of PR_SET_NO_NEW_PRIVS no executed program gets any of
// them back, not even as root. The bounding set must be empty only if this process may change it.
bool drop_capabilities() {
    constexpr int kMostCapabilities = 64;  // the most that the kernel supports
    int dropped = 0;
    for (int one = 0; one < kMostCapabilities; ++one) {
        dropped += ::prctl(PR_CAPBSET_DROP, one, 0, 0, 0) == 0 ? 1 : 0;
    }
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 ||
        ::syscall(SYS_capset, &header, none.data()) != 0) {
        return false;
    }
    for (int one = 0; dropped > 0 && one < kMostCapabilities; ++one) {
        if (::prctl(PR_CAPBSET_READ, one, 0, 0, 0) > 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool keeps_files_apart() {
    return landlock_version() > 0;
}

bool keeps_ports_apart() {
    return landlock_version() >= kKnowsPorts;
}

Confinement::Confinement(const std::string& program, const Rights& rights)
    : needs_landlock_(rights.changes_files || rights.port != 0),
      ruleset_(make_ruleset(rights, landlock_version())),
      filter_(call_filter(rights)) {
    if (ruleset_ < 0) {
        return;
    }
    for (const char* path : kSystem) {
        allow(ruleset_, path, kRead);
    }
    for (const std::string& path : rights.others) {
        allow(ruleset_, path, kRead & ~kExecute);
    }
    allow(ruleset_, program, kRead);
}

Confinement::~Confinement() {
    if (ruleset_ >= 0) {
        ::close(ruleset_);
    }
}

bool Confinement::apply() {
    for (sock_filter& statement : filter_) {
        if (statement.code == (BPF_JMP | BPF_JEQ | BPF_K) && statement.k == kOwnProcess) {
            statement.k = static_cast<std::uint32_t>(::getpid());
        }
    }
    const sock_fprog program = {.len = static_cast<unsigned short>(filter_.size()),
                                .filter = filter_.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && drop_capabilities() &&
           (ruleset_ >= 0 || !needs_landlock_) &&
           (ruleset_ < 0 || ::syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0) &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace renderer::inline base
