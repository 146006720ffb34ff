#include "renderer/repo/git_attributes.h"

#include <array>
#include <string_view>

namespace renderer::repo {

namespace {

enum Attribute : std::size_t { Text, Crlf, Eol, Filter, Encoding, Ident, kAttributes };

std::string blob_text(const char* value) {
    return git_attr_value(value) == GIT_ATTR_VALUE_STRING ? value : "";
}

// `crlf` is the old name of `text`: `-crlf` means `-text`, and `crlf=input` means `eol=lf`.
Checkout::LineEnds line_ends_of(const std::array<const char*, kAttributes>& values) {
    const char* const kind =
        git_attr_value(values[Text]) == GIT_ATTR_VALUE_UNSPECIFIED ? values[Crlf] : values[Text];
    const std::string spelled = blob_text(kind);
    if (git_attr_value(kind) == GIT_ATTR_VALUE_FALSE || spelled == "input" ||
        blob_text(values[Eol]) != "crlf") {
        return Checkout::LineEnds::Keep;
    }
    return spelled == "auto" ? Checkout::LineEnds::CrlfUnlessMixed : Checkout::LineEnds::Crlf;
}

// Git's heuristic for binary files: a NUL, or more than one unprintable byte in 128.
bool looks_binary(std::string_view text) {
    std::size_t odd = 0;
    std::size_t plain = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == 0) {
            return true;
        }
        if (byte == '\r' || byte == '\n') {
            continue;
        }
        const bool last_mark = byte == 0x1a && i + 1 == text.size();
        const bool control = byte < 0x20 && byte != '\b' && byte != '\t' && byte != 0x1b &&
                             byte != '\f' && !last_mark;
        ++(control || byte == 0x7f ? odd : plain);
    }
    return plain / 128 < odd;
}

}  // namespace

Result<Checkout> checkout_of(git_repository* repository, const git_oid& commit,
                             const std::string& path) {
    std::array<const char*, kAttributes> names = {
        "text", "crlf", "eol", "filter", "working-tree-encoding", "ident"};
    std::array<const char*, kAttributes> values{};
    git_attr_options options{};
    options.version = GIT_ATTR_OPTIONS_VERSION;
    options.flags =
        GIT_ATTR_CHECK_INDEX_ONLY | GIT_ATTR_CHECK_NO_SYSTEM | GIT_ATTR_CHECK_INCLUDE_COMMIT;
    options.attr_commit_id = commit;
    if (git_attr_get_many_ext(values.data(), repository, &options, path.c_str(), names.size(),
                              names.data()) != 0) {
        return git::git_failure("cannot read the .gitattributes of the revision", path);
    }
    return Checkout{.line_ends = line_ends_of(values),
                    .filter = blob_text(values[Filter]),
                    .encoding = blob_text(values[Encoding]),
                    .ident = git_attr_value(values[Ident]) == GIT_ATTR_VALUE_TRUE};
}

std::string with_line_ends(std::string text, Checkout::LineEnds line_ends) {
    using enum Checkout::LineEnds;
    if (line_ends == Keep || (line_ends == CrlfUnlessMixed &&
                              (text.find('\r') != std::string::npos || looks_binary(text)))) {
        return text;
    }
    std::string converted;
    converted.reserve(text.size() + text.size() / 16);
    for (const char c : text) {
        if (c == '\n' && !converted.ends_with('\r')) {
            converted += '\r';
        }
        converted += c;
    }
    return converted;
}

}  // namespace renderer::repo
