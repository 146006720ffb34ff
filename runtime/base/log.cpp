#include "runtime/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/core/json.h"

namespace runtime::inline base {

namespace {

// True if the byte may be part of a credential.
bool is_secret_byte(char byte) {
    return renderer::is_alphanumeric(byte) || byte == '-' || byte == '_' || byte == '.' ||
           byte == '~' || byte == '+' || byte == '/' || byte == '=';
}

const char* pattern_of(Log::Form form) {
    switch (form) {
        case Log::Form::Json:
            return R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";
        case Log::Form::Text:
            return "%H:%M:%S.%e %l %v";
        case Log::Form::Boot:
            return "boot: %Y/%m/%d %H:%M:%S %v";
    }
    return "";
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::Debug:
            return spdlog::level::debug;
        case LogLevel::Info:
            return spdlog::level::info;
        case LogLevel::Warning:
            return spdlog::level::warn;
        case LogLevel::Error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

}  // namespace

std::string redact(std::string_view text) {
    constexpr std::string_view kMarks[] = {"tskey-", "Bearer ", "eyJ"};
    constexpr std::string_view kKept[] = {"tskey-", "Bearer ", ""};
    std::string out;
    while (!text.empty()) {
        std::size_t first = std::string_view::npos;
        std::size_t which = 0;
        for (std::size_t i = 0; i < std::size(kMarks); ++i) {
            if (const std::size_t found = text.find(kMarks[i]); found < first) {
                first = found;
                which = i;
            }
        }
        if (first == std::string_view::npos) {
            return out.append(text);
        }
        out.append(text.substr(0, first)).append(kKept[which]);
        text.remove_prefix(first + kMarks[which].size());
        const auto end = std::find_if_not(text.begin(), text.end(), is_secret_byte);
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        out.append("[redacted]");
    }
    return out;
}

struct Log::State {
    Form form;
    spdlog::logger logger;
};

Log::Log(Form form, LogLevel lowest)
    : state_(std::make_unique<State>(State{
          form, spdlog::logger("tailrender", std::make_shared<spdlog::sinks::stderr_sink_st>())})) {
    state_->logger.set_level(spdlog_level(lowest));
    state_->logger.set_pattern(pattern_of(form), spdlog::pattern_time_type::utc);
}
Log::~Log() = default;

void Log::debug(std::string_view message, std::initializer_list<LogField> fields) {
    write(LogLevel::Debug, message, fields);
}
void Log::info(std::string_view message, std::initializer_list<LogField> fields) {
    write(LogLevel::Info, message, fields);
}
void Log::warning(std::string_view message, std::initializer_list<LogField> fields) {
    write(LogLevel::Warning, message, fields);
}
void Log::error(std::string_view message, std::initializer_list<LogField> fields) {
    write(LogLevel::Error, message, fields);
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
    if (!state_->logger.should_log(spdlog_level(level))) {
        return;
    }
    std::string line;
    if (state_->form == Form::Json) {
        renderer::Value value = renderer::Value::map({{"message", redact(message)}});
        for (const LogField& field : fields) {
            value.put(field.name, redact(field.value));
        }
        line = renderer::write_json(value);
        line = line.substr(1, line.size() - 2);  // the pattern adds the braces
    } else {
        line = redact(message);
        for (const LogField& field : fields) {
            line.append(" ").append(field.name).append("=").append(redact(field.value));
        }
    }
    state_->logger.log(spdlog_level(level), spdlog::string_view_t(line));
}

}  // namespace runtime::inline base
