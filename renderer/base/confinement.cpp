#include "renderer/base/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace renderer {

namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// Newer than the headers that this may be built with; the same on all architectures.
constexpr unsigned kFchmodat2 = 452;
constexpr unsigned kSetxattrat = 463;
constexpr unsigned kRemovexattrat = 466;
constexpr unsigned kOpenTreeAttr = 467;
constexpr unsigned kFileSetattr = 469;

struct Refusal {
    unsigned call;
    int error;
};

constexpr std::array kRefusals = std::to_array<Refusal>({
    // The network.
    {SYS_socket, EACCES}, {SYS_io_uring_setup, EPERM}, {SYS_io_uring_enter, EPERM},
        {SYS_io_uring_register, EPERM},
        // Other processes. ENOSYS makes libraries take the older call, which kChecks looks at. To
        // execute needs no refusal: without another process a program can only give up itself for
        // it.
        {SYS_clone3, ENOSYS}, {SYS_ptrace, EPERM}, {SYS_process_vm_readv, EPERM},
        {SYS_process_vm_writev, EPERM}, {SYS_process_madvise, EPERM}, {SYS_pidfd_getfd, EPERM},
        {SYS_pidfd_send_signal, EPERM}, {SYS_tkill, EPERM}, {SYS_rt_sigqueueinfo, EPERM},
        {SYS_rt_tgsigqueueinfo, EPERM}, {SYS_kcmp, EPERM},
        // Files.
        {SYS_openat2, ENOSYS}, {SYS_open_by_handle_at, EPERM}, {SYS_unlinkat, EPERM},
        {SYS_renameat, EPERM}, {SYS_renameat2, EPERM}, {SYS_mkdirat, EPERM}, {SYS_mknodat, EPERM},
        {SYS_linkat, EPERM}, {SYS_symlinkat, EPERM}, {SYS_truncate, EPERM}, {SYS_fchmod, EPERM},
        {SYS_fchmodat, EPERM}, {kFchmodat2, EPERM}, {SYS_fchown, EPERM}, {SYS_fchownat, EPERM},
        {SYS_utimensat, EPERM}, {SYS_setxattr, EPERM}, {SYS_lsetxattr, EPERM},
        {SYS_fsetxattr, EPERM}, {kSetxattrat, EPERM}, {SYS_removexattr, EPERM},
        {SYS_lremovexattr, EPERM}, {SYS_fremovexattr, EPERM}, {kRemovexattrat, EPERM},
        {kFileSetattr, EPERM},
        // The machine.
        {SYS_mount, EPERM}, {SYS_umount2, EPERM}, {SYS_move_mount, EPERM}, {SYS_open_tree, EPERM},
        {kOpenTreeAttr, EPERM}, {SYS_fsopen, EPERM}, {SYS_fspick, EPERM}, {SYS_fsmount, EPERM},
        {SYS_mount_setattr, EPERM}, {SYS_pivot_root, EPERM}, {SYS_chroot, EPERM},
        {SYS_unshare, EPERM}, {SYS_setns, EPERM}, {SYS_bpf, EPERM}, {SYS_perf_event_open, EPERM},
        {SYS_userfaultfd, EPERM}, {SYS_add_key, EPERM}, {SYS_request_key, EPERM},
        {SYS_keyctl, EPERM},
#if defined(__x86_64__)
        {SYS_fork, EPERM}, {SYS_vfork, EPERM}, {SYS_creat, EPERM}, {SYS_unlink, EPERM},
        {SYS_rename, EPERM}, {SYS_mkdir, EPERM}, {SYS_rmdir, EPERM}, {SYS_mknod, EPERM},
        {SYS_link, EPERM}, {SYS_symlink, EPERM}, {SYS_chmod, EPERM}, {SYS_chown, EPERM},
        {SYS_lchown, EPERM}, {SYS_utime, EPERM}, {SYS_utimes, EPERM}, {SYS_futimesat, EPERM},
#endif
});

// Stands for the number of the process, which is known only in it.
constexpr std::uint32_t kOwnProcess = 0xffffffff;
constexpr std::uint32_t kWrites = O_ACCMODE | O_CREAT | O_TRUNC;

// Refused unless the bits `mask` of an argument are `wanted`.
struct Check {
    unsigned call;
    int error;
    std::uint32_t argument, mask, wanted;
};

constexpr std::array kChecks = std::to_array<Check>({
    {SYS_clone, EPERM, 0, CLONE_THREAD, CLONE_THREAD},
        {SYS_kill, EPERM, 0, 0xffffffff, kOwnProcess},
        {SYS_tgkill, EPERM, 0, 0xffffffff, kOwnProcess}, {SYS_openat, EACCES, 2, kWrites, O_RDONLY},
#if defined(__x86_64__)
        {SYS_open, EACCES, 1, kWrites, O_RDONLY},
#endif
});

sock_filter load(std::size_t offset) {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// Skips `count` statements unless what is loaded is `value`.
sock_filter skip_unless(std::uint32_t value, std::uint8_t count) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
}

sock_filter give(std::uint32_t verdict) {
    return BPF_STMT(BPF_RET | BPF_K, verdict);
}

sock_filter refuse(int error) {
    return give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
}

// The numbers of another architecture end the program; so does the third set of x86_64, x32.
std::vector<sock_filter> call_filter() {
    constexpr std::uint32_t kX32 = 0x40000000;
    std::vector<sock_filter> filter = {
        load(offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
        give(SECCOMP_RET_KILL_PROCESS),
        load(offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1),
        give(SECCOMP_RET_KILL_PROCESS),
    };
    for (const auto& [call, error] : kRefusals) {
        filter.insert(filter.end(), {skip_unless(call, 1), refuse(error)});
    }
    for (const auto& [call, error, argument, mask, wanted] : kChecks) {
        const std::size_t offset = offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);
        filter.insert(
            filter.end(),
            {skip_unless(call, 5), load(offset), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
             skip_unless(wanted, 1), give(SECCOMP_RET_ALLOW), refuse(error)});
    }
    filter.push_back(give(SECCOMP_RET_ALLOW));
    return filter;
}

// What a program may need that is linked dynamically, or is a script that becomes another program.
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

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;

void allow_reading(int ruleset, const char* path) {
    const int place = ::open(path, O_PATH | O_CLOEXEC);
    struct stat status {};
    if (place < 0) {
        return;
    }
    if (::fstat(place, &status) == 0) {
        const landlock_path_beneath_attr rule = {
            .allowed_access = S_ISDIR(status.st_mode) ? kRead : kReadFile, .parent_fd = place};
        (void)::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    ::close(place);
}

}  // namespace

bool keeps_files_apart() {
    return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

Confinement::Confinement(const std::string& program, const std::string& directory)
    : filter_(call_filter()) {
    const landlock_ruleset_attr handled = {.handled_access_fs = kRead};
    ruleset_ =
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0));
    if (ruleset_ < 0) {
        return;
    }
    for (const char* path : kSystem) {
        allow_reading(ruleset_, path);
    }
    allow_reading(ruleset_, program.c_str());
    allow_reading(ruleset_, directory.c_str());
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
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           (ruleset_ < 0 || ::syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0) &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace renderer
