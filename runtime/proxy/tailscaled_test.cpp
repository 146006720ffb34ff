#include "runtime/proxy/tailscaled.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "renderer/base/descriptor.h"
#include "renderer/base/temporary_folder_testing.h"
#include "runtime/testing/fake_loop.h"
#include "runtime/testing/open_transport.h"

namespace runtime::proxy {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The program only sleeps; the test listens on its socket instead.
class TailscaledTest : public testing::Test {
protected:
    TailscaledTest() {
        environment.socket = folder.path() + "/tailscaled.sock";
        const std::string program = folder.path() + "/tailscaled";
        std::ofstream(program) << "#!/bin/sh\nexec sleep 1000\n";
        fs::permissions(program, fs::perms::owner_all);
        path = std::getenv("PATH");
        setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
        EXPECT_TRUE(children.start());
    }
    ~TailscaledTest() override {
        setenv("PATH", path.c_str(), 1);
        tailscaled.end();
    }

    [[nodiscard]] renderer::Descriptor listen_at_socket() const {
        fs::remove(environment.socket);
        sockaddr_un address = {};
        address.sun_family = AF_UNIX;
        environment.socket.copy(address.sun_path, sizeof address.sun_path - 1);
        renderer::Descriptor out(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(bind(out.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(out.get(), 1), 0);
        return out;
    }
    [[nodiscard]] int times_after(milliseconds time) {
        loop.run_for(time);
        return times;
    }

    const renderer::TemporaryFolder folder;
    std::string path;
    Environment environment;
    FakeLoop loop;
    Log log{Log::Form::Json, LogLevel::Error};
    OpenTransport transport;
    localapi::LocalApi api{transport};
    ChildProcesses children{loop};
    int times = 0;  // how often on_socket was called
    Tailscaled tailscaled{
        loop, children,    api,
        log,  environment, {.on_socket = [this] { ++times; }, .on_end = [](const Ending&) {}}};
};

TEST_F(TailscaledTest, IsAskedOnceItListens) {
    ASSERT_TRUE(tailscaled.start(""));
    EXPECT_EQ(times_after(milliseconds(950)), 0);
    const auto socket = listen_at_socket();
    EXPECT_EQ(times_after(milliseconds(100)), 1);
    EXPECT_EQ(times_after(milliseconds(5000)), 1);
}

// A restarted container may find the old socket in a volume of its pod.
TEST_F(TailscaledTest, IsNotAskedAtTheSocketOfOneThatWasKilled) {
    static_cast<void>(listen_at_socket());
    ASSERT_TRUE(fs::exists(environment.socket));
    ASSERT_TRUE(tailscaled.start(""));
    EXPECT_EQ(times_after(milliseconds(950)), 0);
    const auto socket = listen_at_socket();
    EXPECT_EQ(times_after(milliseconds(100)), 1);
}

}  // namespace
}  // namespace runtime::proxy
