// The sources of a kustomize generator: env files, literals and files, exactly as kustomize 5 takes
// them (no quotes, no escapes, no trimming on the right, …). Values are credentials as often as
// not: nothing here puts one into a message. Source: kustomize api/kv/kv.go,
// api/internal/generators.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"

namespace renderer {

// A line of a file that is longer ends the file, silently: bufio.Scanner gives up on it.
constexpr std::size_t kMaxEnvLine = 65535;

struct EnvEntry {
    std::string_view key, value;
    std::size_t offset = 0;  // of the key
};

struct EnvFile {
    std::vector<EnvEntry> entries;            // views into the text
    std::optional<std::size_t> bad_utf8;      // offset of the line: kustomize refuses the file
    std::optional<std::size_t> cut_off;       // offset of a line that is too long
    std::vector<std::size_t> without_equals;  // offsets of lines that have no `=`
    bool has_mark = false;                    // begins with a byte order mark
};

EnvFile parse_env_file(std::string_view text);

struct KeyValue {
    std::string key, value;
};

// `key=value`, one pair of outer quotes removed; no value when there is no key or no `=`.
std::optional<KeyValue> parse_literal(std::string_view literal);

// `path` or `key=path`: .value is the path. No value when it is neither.
std::optional<KeyValue> parse_file_source(std::string_view source);

// What people get wrong in an env file with credentials, as warnings. `example`: the text of the
// file of the same name with `.example` behind it, "" if there is none.
void lint_env_file(const SourceMap& sources, SourceId source, const EnvFile& file,
                   std::string_view example, Diagnostics& diagnostics);

// The file is encrypted by SOPS (`sops_…` keys), so its values are no credentials.
bool is_encrypted(const EnvFile& file);

}  // namespace renderer
