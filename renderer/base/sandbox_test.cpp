#include "renderer/base/sandbox.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace renderer {
namespace {

SandboxRun run(const std::string& script, const SandboxLimits& limits = {}) {
    return run_in_sandbox({"/bin/sh", "-c", script}, "/tmp", limits);
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
    EXPECT_EQ(run("echo \"$TAILRENDER_SECRET$HOME\"; cat").output, "/tmp\n");
}

TEST(Sandbox, HasNoNetwork) {
    const SandboxRun done = run_in_sandbox(
        {"/usr/bin/python3", "-c",
         "import socket\ntry: socket.socket()\nexcept PermissionError: print('refused')"},
        "/tmp", {});
    EXPECT_EQ(done.output, "refused\n") << done.errors;
}

TEST(Sandbox, WritesNothing) {
    const std::string path = testing::TempDir() + "sandbox_test.txt";
    const SandboxRun done = run("echo text >" + path);
    EXPECT_NE(done.exit_code, 0);
    std::error_code error;
    EXPECT_EQ(std::filesystem::file_size(path, error), 0U);
    std::filesystem::remove(path, error);
}

TEST(Sandbox, EndsWhatTakesTooLong) {
    const SandboxRun done = run("sleep 1000", {.time = std::chrono::seconds(1)});
    EXPECT_EQ(done.refusal, "it took too long");
    EXPECT_EQ(done.exit_code, 128 + SIGKILL);
}

TEST(Sandbox, EndsWhatPrintsTooMuch) {
    const SandboxRun done = run("while :; do echo text; done", {.output_bytes = 100});
    EXPECT_EQ(done.refusal, "it printed too much");
    EXPECT_EQ(done.output.size(), 100U);
}

TEST(Sandbox, SaysThatAProgramCannotBeStarted) {
    EXPECT_EQ(run_in_sandbox({"/nonexistent"}, "/tmp", {}).refusal, "it cannot be started");
}

}  // namespace
}  // namespace renderer
