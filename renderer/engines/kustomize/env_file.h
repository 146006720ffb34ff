// Parses the sources of a kustomize generator, which are env files, literals and files, exactly as
// kustomize 5 does (no quotes, no escapes, no trimming on the right, …). Values are often
// credentials, so no message contains one. Source: kustomize api/kv/kv.go, api/internal/generators.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/source_map.h"

namespace renderer::engines {

// The longest line of an env file, in bytes. A longer one ends the file without an error, since
// kustomize's bufio.Scanner stops there.
constexpr std::size_t kMaxEnvLine = 65535;

struct EnvEntry {
    std::string_view key, value;
    std::size_t offset = 0;  // of the key
};

struct EnvFile {
    std::vector<EnvEntry> entries;            // views of the text
    std::optional<std::size_t> bad_utf8;      // offset of the line; kustomize refuses the file
    std::optional<std::size_t> cut_off;       // offset of a line that is too long
    std::vector<std::size_t> without_equals;  // offsets of lines that have no `=`
    bool has_mark = false;                    // the file begins with a byte order mark
};

EnvFile parse_env_file(std::string_view text);

struct KeyValue {
    std::string key, value;
};

// Parses `key=value`, and removes one pair of outer quotes from the value. Returns no value if the
// key or the `=` is missing.
std::optional<KeyValue> parse_literal(std::string_view literal);

// Parses `path` or `key=path`; the path is in `value`. Returns no value for any other form.
std::optional<KeyValue> parse_file_source(std::string_view source);

// Warns about common mistakes in an env file with credentials. `example`: the text of the file
// FILE.example beside it, "" if there is none.
void lint_env_file(const SourceMap& sources, SourceId source, const EnvFile& file,
                   std::string_view example, Diagnostics& diagnostics);

// True if SOPS encrypted the file (it has `sops_…` keys), so that its values are not credentials.
bool is_encrypted(const EnvFile& file);

}  // namespace renderer::engines
