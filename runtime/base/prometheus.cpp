#include "runtime/base/prometheus.h"

#include <fmt/format.h>

namespace runtime::inline base {

namespace {

std::string escaped(std::string_view label) {
    std::string out;
    for (const char c : label) {
        if (c == '\\' || c == '"') {
            out += '\\';
        }
        c == '\n' ? out.append("\\n") : out.append(1, c);
    }
    return out;
}

}  // namespace

void MetricsText::counter(std::string_view name, std::string_view help, std::uint64_t value) {
    begin(name, help, "counter");
    sample({}, value);
}

void MetricsText::gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    begin(name, help, "gauge");
    sample({}, value);
}

void MetricsText::begin(std::string_view name, std::string_view help, std::string_view type) {
    name_ = name;
    text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void MetricsText::sample(Labels labels, std::uint64_t value) {
    line("", labels, fmt::format("{}", value));
}

void MetricsText::summary_sample(Labels labels, double sum, std::uint64_t count) {
    line("_sum", labels, fmt::format("{:.3f}", sum));
    line("_count", labels, fmt::format("{}", count));
}

void MetricsText::line(std::string_view suffix, Labels labels, std::string_view value) {
    text_ += name_;
    text_ += suffix;
    char before = '{';
    for (const auto& [label, text] : labels) {
        text_ += fmt::format("{}{}=\"{}\"", before, label, escaped(text));
        before = ',';
    }
    text_ += fmt::format("{} {}\n", labels.size() == 0 ? "" : "}", value);
}

}  // namespace runtime::inline base
