#include "renderer/base/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "renderer/base/confinement.h"
#include "renderer/base/descriptor.h"
#include "renderer/base/temporary_folder_testing.h"

namespace renderer::inline base {
namespace {

SandboxRun run(const std::string& script, const SandboxLimits& limits = {}) {
    return run_in_sandbox({.arguments = {"/bin/sh", "-c", script}, .rights = {.directory = "/tmp"}},
                          limits);
}

TEST(Sandbox, TellsWhatTheProgramPrintedAndHowItEnded) {
    const SandboxRun done = run("echo out; echo err >&2; exit 3");
    EXPECT_EQ(done.output, "out\n");
    EXPECT_EQ(done.errors, "err\n");
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_EQ(done.refusal, "");
}

TEST(Sandbox, HasNoEnvironmentAndNoInput) {
    ASSERT_EQ(::setenv("TAILRENDER_SECRET", "x", 1), 0);
    EXPECT_EQ(run("echo \"$TAILRENDER_SECRET$HOME\"; exec cat").output, "/nonexistent\n");
}

SandboxRun python(const std::string& script, const std::string& directory) {
    return run_in_sandbox(
        {.arguments = {"/usr/bin/python3", "-I", "-c", script}, .rights = {.directory = directory}},
        {});
}

TEST(Sandbox, ReachesNoOtherProcess) {
    const std::string attempts[] = {
        "import socket; socket.socketpair()",
        "import fcntl; fcntl.fcntl(0, fcntl.F_SETOWN, 1)",
        "import resource; resource.prlimit(1, resource.RLIMIT_CPU)",
        "import os; os.setpriority(os.PRIO_PROCESS, 1, 5)",
        "if __import__('ctypes').CDLL(None).shmget(0, 4096, 0o1600) < 0: raise PermissionError",
    };
    for (const std::string& attempt : attempts) {
        const SandboxRun done = python("try:\n  " + attempt +
                                           "\n  print('reached')\n"
                                           "except PermissionError: print('refused')",
                                       "/tmp");
        EXPECT_EQ(done.output, "refused\n") << attempt << done.errors;
    }
}

// CI runs the tests as root. Without root the program has fewer rights to begin with.
TEST(Sandbox, ChangesNothingOfTheMachineAsRoot) {
    struct Call {
        const char* name;
        long number;
    };
    const Call calls[] = {
        {"sethostname", SYS_sethostname},
        {"setdomainname", SYS_setdomainname},
        {"clock_settime", SYS_clock_settime},
        {"clock_adjtime", SYS_clock_adjtime},
        {"settimeofday", SYS_settimeofday},
        {"adjtimex", SYS_adjtimex},
        {"acct", SYS_acct},
        {"swapon", SYS_swapon},
        {"swapoff", SYS_swapoff},
        {"init_module", SYS_init_module},
        {"finit_module", SYS_finit_module},
        {"delete_module", SYS_delete_module},
        {"kexec_load", SYS_kexec_load},
        {"kexec_file_load", SYS_kexec_file_load},
        {"quotactl", SYS_quotactl},
        {"quotactl_fd", 443},
        {"reboot", SYS_reboot},
        {"syslog", SYS_syslog},
        {"vhangup", SYS_vhangup},
        {"fanotify_init", SYS_fanotify_init},
#if defined(__x86_64__)
        {"iopl", SYS_iopl},
        {"ioperm", SYS_ioperm},
        {"modify_ldt", SYS_modify_ldt},
#endif
    };
    std::string script =
        "import ctypes, errno\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "def attempt(number):\n"
        "  bad = [ctypes.c_long(-1)] * 5\n"  // so that no call would have an effect
        "  return ctypes.get_errno() if libc.syscall(ctypes.c_long(number), *bad) else 0\n";
    std::string wanted;
    for (const Call& call : calls) {
        script += "print('" + std::string(call.name) + "', attempt(" + std::to_string(call.number) +
                  "))\n";
        wanted += std::string(call.name) + " " + std::to_string(EPERM) + "\n";
    }
    const SandboxRun done = python(script, "/tmp");
    EXPECT_EQ(done.output, wanted) << done.errors;
}

TEST(Sandbox, HasNoCapabilityAsRoot) {
    const SandboxRun done = python(
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()\n"
        "libc.capget(header, data)\n"
        "print(list(data))\n"
        "print([one for one in range(64) if libc.prctl(23, one, 0, 0, 0) == 1])\n"
        "try: open('/etc/shadow')\n"
        "except PermissionError: print('refused')\n",
        "/tmp");
    const std::string none = "[0, 0, 0, 0, 0, 0]\n";
    EXPECT_EQ(done.output.substr(0, none.size()), none) << done.errors;
    if (::geteuid() == 0) {
        EXPECT_EQ(done.output, none + "[]\nrefused\n") << done.errors;
    }
}

TEST(Sandbox, HasNoNetwork) {
    const SandboxRun done = python(
        "import socket\ntry: socket.socket()\nexcept PermissionError: print('refused')", "/tmp");
    EXPECT_EQ(done.output, "refused\n") << done.errors;
}

// Listens on a port of this machine.
class Listener {
public:
    Listener() {
        sockaddr_in any = {.sin_family = AF_INET,
                           .sin_port = 0,
                           .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)},
                           .sin_zero = {}};
        socklen_t size = sizeof(any);
        auto* address = reinterpret_cast<sockaddr*>(&any);
        is_good_ = ::bind(fd_, address, size) == 0 && ::listen(fd_, 8) == 0 &&
                   ::getsockname(fd_, address, &size) == 0;
        port_ = ntohs(any.sin_port);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { ::close(fd_); }
    [[nodiscard]] std::uint16_t port() const { return is_good_ ? port_ : 0; }

private:
    int fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_good_ = false;
    std::uint16_t port_ = 0;
};

SandboxRun with_port(const std::string& call, std::uint16_t port) {
    return run_in_sandbox({.arguments = {"/usr/bin/python3", "-I", "-c",
                                         "import socket\ntry:\n  " + call +
                                             "\n  print('done')\n"
                                             "except OSError: print('refused')"},
                           .rights = {.directory = "/tmp", .port = port}},
                          {});
}

TEST(Sandbox, ConnectsToOnePort) {
    const Listener own;
    const Listener other;
    const auto connect = [](std::uint16_t port) {
        return "socket.create_connection(('127.0.0.1', " + std::to_string(port) + "))";
    };
    ASSERT_NE(own.port(), 0);
    EXPECT_EQ(with_port(connect(own.port()), own.port()).output, "done\n");
    EXPECT_EQ(with_port(connect(other.port()), own.port()).output,
              keeps_ports_apart() ? "refused\n" : "done\n");
}

TEST(Sandbox, HasNoOtherNetworkThanThatPort) {
    const Listener own;
    const std::string address = "('127.0.0.1', " + std::to_string(own.port()) + ")";
    for (const std::string& call : {
             std::string("socket.socket(socket.AF_UNIX)"),
             std::string("socket.socket(socket.AF_INET6)"),
             std::string("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)"),
             std::string("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
             std::string("socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
             std::string("socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)"),  // MPTCP
             std::string("socket.socket().bind(('127.0.0.1', 0))"),
             std::string("socket.socket().listen()"),
             "socket.socket().sendto(b'x', 0x20000000, " + address + ")",  // MSG_FASTOPEN
         }) {
        EXPECT_EQ(with_port(call, own.port()).output, "refused\n") << call;
    }
}

// Runs in a process of its own, where the system calls of Landlock do not exist.
TEST(Sandbox, GetsNoRightsWhereTheKernelHasNoLandlock) {
    const auto run_without = [] {
        sock_filter none[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const sock_fprog program = {.len = std::size(none), .filter = none};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
            ::_exit(2);
        }
        bool is_refused = !keeps_files_apart();
        for (const Rights& rights : {Rights{.directory = "/tmp", .changes_files = true},
                                     Rights{.directory = "/tmp", .port = 80}}) {
            const SandboxRun done =
                run_in_sandbox({.arguments = {"/bin/sh", "-c", "echo ran"}, .rights = rights}, {});
            is_refused = is_refused && done.output.empty() &&
                         done.refusal == "this kernel has no Landlock to confine it";
        }
        const SandboxRun plain = run("echo ran");
        ::_exit(is_refused && plain.output == "ran\n" ? 0 : 1);
    };
    EXPECT_EXIT(run_without(), testing::ExitedWithCode(0), "");
}

class SandboxFiles : public testing::Test {
protected:
    SandboxFiles() {
        std::filesystem::create_directories(dir_ + "/folder");
        std::ofstream(dir_ + "/file") << "text\n";
    }

    // Returns the names of all files in the folder.
    [[nodiscard]] std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_)) {
            all.insert(entry.path().filename());
        }
        return all;
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
};

TEST_F(SandboxFiles, AreNotChanged) {
    const auto before = std::filesystem::status(dir_ + "/file").permissions();
    const auto written = std::filesystem::last_write_time(dir_ + "/file");
    for (const char* call :
         {"open('file', 'w')", "open('file', 'a')", "open('new', 'x')",
          "os.open('new', os.O_CREAT)", "os.truncate('file', 0)", "os.remove('file')",
          "os.rename('file', 'new')", "os.mkdir('new')", "os.rmdir('folder')",
          "os.link('file', 'new')", "os.symlink('file', 'new')", "os.mkfifo('new')",
          "os.chmod('file', 0o777)", "os.fchmod(os.open('file', os.O_RDONLY), 0o777)",
          "os.chown('file', 1, 1)", "os.utime('file', (1, 1))",
          "os.setxattr('file', 'user.x', b'x')", "os.open('.', os.O_TMPFILE | os.O_RDWR)"}) {
        const SandboxRun done = python(
            "import os\ntry: " + std::string(call) + "\nexcept PermissionError: print('refused')",
            dir_);
        EXPECT_EQ(done.output, "refused\n") << call << done.errors;
        EXPECT_EQ(names(), (std::set<std::string>{"file", "folder"})) << call;
    }
    EXPECT_EQ(std::filesystem::file_size(dir_ + "/file"), 5U);
    EXPECT_EQ(std::filesystem::status(dir_ + "/file").permissions(), before);
    EXPECT_EQ(std::filesystem::last_write_time(dir_ + "/file"), written);
}

SandboxRun writing(const std::string& script, const std::string& directory) {
    return run_in_sandbox({.arguments = {"/usr/bin/python3", "-I", "-c", script},
                           .rights = {.directory = directory, .changes_files = true}},
                          {.file_bytes = 1000});
}

// None of these may change the file, which is outside of the writable directory.
constexpr const char* kChanges[] = {
    "os.open(F, os.O_WRONLY)",
    "os.open(F, os.O_RDWR)",
    "os.open(F, os.O_WRONLY | os.O_TRUNC)",
    "os.open(F, os.O_RDWR | os.O_TRUNC)",
    "os.open(F, os.O_RDONLY | os.O_TRUNC)",
    "os.open(F, 3)",
    "os.open(F, 3 | os.O_TRUNC)",
    "os.open(F, os.O_RDONLY | os.O_CREAT | os.O_TRUNC)",
    "os.open(F, os.O_WRONLY | os.O_APPEND)",
    "os.open('../new', os.O_CREAT | os.O_WRONLY)",
    "os.open('../new', os.O_CREAT)",
    "os.open('..', os.O_TMPFILE | os.O_RDWR)",
    "os.truncate(F, 0)",
    "call('creat', F, 0o644)",
    "os.remove(F)",
    "os.rename(F, '../new')",
    "os.rename(F, 'here')",
    "os.rename('own', F)",
    "os.rename('own', '../new')",
    "os.link(F, 'here')",
    "os.symlink(F, 'here')",
    "os.mkdir('../new')",
    "os.rmdir('../other')",
    "os.mkfifo('here')",
    "os.chown(F, 1, 1)",
    "os.utime(F, (1, 1))",
    "os.setxattr(F, 'user.x', b'x')",
    "open(F).read()",
};

TEST_F(SandboxFiles, OutsideOfItsDirectoryAreNotChanged) {
    std::filesystem::create_directories(dir_ + "/other");
    std::ofstream(dir_ + "/folder/own") << "own\n";
    const std::set<std::string> all = {"file", "folder", "other", "own"};
    const auto written = std::filesystem::last_write_time(dir_ + "/file");
    for (const char* change : kChanges) {
        const SandboxRun done = writing(
            "import ctypes, os\nF = '../file'\ndef call(name, path, mode):\n"
            "  if getattr(ctypes.CDLL(None), name)(path.encode(), mode) < 0: raise OSError\n"
            "try: " +
                std::string(change) + "\nexcept OSError: print('refused')",
            dir_ + "/folder");
        EXPECT_EQ(done.output, "refused\n") << change << done.errors << done.refusal;
        EXPECT_EQ(names(), all) << change;
        EXPECT_EQ(std::filesystem::file_size(dir_ + "/file"), 5U) << change;
    }
    EXPECT_EQ(std::filesystem::last_write_time(dir_ + "/file"), written);
}

// Even the program's own directory keeps its mode, because the filter cannot tell from the call
// where a file is.
TEST_F(SandboxFiles, KeepTheirModesThoughItSeemsToChangeThem) {
    const auto before = std::filesystem::status(dir_ + "/file").permissions();
    const SandboxRun done =
        writing("import os\nos.chmod('../file', 0o777)\nos.chmod('.', 0o777)\nprint('seems so')",
                dir_ + "/folder");
    EXPECT_EQ(done.output, "seems so\n") << done.errors;
    EXPECT_EQ(std::filesystem::status(dir_ + "/file").permissions(), before);
}

TEST_F(SandboxFiles, OfItsDirectoryAreChangedWhereItMay) {
    const SandboxRun done = writing(
        "import os\nos.mkdir('a')\nopen('a/b', 'w').write('text')\n"
        "os.rename('a/b', 'a/c')\nopen('a/c', 'w').write('new')\nopen('a/d', 'w')\n"
        "os.remove('a/d')\nos.mkdir('e')\nos.rmdir('e')\nprint(open('a/c').read())",
        dir_ + "/folder");
    EXPECT_EQ(done.output, "new\n") << done.errors;
    EXPECT_EQ(names(), (std::set<std::string>{"a", "c", "file", "folder"}));
}

TEST_F(SandboxFiles, OfItsDirectoryStaySmallAndAreNotExecuted) {
    (void)writing("open('a', 'w').write('x' * 2000)", dir_ + "/folder");
    EXPECT_LE(std::filesystem::file_size(dir_ + "/folder/a"), 1000U);
    const SandboxRun own = writing(
        "import os\nopen('b', 'w').write('#!/bin/sh\\n')\nos.execv('b', ['b'])", dir_ + "/folder");
    EXPECT_NE(own.errors.find("PermissionError"), std::string::npos) << own.errors;
}

TEST_F(SandboxFiles, OthersAreReadWhereItMay) {
    const SandboxRun done = run_in_sandbox(
        {.arguments = {"/usr/bin/python3", "-I", "-c", "print(open('../file').read(), end='')"},
         .rights = {.directory = dir_ + "/folder", .others = {dir_ + "/file", "/nonexistent"}}},
        {});
    EXPECT_EQ(done.output, "text\n") << done.errors;
}

TEST_F(SandboxFiles, AreReadInTheDirectoryAloneWhereTheKernelHasLandlock) {
    const bool has_landlock = keeps_files_apart();
    const std::string script = "try: print(open('" + dir_ +
                               "/file').read(), end='')\n"
                               "except PermissionError: print('refused')";
    EXPECT_EQ(python(script, dir_).output, "text\n");
    EXPECT_EQ(python(script, dir_ + "/folder").output, has_landlock ? "refused\n" : "text\n");
}

TEST_F(SandboxFiles, AreClosedWhenTheParentEnds) {
    const std::string fifo = dir_ + "/fifo";
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        (void)run_in_sandbox(
            {.arguments = {"/bin/sh", "-c", "read line <fifo"}, .rights = {.directory = dir_}}, {});
        ::_exit(0);
    }
    const Descriptor writer(fifo, O_WRONLY);  // opens once the program reads
    ::kill(parent, SIGKILL);
    ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
    pollfd reader = {.fd = writer.get(), .events = 0, .revents = 0};
    EXPECT_EQ(::poll(&reader, 1, 30'000), 1);
    EXPECT_EQ(reader.revents, POLLERR);
}

TEST(Sandbox, StartsNoOtherProcess) {
    for (const char* call :
         {"os.fork()", "subprocess.run(['/bin/true'])", "os.posix_spawn('/bin/true', ['true'], {})",
          "ctypes.CDLL(None, use_errno=True).vfork() < 0 and os.kill(1, 0)"}) {
        const SandboxRun done = python("import ctypes, os, subprocess\ntry: " + std::string(call) +
                                           "\nexcept PermissionError: print('refused')",
                                       "/");
        EXPECT_EQ(done.output, "refused\n") << call << done.errors;
    }
}

TEST(Sandbox, SignalsNoOtherProcess) {
    const std::string pid = std::to_string(::getpid());
    const SandboxRun done = python("import os\ntry: os.kill(" + pid +
                                       ", 0)\nexcept PermissionError: print('refused')\n"
                                       "os.kill(os.getpid(), 0)\nprint('sent')",
                                   "/");
    EXPECT_EQ(done.output, "refused\nsent\n") << done.errors;
}

TEST(Sandbox, HasThreads) {
    const SandboxRun done = python(
        "import threading\nt = threading.Thread(target=lambda: print('ran'))\nt.start()\nt.join()",
        "/");
    EXPECT_EQ(done.output, "ran\n") << done.errors;
}

TEST(Sandbox, InheritsNoFile) {
    const int file = ::open("/etc/passwd", O_RDONLY);  // NOLINT(android-cloexec-open): on purpose
    ASSERT_GE(file, 0);
    const SandboxRun done = python(
        "import os\ntry: os.fstat(" + std::to_string(file) + ")\nexcept OSError: print('closed')",
        "/");
    ::close(file);
    EXPECT_EQ(done.output, "closed\n") << done.errors;
}

TEST(Sandbox, EndsWhatGoesOnWithoutItsStreams) {
    const SandboxRun done =
        run("exec >&- 2>&-; exec sleep 1000", {.time = std::chrono::seconds(1)});
    EXPECT_EQ(done.refusal, "it took too long");
    EXPECT_EQ(done.exit_code, 128 + SIGKILL);
}

TEST(Sandbox, NamesTheSignalThatEndedIt) {
    const SandboxRun done = run("kill -TERM $$");
    EXPECT_EQ(done.refusal, "it was ended by signal 15");
    EXPECT_EQ(done.exit_code, 128 + SIGTERM);
}

TEST(Sandbox, EndsWhatTakesTooLong) {
    const SandboxRun done = run("exec sleep 1000", {.time = std::chrono::seconds(1)});
    EXPECT_EQ(done.refusal, "it took too long");
    EXPECT_EQ(done.exit_code, 128 + SIGKILL);
}

TEST(Sandbox, EndsWhatPrintsTooMuch) {
    const SandboxRun done = run("while :; do echo text; done", {.output_bytes = 100});
    EXPECT_EQ(done.refusal, "it printed too much");
    EXPECT_EQ(done.output.size(), 100U);
}

TEST(Sandbox, SaysThatAProgramCannotBeStarted) {
    EXPECT_EQ(run_in_sandbox({.arguments = {"/nonexistent"}, .rights = {.directory = "/tmp"}}, {})
                  .refusal,
              "it cannot be started");
}

}  // namespace
}  // namespace renderer::inline base
