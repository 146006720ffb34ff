// Audit lines: who did what. They are written to stderr beside the log, in the same form: one JSON
// object per line. Fields are written unchanged and are not redacted, since a name that looks like
// a credential would be lost. Callers must not pass text that may hold a credential.
#pragma once

#include <initializer_list>
#include <string_view>

#include "runtime/base/log.h"
#include "runtime/base/loop.h"

namespace runtime::inline base {

// Returns the line without a line end, for tests.
std::string audit_line(Time now, std::string_view message, std::initializer_list<LogField> fields);
void write_audit(Time now, std::string_view message, std::initializer_list<LogField> fields);

}  // namespace runtime::inline base
