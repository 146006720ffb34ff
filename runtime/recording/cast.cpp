#include "runtime/recording/cast.h"

#include <fmt/format.h>

#include <utility>

#include "renderer/core/json.h"

namespace runtime::recording {

using renderer::Value;

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns the length of the character that begins with this byte. 0: no character does.
std::size_t length_of(unsigned char first) {
    return first < 0x80                     ? 1
           : first >= 0xC2 && first <= 0xDF ? 2
           : (first & 0xF0U) == 0xE0        ? 3
           : first >= 0xF0 && first <= 0xF4 ? 4
                                            : 0;
}

// The range of the second byte excludes overlong forms, surrogates and values beyond Unicode
// (Unicode 15, table 3-7).
bool may_follow(unsigned char first, unsigned char next, std::size_t at) {
    if (at > 1) {
        return (next & 0xC0U) == 0x80;
    }
    const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    return next >= low && next <= high;
}

std::string line_of(Since since, std::string_view code, std::string_view text) {
    const std::string seconds = fmt::format("{}.{:03}", since.count() / 1000, since.count() % 1000);
    return renderer::write_json(Value::list({Value::number(seconds), code, text})) + "\n";
}

}  // namespace

std::string valid_text(std::string_view text) {
    WholeText whole;
    const std::string out = whole.take(text);
    return out + whole.rest();
}

std::string header_line(const CastHeader& header, Size size) {
    Value out = Value::map({{"version", 2},
                            {"width", size.columns},
                            {"height", size.rows},
                            {"timestamp", header.timestamp}});
    renderer::put_if(out, !header.command.empty(), "command", valid_text(header.command));
    out.add("srcNode", header.node);
    out.add("srcNodeID", header.node_id);
    if (!header.tags.empty()) {
        out.add("srcNodeTags", renderer::text_list(header.tags));
    } else {
        renderer::put_if(out, header.user_id != 0, "srcNodeUserID", header.user_id);
        renderer::put_if(out, !header.user.empty(), "srcNodeUser", header.user);
    }
    out.add("env", Value());
    out.add("sshUser", "");
    out.add("localUser", "");
    out.add("connectionID", "");
    out.add("kubernetes", Value::map({{"PodName", header.pod},
                                      {"Namespace", header.ns},
                                      {"Container", valid_text(header.container)},
                                      {"SessionType", header.session_type}}));
    return renderer::write_json(out) + "\n";
}

std::string output_line(Since since, std::string_view text) {
    return line_of(since, "o", text);
}

std::string resize_line(Since since, Size size) {
    return line_of(since, "r", fmt::format("{}x{}", size.columns, size.rows));
}

std::string WholeText::take(std::string_view bytes) {
    const std::string all = std::exchange(waiting_, {}).append(bytes);
    std::string out;
    std::size_t at = 0;
    while (at < all.size()) {
        const auto first = static_cast<unsigned char>(all[at]);
        const std::size_t length = length_of(first);
        std::size_t known = 1;
        while (known < length && at + known < all.size() &&
               may_follow(first, static_cast<unsigned char>(all[at + known]), known)) {
            ++known;
        }
        if (length > 0 && known == length) {
            out.append(all, at, length);
        } else if (length > 0 && at + known == all.size()) {
            waiting_ = all.substr(at);
        } else {
            out.append(kReplacement);
        }
        at += known;
    }
    return out;
}

std::string WholeText::rest() {
    return std::exchange(waiting_, {}).empty() ? std::string() : std::string(kReplacement);
}

}  // namespace runtime::recording
