#include "runtime/base/audit.h"

#include <cstdio>

#include "renderer/core/json.h"
#include "runtime/base/time_text.h"

namespace runtime::inline base {

std::string audit_line(Time now, std::string_view message, std::initializer_list<LogField> fields) {
    std::string time = format_microseconds(now);
    time.replace(time.size() - 4, 3, "");  // the clock has milliseconds
    renderer::Value value = renderer::Value::map(
        {{"time", time}, {"level", "info"}, {"message", renderer::Value(message)}});
    for (const LogField& field : fields) {
        value.put(field.name, field.value);
    }
    return renderer::write_json(value);
}

void write_audit(Time now, std::string_view message, std::initializer_list<LogField> fields) {
    const std::string line = audit_line(now, message, fields) + "\n";
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

}  // namespace runtime::inline base
