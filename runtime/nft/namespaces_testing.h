// Network namespaces for tests. Needs root.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace runtime::nft {

// Returns the output of the command, which must succeed.
inline std::string output_of(const std::string& command) {
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "re");
    std::string text;
    char buffer[4096];
    while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
        text.append(buffer, size);
    }
    EXPECT_EQ(pclose(pipe), 0) << command << "\n" << text;
    return text;
}

class Descriptor {
public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    [[nodiscard]] int get() const { return number_; }

private:
    int number_;
};

class Namespace {
public:
    // Creates a namespace and moves the thread into it.
    Namespace() {
        EXPECT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
        self_ = Descriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
        // Addresses are usable at once, without duplicate address detection.
        output_of(
            "ip link set lo up && sysctl -qw net.ipv6.conf.all.accept_dad=0 "
            "net.ipv6.conf.default.accept_dad=0");
    }
    void enter() const { EXPECT_EQ(setns(self_.get(), CLONE_NEWNET), 0); }
    // The path as `ip link` takes it.
    [[nodiscard]] std::string path() const {
        return fmt::format("/proc/{}/fd/{}", getpid(), self_.get());
    }
    void run(const std::string& command) const {
        enter();
        output_of(command);
    }

private:
    Descriptor self_;
};

}  // namespace runtime::nft
