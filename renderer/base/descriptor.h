// Files by their descriptors, for what streams do not report: why a call failed (`errno`), and
// whether everything was written.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace renderer::inline base {

class Descriptor {
public:
    // Opens the file close-on-exec, so programs that are started do not inherit it.
    Descriptor(const std::string& path, int flags);
    explicit Descriptor(int fd) : fd_(fd) {}  // takes ownership of `fd`
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();

    [[nodiscard]] int get() const { return fd_; }                   // -1 if it could not be opened
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }  // the caller closes it
    // Closes it now. Returns false on an error: some file systems report a full disk only here.
    bool close();

private:
    int fd_;
};

// Both continue after a signal. They return false on an error, with `errno`.
bool write_all(int fd, std::string_view text);
bool read_all(int fd, std::string& text);  // appends the rest of the file

}  // namespace renderer::inline base
