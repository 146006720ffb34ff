#include "renderer/engines/kustomize/env_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/base/white_space.h"
#include "renderer/repo/paths.h"

namespace renderer::engines {

namespace {

void parse_line(std::string_view line, std::size_t offset, EnvFile& file) {
    const std::string_view trimmed = trim_front(line);
    offset += line.size() - trimmed.size();
    line = trimmed;
    if (line.empty() || line.front() == '#') {
        return;
    }
    const std::size_t equals = line.find('=');
    if (equals == 0) {
        return;  // no key: kustomize ignores the line
    }
    if (equals == std::string_view::npos) {
        file.without_equals.push_back(offset);
        file.entries.push_back({line, {}, offset});
        return;
    }
    file.entries.push_back({line.substr(0, equals), line.substr(equals + 1), offset});
}

bool is_quoted(std::string_view value) {
    return value.size() >= 2 && value.front() == value.back() &&
           (value.front() == '"' || value.front() == '\'');
}

bool is_good_key(std::string_view key) {
    return std::ranges::all_of(
        key, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

class EnvLint {
public:
    EnvLint(const SourceMap& sources, SourceId source, Diagnostics& diagnostics)
        : sources_(sources), source_(source), diagnostics_(diagnostics) {}

    void warn(std::size_t offset, std::string message, std::string_view hint) {
        diagnostics_
            .warning("suspicious-env-file", sources_.pos(source_, offset), std::move(message))
            .hint(hint)
            .hide_text();
    }

    // A line without "=" is reported already.
    void check_key(const EnvEntry& entry, bool lacks_equals) {
        if (entry.key.starts_with("export ")) {
            warn(entry.offset, "\"export\" becomes part of the key", "remove \"export\"");
        } else if (!is_good_key(entry.key) && !lacks_equals) {
            warn(entry.offset, "a key may only contain letters, digits, \"-\", \"_\" and \".\"",
                 "write KEY=value without spaces around \"=\"");
        }
    }

    void check_value(const EnvEntry& entry) {
        if (is_quoted(entry.value)) {
            warn(entry.offset,
                 fmt::format("the quotes become part of the value of \"{}\"", entry.key),
                 "remove the quotes");
        }
        if (entry.value.ends_with(' ') || entry.value.ends_with('\t') ||
            entry.value.ends_with('\r')) {
            warn(entry.offset,
                 fmt::format("the trailing space becomes part of the value of \"{}\"", entry.key),
                 "remove it");
        }
    }

    void check_placeholder(const EnvEntry& entry, const EnvFile& example) {
        const auto same = [&](const EnvEntry& other) {
            return other.key == entry.key && other.value == entry.value && !entry.value.empty();
        };
        if (std::ranges::any_of(example.entries, same)) {
            warn(entry.offset, fmt::format("\"{}\" still has its example value", entry.key),
                 "fill in the real value");
        }
    }

private:
    const SourceMap& sources_;
    SourceId source_;
    Diagnostics& diagnostics_;
};

}  // namespace

EnvFile parse_env_file(std::string_view text) {
    EnvFile file;
    file.has_mark = text.starts_with(kByteOrderMark);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end - at > kMaxEnvLine) {
            file.cut_off = at;
            break;
        }
        std::string_view line = text.substr(at, end - at);
        line.remove_suffix(line.ends_with('\r') ? 1 : 0);
        if (find_bad_utf8(line) != std::string_view::npos) {
            file.bad_utf8 = at;
            break;
        }
        const std::size_t mark = at == 0 && file.has_mark ? kByteOrderMark.size() : 0;
        parse_line(line.substr(mark), at + mark, file);
        at = end + 1;
    }
    return file;
}

std::optional<KeyValue> parse_literal(std::string_view literal) {
    const std::size_t equals = literal.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view value = literal.substr(equals + 1);
    if (is_quoted(value)) {
        value = value.substr(1, value.size() - 2);
    }
    return KeyValue{std::string(literal.substr(0, equals)), std::string(value)};
}

std::optional<KeyValue> parse_file_source(std::string_view source) {
    const auto count = std::ranges::count(source, '=');
    if (count == 0) {
        return KeyValue{std::string(repo::base_name(source)), std::string(source)};
    }
    if (count > 1 || source.starts_with('=') || source.ends_with('=')) {
        return std::nullopt;
    }
    const std::size_t equals = source.find('=');
    return KeyValue{std::string(source.substr(0, equals)), std::string(source.substr(equals + 1))};
}

void lint_env_file(const SourceMap& sources, SourceId source, const EnvFile& file,
                   std::string_view example, Diagnostics& diagnostics) {
    EnvLint lint(sources, source, diagnostics);
    const EnvFile placeholders = parse_env_file(example);
    if (file.has_mark) {
        lint.warn(0, "the file begins with a byte order mark", "save it as UTF-8 without one");
    }
    for (const std::size_t offset : file.without_equals) {
        lint.warn(offset, "a line without \"=\" is a key with an empty value",
                  "write KEY=value without spaces around \"=\"");
    }
    if (file.cut_off) {
        lint.warn(*file.cut_off,
                  "a line is longer than 65535 bytes: it and all lines after it are ignored",
                  "use \"files\" for long values");
    }
    for (const EnvEntry& entry : file.entries) {
        lint.check_key(entry, std::ranges::find(file.without_equals, entry.offset) !=
                                  file.without_equals.end());
        lint.check_value(entry);
        lint.check_placeholder(entry, placeholders);
    }
}

bool is_encrypted(const EnvFile& file) {
    return std::ranges::any_of(
        file.entries, [](const EnvEntry& entry) { return entry.key.starts_with("sops_"); });
}

}  // namespace renderer::engines
