#include "renderer/base/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "renderer/base/confinement.h"
#include "renderer/base/descriptor.h"

namespace renderer {
namespace {

SandboxRun run(const std::string& script, const SandboxLimits& limits = {}) {
    return run_in_sandbox({.arguments = {"/bin/sh", "-c", script}, .directory = "/tmp"}, limits);
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
        {.arguments = {"/usr/bin/python3", "-I", "-c", script}, .directory = directory}, {});
}

TEST(Sandbox, HasNoNetwork) {
    const SandboxRun done = python(
        "import socket\ntry: socket.socket()\nexcept PermissionError: print('refused')", "/tmp");
    EXPECT_EQ(done.output, "refused\n") << done.errors;
}

class SandboxFiles : public testing::Test {
protected:
    SandboxFiles() {
        std::filesystem::create_directories(dir_ + "/folder");
        std::ofstream(dir_ + "/file") << "text\n";
    }
    ~SandboxFiles() override { std::filesystem::remove_all(dir_); }

    // What is there afterwards.
    [[nodiscard]] std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_)) {
            all.insert(entry.path().filename());
        }
        return all;
    }

    const std::string dir_ = testing::TempDir() + "sandbox_test" + std::to_string(::getpid());
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
        (void)run_in_sandbox({.arguments = {"/bin/sh", "-c", "read line <fifo"}, .directory = dir_},
                             {});
        ::_exit(0);
    }
    const Descriptor writer(fifo, O_WRONLY);  // as soon as the program reads
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
    EXPECT_EQ(run_in_sandbox({.arguments = {"/nonexistent"}, .directory = "/tmp"}, {}).refusal,
              "it cannot be started");
}

}  // namespace
}  // namespace renderer
