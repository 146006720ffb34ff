#include "renderer/cli/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "renderer/base/temporary_folder_testing.h"

namespace renderer::cli {
namespace {

// Redirects a file descriptor during its lifetime.
class Redirected {
public:
    Redirected(int fd, int target) : fd_(fd), saved_(::dup(fd)) { ::dup2(target, fd); }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;
    ~Redirected() {
        ::dup2(saved_, fd_);
        ::close(saved_);
    }

private:
    int fd_, saved_;
};

class ConsoleTest : public testing::Test {
protected:
    void SetUp() override {
        std::signal(SIGPIPE, SIG_IGN);
        err_ = ::open((dir_ + "/err").c_str(), O_RDWR | O_CREAT, 0600);
    }
    void TearDown() override { ::close(err_); }

    std::string read(const std::string& name) const {
        std::ifstream file(dir_ + "/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
    int err_ = -1;
};

TEST_F(ConsoleTest, SaysWhenTheOutputIsNotTaken) {
    const int full = ::open("/dev/full", O_WRONLY);
    int broken[2];
    ASSERT_EQ(::pipe(broken), 0);
    ::close(broken[0]);
    const Redirected err(STDERR_FILENO, err_);
    for (const int target : {full, broken[1]}) {
        const Redirected out(STDOUT_FILENO, target);
        Console console(false, "");
        EXPECT_FALSE(console.out("a stream\n"));
    }
    ::close(full);
    ::close(broken[1]);
    EXPECT_EQ(read("err"),
              "<stdout>: error: cannot write the output: No space left on device [write-failed]\n");
}

TEST_F(ConsoleTest, LogsWithoutColour) {
    const Redirected err(STDERR_FILENO, err_);
    for (int run = 0; run < 2; ++run) {
        Console console(true, dir_ + "/log");
        ASSERT_TRUE(console.ready());
        console.log("header\n");
        console.tell([](bool color) { return std::string(color ? "red\n" : "plain\n"); });
        EXPECT_EQ(console.finish("render", 0), 0);
    }
    EXPECT_EQ(read("err"), "red\nred\n");
    EXPECT_EQ(read("log"), "header\nplain\nheader\nplain\n");
}

TEST_F(ConsoleTest, FailsWithALogThatCannotBeWritten) {
    const Redirected err(STDERR_FILENO, err_);
    const Console missing(false, dir_ + "/nowhere/log");
    EXPECT_FALSE(missing.ready());
    Console full(false, "/dev/full");
    full.err("text\n");
    full.err("more\n");
    EXPECT_EQ(full.finish("render", 0), 1);
    EXPECT_EQ(full.finish("render", 2), 2);
    EXPECT_EQ(read("err"),
              dir_ +
                  "/nowhere/log: error: cannot open the log file: No such file or directory "
                  "[log-file]\n"
                  "text\n"
                  "/dev/full: error: cannot write the log file: No space left on device "
                  "[log-file]\n"
                  "more\n");
}

Diagnostic no_cluster() {
    return {.rule = "unknown-cluster", .where = "--cluster", .message = "no such cluster"};
}

TEST_F(ConsoleTest, WritesDiagnosticsToFilesInsteadOfStandardError) {
    const Redirected err(STDERR_FILENO, err_);
    Console console(
        false, dir_ + "/log",
        {{DiagnosticFormat::Github, dir_ + "/commands"}, {DiagnosticFormat::Text, dir_ + "/text"}});
    console.diagnose(no_cluster());
    console.diagnose(no_cluster());
    console.err("report\n");
    EXPECT_EQ(console.finish("render", 1), 1);
    const std::string text = "--cluster: error: no such cluster [unknown-cluster]\n";
    EXPECT_EQ(read("err"), "report\n");
    EXPECT_EQ(read("commands"), "::error::--cluster: no such cluster [unknown-cluster]\n");
    EXPECT_EQ(read("text"), text + text);
    EXPECT_EQ(read("log"), text + text + "report\n");
}

TEST_F(ConsoleTest, LeavesADocumentOnStandardErrorAlone) {
    const Redirected err(STDERR_FILENO, err_);
    Console console(true, dir_ + "/log", {{DiagnosticFormat::Gitlab, ""}});
    console.err("report\n");
    EXPECT_EQ(console.finish("render", 0), 0);
    EXPECT_EQ(read("err"), "[]\n");
    EXPECT_EQ(read("log"), "report\n");
}

TEST_F(ConsoleTest, WritesCommandsOfGithubAmongOtherLines) {
    const Redirected err(STDERR_FILENO, err_);
    Console console(false, "", {{DiagnosticFormat::Github, ""}});
    console.err("::error::not ours\n");
    console.diagnose(no_cluster());
    EXPECT_EQ(console.finish("render", 1), 1);
    EXPECT_EQ(read("err"),
              "\\u003a:error::not ours\n::error::--cluster: no such cluster [unknown-cluster]\n");
}

TEST_F(ConsoleTest, FailsWithAFileOfDiagnosticsThatCannotBeWritten) {
    const Redirected err(STDERR_FILENO, err_);
    for (const int code : {0, 2}) {
        Console console(false, "", {{DiagnosticFormat::Json, dir_ + "/nowhere/file"}, {}});
        EXPECT_EQ(console.finish("render", code), code == 0 ? 1 : 2);
    }
    const std::string line =
        dir_ +
        "/nowhere/file: error: cannot write the diagnostics: No such file or directory "
        "[write-failed]\n";
    EXPECT_EQ(read("err"), line + line);
}

TEST_F(ConsoleTest, EndsWithTwoAfterAMistakeInTheCommandLine) {
    const Redirected err(STDERR_FILENO, err_);
    Console console(false, "");
    console.diagnose({.rule = "usage", .where = "--set-head", .message = "HEAD is rendered"});
    EXPECT_EQ(console.finish("diff", 1), 2);
}

TEST_F(ConsoleTest, EndsProgressWhenItWrites) {
    const Redirected err(STDERR_FILENO, err_);
    Console console(false, dir_ + "/log");
    console.show_progress(std::make_shared<Steps>());
    console.err("done\n");
    EXPECT_TRUE(read("err").ends_with("done\n"));
    EXPECT_EQ(read("log"), "done\n");
}

TEST_F(ConsoleTest, PrintsLinesAndNoCodes) {
    const int out_file = ::open((dir_ + "/out").c_str(), O_RDWR | O_CREAT, 0600);
    {
        const Redirected err(STDERR_FILENO, err_);
        const Redirected out(STDOUT_FILENO, out_file);
        Console console(false, dir_ + "/log");
        const std::string hostile = "a\x1b[2J\n ::error::b\n##[group]c\xe2\x80\xae\n";
        EXPECT_TRUE(console.out(hostile));
        EXPECT_TRUE(console.show(hostile));
        console.err(hostile);
    }
    ::close(out_file);
    const std::string safe_lines = "a\\u001b[2J\n \\u003a:error::b\n##\\u005bgroup]c\\u202e\n";
    EXPECT_EQ(read("out"), "a\x1b[2J\n ::error::b\n##[group]c\xe2\x80\xae\n" + safe_lines);
    EXPECT_EQ(read("err"), safe_lines);
    EXPECT_EQ(read("log"), safe_lines);
}

}  // namespace
}  // namespace renderer::cli
