// Files by their descriptors, for what streams do not tell: why a call failed (`errno`), and
// whether all was written.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace renderer {

class Descriptor {
public:
    // A program that is started does not get it.
    Descriptor(const std::string& path, int flags);
    explicit Descriptor(int fd) : fd_(fd) {}  // which it closes
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();

    [[nodiscard]] int get() const { return fd_; }                   // -1: it could not be opened
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }  // the caller closes it
    // Some file systems report a full disk only here.
    bool close();

private:
    int fd_;
};

// What a signal interrupts goes on.
bool write_all(int fd, std::string_view text);
bool read_all(int fd, std::string& text);  // appends all that is left

}  // namespace renderer
