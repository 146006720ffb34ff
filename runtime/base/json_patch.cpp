#include "runtime/base/json_patch.h"

#include <utility>

namespace runtime::inline base {

using renderer::Value;

std::string pointer(std::string_view key) {
    std::string out;
    for (const char byte : key) {
        out += byte == '/' ? "~1" : byte == '~' ? "~0" : std::string(1, byte);
    }
    return out;
}

Value operation(std::string_view op, const std::string& path, Value value) {
    return Value::map({{"op", Value(op)}, {"path", path}, {"value", std::move(value)}});
}

Value removal(const std::string& path) {
    return Value::map({{"op", "remove"}, {"path", path}});
}

}  // namespace runtime::inline base
