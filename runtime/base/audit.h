// Lines about who did what, beside the log's and like them: a JSON object per
// line on stderr. Their fields are written as they are, and not searched for
// credentials: a name that looks like one would empty the line. Whoever writes
// them gives no text that could hold any.
#pragma once

#include <initializer_list>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/base/loop.h"

namespace runtime {

// As it is written, without a line end: for tests.
std::string audit_line(Time now, std::string_view message, std::initializer_list<LogField> fields);
void write_audit(Time now, std::string_view message, std::initializer_list<LogField> fields);

}  // namespace runtime
