#include "runtime/proxy/child_processes.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>

#include "runtime/base/asio_loop.h"

namespace runtime::proxy {
namespace {

class ChildProcessesTest : public testing::Test {
protected:
    ChildProcessesTest() { EXPECT_TRUE(children.start()); }

    Ending run(const std::string& script) {
        std::optional<Ending> ending;
        auto child = children.spawn("sh", {"-c", script}, {"SAID=yes"}, [&](const Ending& its) {
            ending = its;
            loop.stop();
        });
        EXPECT_TRUE(child);
        loop.run();
        return ending.value_or(Ending{-1, -1});
    }

    AsioLoop loop;
    ChildProcesses children{loop};
};

TEST_F(ChildProcessesTest, SayHowTheyEnded) {
    EXPECT_EQ(run("exit 0").code, 0);
    EXPECT_EQ(run("exit 3").text(), "exit status 3");
    const Ending killed = run("kill -TERM $$");
    EXPECT_EQ(killed.code, 128 + SIGTERM);
    EXPECT_EQ(killed.text(), "signal: Terminated");
    EXPECT_EQ(run("test \"$SAID\" = yes && test -n \"$PATH\"").code, 0);
}

TEST_F(ChildProcessesTest, HaveNoneOfOurBlockedSignalsAndAGroupOfTheirOwn) {
    EXPECT_EQ(run("test $(ps -o pgid= -p $$) = $$ && grep -q 'SigBlk:.0000000000000000' "
                  "/proc/self/status")
                  .code,
              0);
}

TEST_F(ChildProcessesTest, AreEndedBySignalsWhileTheyRun) {
    std::optional<Ending> ending;
    auto child = children.spawn("sleep", {"1000"}, {}, [&](const Ending& its) {
        ending = its;
        loop.stop();
    });
    ASSERT_TRUE(child);
    children.send(*child, SIGTERM);
    loop.run();
    EXPECT_EQ(ending->signal, SIGTERM);
    children.send(*child, SIGTERM);  // it has ended: nothing happens
}

TEST_F(ChildProcessesTest, AreReapedAfterTheirParentHasEnded) {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    EXPECT_EQ(run("sleep 0.05 & exit 0").code, 0);
    loop.after(std::chrono::milliseconds(300), [&] { loop.stop(); });
    loop.run();
    int status = 0;
    EXPECT_EQ(waitpid(-1, &status, WNOHANG), -1) << "a child was not reaped";
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(ChildProcessesTest, SayThatTheyCannotStart) {
    auto child = children.spawn("no-such-program", {}, {}, nullptr);
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().diagnostic.message,
              "exec: \"no-such-program\": No such file or directory");
}

}  // namespace
}  // namespace runtime::proxy
