// The log of the process: one JSON object per line on stderr, plain text for a terminal
// (OPERATOR_LOGGING=dev), or lines in the form of containerboot. Every message and field value
// passes `redact`, so no line holds a credential.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace runtime::inline base {

enum class LogLevel { Debug, Info, Warning, Error };

struct LogField {
    std::string_view name;
    std::string value;
};

// Returns the text with Tailscale's keys (`tskey-…`), bearer tokens and JWTs (`eyJ…`) replaced by
// "[redacted]". OAuth secrets are such keys too (`tskey-client-…`).
std::string redact(std::string_view text);

class Log {
public:
    enum class Form { Json, Text, Boot };
    Log(Form form, LogLevel lowest);
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void debug(std::string_view message, std::initializer_list<LogField> fields = {});
    void info(std::string_view message, std::initializer_list<LogField> fields = {});
    void warning(std::string_view message, std::initializer_list<LogField> fields = {});
    void error(std::string_view message, std::initializer_list<LogField> fields = {});

private:
    void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace runtime::inline base
