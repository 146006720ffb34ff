#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/core/json.h"
#include "runtime/recording/streams.h"

namespace runtime::recording {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::int64_t kLargest = 65535;  // the kernel's limit

// Returns the number, 0 if it is missing, or -1 if it is invalid. Go ignores the case of keys.
int member(const renderer::Value& map, std::string_view lower) {
    for (const renderer::Member& one : map.members()) {
        if (renderer::lower_case(one.name()) == lower) {
            const auto number =
                one.value.is_number() ? one.value.as_int() : std::optional<std::int64_t>();
            return number && *number >= 0 && *number <= kLargest ? static_cast<int>(*number) : -1;
        }
    }
    return 0;
}

Problem read_line(std::string_view line, std::vector<StreamEvent>& events) {
    if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return std::nullopt;
    }
    const auto json = renderer::read_json(line);
    if (!json || !json->is_map()) {
        return "a resize message that is not JSON";
    }
    const Size size{member(*json, "width"), member(*json, "height")};
    if (size.columns < 0 || size.rows < 0) {
        return "an invalid resize message";
    }
    events.push_back({.kind = StreamEvent::Kind::Resize, .size = size});
    return std::nullopt;
}

}  // namespace

Problem ResizeText::take(std::string_view bytes, std::vector<StreamEvent>& events) {
    text_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos;
         end = text_.find('\n', begin)) {
        if (auto problem = read_line(std::string_view(text_).substr(begin, end - begin), events)) {
            return problem;
        }
        begin = end + 1;
    }
    text_.erase(0, begin);
    return text_.size() > kLongest ? Problem("a resize that does not end") : std::nullopt;
}

Problem ResizeText::end(std::vector<StreamEvent>& events) {
    return read_line(std::exchange(text_, {}), events);
}

}  // namespace runtime::recording
