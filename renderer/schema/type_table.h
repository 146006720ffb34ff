// The types of each kind in one Kubernetes version and in the CRDs of all releases of the operator.
// They are in schemas.txt, which scripts/schemas makes from public OpenAPI documents and CRDs, and
// which is part of the binary. A type is parsed when its kind is first looked up, so a run pays
// only for what it validates. Format:
//   kubernetes 1.32 1.33 …               all versions; `@1.33-1.34` after a line limits it to some
//   operator 1.96 1.98 …                 all releases; their span is after lines of custom kinds
//   engine GROUP HelmRelease TYPE        a kind of Flux or Argo CD, in all its versions
//   kind apps/v1 StatefulSet TYPE        `any` for a kind that is neither read nor made
//   core.v1.ServicePort                  a type, sorted by name; its fields follow, each after one
//    port int32 required min=1           space: name, type, limits
//   NAME = string pattern=^[a-z]$        elements with limits (a pattern is the last word)
// A type is a builtin ("string", "quantity", …) or a name; `[]` makes lists of it, `{}` maps.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/pattern.h"

namespace renderer::schema {

enum class Builtin : std::uint8_t {
    Any,
    Object,  // a map with any content
    String,
    Int32,
    Int64,
    Number,
    Bool,
    IntOrString,
    Quantity,
    Bytes,  // base64
    Time,   // RFC 3339
    Struct,
    List,
    Map,
};

struct Limits {
    std::optional<std::int64_t> min, max;  // of a number
    std::optional<std::size_t> min_length, max_length;
    std::optional<std::size_t> min_items, max_items;
    std::vector<std::string_view> choices;  // empty: any value
    std::vector<std::string_view> unique;   // keys that must differ between the items of a list
    bool is_set = false;                    // no duplicate items
    bool is_cidr = false;
    std::string_view pattern_text;
    std::optional<Pattern> pattern;
};

struct StructType;

struct ValueType {
    Builtin builtin = Builtin::Any;
    const ValueType* element = nullptr;  // List, Map
    const StructType* fields = nullptr;  // Struct
    const Limits* limits = nullptr;      // nullptr: none
};

// The releases of the operator whose CRDs have a field or kind, by minor number: 98 is 1.98.
struct OperatorSpan {
    int first = 0;
    int last = std::numeric_limits<int>::max();  // maximum if the newest known release has it

    [[nodiscard]] bool holds(int minor) const { return first <= minor && minor <= last; }
};

struct TypedField {
    std::string_view name;
    bool required = false;
    const ValueType* type = nullptr;
    OperatorSpan releases = {};
};

// A field that only other versions have.
struct OtherField {
    std::string_view name, first, last;  // first and last are versions
};

struct StructType {
    std::vector<TypedField> fields;  // sorted by name
    std::vector<OtherField> others;

    [[nodiscard]] const TypedField* find(std::string_view name) const;
};

// Returns the text of schemas.txt.
std::string_view schema_table_text();

// Returns "1.32", … in ascending order.
const std::vector<std::string_view>& kubernetes_versions();

class TypeTable {
public:
    // `version` must be one of kubernetes_versions().
    explicit TypeTable(std::string_view version);

    // True if Kubernetes itself or the operator defines the group of this apiVersion.
    [[nodiscard]] static bool knows_group(std::string_view api_version);
    // Returns the versions that serve a kind: "1.32-1.34", or "" if none does.
    [[nodiscard]] static std::string served_by(std::string_view api_version, std::string_view kind);

    // Returns the releases that have a custom kind.
    [[nodiscard]] static OperatorSpan releases_of(std::string_view kind);

    // Returns the other apiVersions of its group that serve the kind.
    [[nodiscard]] static std::vector<std::string_view> versions_of(std::string_view api_version,
                                                                   std::string_view kind,
                                                                   std::string_view version);

    // Returns all kinds of an apiVersion.
    [[nodiscard]] static std::vector<std::string_view> kinds_of(std::string_view api_version,
                                                                std::string_view version);

    // Returns nullptr if this version does not serve the kind. Not thread-safe, but the result is,
    // and lives as long as the table.
    const ValueType* find(std::string_view api_version, std::string_view kind);

    // Returns nullptr for a kind that is not one of an engine. As for `find`.
    const ValueType* find_of_engine(std::string_view kind);

    [[nodiscard]] std::string_view version() const { return version_; }

private:
    const ValueType* type_of(std::string_view spelled, std::string_view limits);
    const ValueType* named(std::string_view name);
    const Limits* read_limits(std::string_view words);
    void add_field(std::string_view line, bool is_custom, StructType& type);

    std::string_view version_;
    std::deque<ValueType> types_;
    std::deque<StructType> structs_;
    std::deque<Limits> limits_;
    std::map<std::string_view, const ValueType*> named_;
};

}  // namespace renderer::schema
