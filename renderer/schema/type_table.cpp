#include "renderer/schema/type_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "renderer/base/check.h"
#include "renderer/base/split.h"
#include "renderer/kube/group_of.h"
#include "renderer/kube/kinds.h"

// The assembler puts schemas.txt into the binary.
// NOLINTBEGIN(hicpp-no-assembler)
asm(".section .rodata\n"
    ".global tailrender_schemas_begin\n"
    ".global tailrender_schemas_end\n"
    "tailrender_schemas_begin:\n"
    ".incbin \"" SCHEMAS_FILE
    "\"\n"
    "tailrender_schemas_end:\n"
    ".byte 0\n"
    ".previous\n");
// NOLINTEND(hicpp-no-assembler)

extern "C" {
extern const char tailrender_schemas_begin[];  // NOLINT(modernize-avoid-c-arrays)
extern const char tailrender_schemas_end[];    // NOLINT(modernize-avoid-c-arrays)
}

namespace renderer::schema {

namespace {

constexpr std::array<std::pair<std::string_view, Builtin>, 11> kBuiltins = {{
    {"any", Builtin::Any},
    {"object", Builtin::Object},
    {"string", Builtin::String},
    {"int32", Builtin::Int32},
    {"int64", Builtin::Int64},
    {"number", Builtin::Number},
    {"bool", Builtin::Bool},
    {"int-or-string", Builtin::IntOrString},
    {"quantity", Builtin::Quantity},
    {"bytes", Builtin::Bytes},
    {"time", Builtin::Time},
}};

constexpr std::string_view kCustomTypes = "tailscale.";  // prefix of their type names

template <typename Number>
void read_number(std::string_view text, std::optional<Number>& number) {
    Number value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    CHECK(error == std::errc() && stop == text.data() + text.size());
    number = value;
}

// A kind of one apiVersion, with the versions and releases that serve it.
struct KindLine {
    std::string_view api_version, kind, type, first, last;
    OperatorSpan releases;
};

struct TypeLines {
    std::string_view name;
    std::string_view alias;   // the text after `= `
    std::string_view fields;  // whole lines
};

// The text cut into lines, which are not parsed yet.
struct Index {
    std::vector<std::string_view> versions;
    std::vector<int> operators;
    std::vector<KindLine> kinds;
    std::vector<std::pair<std::string_view, std::string_view>> engines;  // kind and type
    std::vector<TypeLines> types;                                        // sorted by name
};

// Removes `@1.31-1.33` from the end of a line. Returns empty views if there is none.
std::pair<std::string_view, std::string_view> take_span(std::string_view& line) {
    const std::size_t at = line.rfind(" @");
    if (at == std::string_view::npos) {
        return {};
    }
    std::string_view last = line.substr(at + 2);
    line = line.substr(0, at);
    const std::string_view first = take(last, '-');
    return {first, last};
}

std::pair<std::string_view, std::string_view> take_versions(std::string_view& line,
                                                            const Index& index) {
    const auto span = take_span(line);
    return span.first.empty() ? std::pair(index.versions.front(), index.versions.back()) : span;
}

// Returns 98 for "1.98".
int minor_of(std::string_view release) {
    std::optional<int> minor;
    read_number(release.substr(release.find('.') + 1), minor);
    return *minor;
}

OperatorSpan take_releases(std::string_view& line, const Index& index) {
    const auto [first, last] = take_span(line);
    if (first.empty()) {
        return {};
    }
    OperatorSpan span = {.first = minor_of(first)};
    if (minor_of(last) != index.operators.back()) {
        span.last = minor_of(last);
    }
    return span;
}

void add_kind(std::string_view line, Index& index) {
    const bool is_custom = line.find(kCustomVersion) != std::string_view::npos;
    const OperatorSpan releases = is_custom ? take_releases(line, index) : OperatorSpan();
    const auto [first, last] = take_versions(line, index);
    take(line, ' ');
    const std::string_view api_version = take(line, ' ');
    const std::string_view kind = take(line, ' ');
    index.kinds.push_back({api_version, kind, line, first, last, releases});
}

Index make_index() {
    Index index;
    std::string_view rest = schema_table_text();
    while (!rest.empty()) {
        const char* begin = rest.data();
        std::string_view line = take(rest, '\n');
        if (line.starts_with(' ')) {
            std::string_view& fields = index.types.back().fields;
            const char* start = fields.empty() ? begin : fields.data();
            fields = {start, static_cast<std::size_t>(rest.data() - start)};
        } else if (line.starts_with("kind ")) {
            add_kind(line, index);
        } else if (line.starts_with("engine ")) {
            const std::vector<std::string_view> words = split(line, ' ');
            index.engines.emplace_back(words[2], words[3]);
        } else if (line.starts_with("kubernetes ")) {
            take(line, ' ');
            index.versions = split(line, ' ');
        } else if (line.starts_with("operator ")) {
            take(line, ' ');
            for (const std::string_view release : split(line, ' ')) {
                index.operators.push_back(minor_of(release));
            }
        } else if (!line.starts_with('#')) {
            const std::string_view name = take(line, ' ');
            line.remove_prefix(line.starts_with("= ") ? 2 : 0);
            index.types.push_back({.name = name, .alias = line, .fields = {}});
        }
    }
    return index;
}

const Index& table_index() {
    static const Index kIndex = make_index();
    return kIndex;
}

std::size_t rank(std::string_view version) {
    const std::vector<std::string_view>& all = table_index().versions;
    return static_cast<std::size_t>(std::ranges::find(all, version) - all.begin());
}

bool holds(std::string_view first, std::string_view last, std::string_view version) {
    return rank(first) <= rank(version) && rank(version) <= rank(last);
}

void read_limit(std::string_view key, std::string_view value, Limits& limits) {
    constexpr std::array<std::pair<std::string_view, std::optional<std::size_t> Limits::*>, 4>
        kSizes = {{{"minlen", &Limits::min_length},
                   {"maxlen", &Limits::max_length},
                   {"minitems", &Limits::min_items},
                   {"maxitems", &Limits::max_items}}};
    const auto* size = std::ranges::find(kSizes, key, [](const auto& row) { return row.first; });
    if (size != kSizes.end()) {
        read_number(value, limits.*size->second);
    } else if (key == "min") {
        read_number(value, limits.min);
    } else if (key == "max") {
        read_number(value, limits.max);
    } else if (key == "enum") {
        limits.choices = split(value, '|');
    } else if (key == "unique") {
        limits.unique = split(value, ',');
    } else if (key == "list") {
        CHECK(value == "set");
        limits.is_set = true;
    } else {
        CHECK(key == "format" && value == "cidr");
        limits.is_cidr = true;
    }
}

}  // namespace

std::string_view schema_table_text() {
    return {tailrender_schemas_begin,
            static_cast<std::size_t>(tailrender_schemas_end - tailrender_schemas_begin)};
}

const TypedField* StructType::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(fields, name, {}, &TypedField::name);
    return found != fields.end() && found->name == name ? &*found : nullptr;
}

const std::vector<std::string_view>& kubernetes_versions() {
    return table_index().versions;
}

TypeTable::TypeTable(std::string_view version) {
    const std::vector<std::string_view>& all = kubernetes_versions();
    const auto found = std::ranges::find(all, version);
    CHECK(found != all.end());
    version_ = *found;
}

bool TypeTable::knows_group(std::string_view api_version) {
    return std::ranges::any_of(table_index().kinds, [&](const KindLine& line) {
        return group_of(line.api_version) == group_of(api_version);
    });
}

std::string TypeTable::served_by(std::string_view api_version, std::string_view kind) {
    std::string spans;
    for (const KindLine& line : table_index().kinds) {
        if (line.api_version == api_version && line.kind == kind) {
            spans += spans.empty() ? "" : ", ";
            spans += line.first == line.last ? std::string(line.first)
                                             : fmt::format("{}-{}", line.first, line.last);
        }
    }
    return spans;
}

OperatorSpan TypeTable::releases_of(std::string_view kind) {
    const std::vector<KindLine>& all = table_index().kinds;
    const auto found = std::ranges::find_if(all, [&](const KindLine& line) {
        return line.kind == kind && line.api_version == kCustomVersion;
    });
    CHECK(found != all.end());
    return found->releases;
}

std::vector<std::string_view> TypeTable::versions_of(std::string_view api_version,
                                                     std::string_view kind,
                                                     std::string_view version) {
    std::vector<std::string_view> found;
    for (const KindLine& line : table_index().kinds) {
        if (line.kind == kind && group_of(line.api_version) == group_of(api_version) &&
            holds(line.first, line.last, version)) {
            found.push_back(line.api_version);
        }
    }
    return found;
}

std::vector<std::string_view> TypeTable::kinds_of(std::string_view api_version,
                                                  std::string_view version) {
    std::vector<std::string_view> found;
    for (const KindLine& line : table_index().kinds) {
        if (line.api_version == api_version && holds(line.first, line.last, version)) {
            found.push_back(line.kind);
        }
    }
    return found;
}

const ValueType* TypeTable::find(std::string_view api_version, std::string_view kind) {
    for (const KindLine& line : table_index().kinds) {
        if (line.kind == kind && line.api_version == api_version &&
            holds(line.first, line.last, version_)) {
            return type_of(line.type, "");
        }
    }
    return nullptr;
}

const ValueType* TypeTable::find_of_engine(std::string_view kind) {
    const auto& all = table_index().engines;
    const auto found =
        std::ranges::find(all, kind, &std::pair<std::string_view, std::string_view>::first);
    return found == all.end() ? nullptr : named(found->second);
}

const ValueType* TypeTable::named(std::string_view name) {
    if (const auto known = named_.find(name); known != named_.end()) {
        return known->second;
    }
    const std::vector<TypeLines>& all = table_index().types;
    const auto lines = std::ranges::lower_bound(all, name, {}, &TypeLines::name);
    CHECK(lines != all.end() && lines->name == name);
    if (!lines->alias.empty()) {
        std::string_view limits = lines->alias;
        const std::string_view spelled = take(limits, ' ');
        return named_[name] = type_of(spelled, limits);
    }
    ValueType& type = types_.emplace_back();
    named_[name] = &type;  // before its fields, since types may be recursive
    StructType& fields = structs_.emplace_back();
    type.builtin = Builtin::Struct;
    type.fields = &fields;
    for (std::string_view rest = lines->fields; !rest.empty();) {
        add_field(take(rest, '\n').substr(1), name.starts_with(kCustomTypes), fields);
    }
    std::ranges::sort(fields.fields, {}, &TypedField::name);
    return &type;
}

void TypeTable::add_field(std::string_view line, bool is_custom, StructType& type) {
    const OperatorSpan releases = is_custom ? take_releases(line, table_index()) : OperatorSpan();
    const auto [first, last] = take_versions(line, table_index());
    const std::string_view name = take(line, ' ');
    if (!holds(first, last, version_)) {
        type.others.push_back({name, first, last});
        return;
    }
    const std::string_view spelled = take(line, ' ');
    const bool required = line.starts_with("required");
    if (required) {
        take(line, ' ');
    }
    type.fields.push_back({name, required, type_of(spelled, line), releases});
}

const ValueType* TypeTable::type_of(std::string_view spelled, std::string_view limits) {
    const bool is_list = spelled.starts_with("[]");
    if (is_list || spelled.starts_with("{}")) {
        const ValueType* element = type_of(spelled.substr(2), "");
        return &types_.emplace_back(ValueType{.builtin = is_list ? Builtin::List : Builtin::Map,
                                              .element = element,
                                              .limits = read_limits(limits)});
    }
    const auto* builtin =
        std::ranges::find(kBuiltins, spelled, &std::pair<std::string_view, Builtin>::first);
    if (builtin == kBuiltins.end()) {
        return named(spelled);
    }
    return &types_.emplace_back(
        ValueType{.builtin = builtin->second, .limits = read_limits(limits)});
}

const Limits* TypeTable::read_limits(std::string_view words) {
    if (words.empty()) {
        return nullptr;
    }
    Limits& limits = limits_.emplace_back();
    while (!words.empty()) {
        const std::string_view key = take(words, '=');
        if (key == "pattern") {
            limits.pattern_text = words;
            limits.pattern = Pattern::parse(words);
            CHECK(limits.pattern.has_value());
            break;
        }
        read_limit(key, take(words, ' '), limits);
    }
    return &limits;
}

}  // namespace renderer::schema
