// Writes metrics in the text format of Prometheus, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace runtime::inline base {

class MetricsText {
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    // A metric without labels. `help` is one line without backslashes.
    void counter(std::string_view name, std::string_view help, std::uint64_t value);
    void gauge(std::string_view name, std::string_view help, std::uint64_t value);

    // Begins a metric with labels, whose samples follow. `type`: "counter", "gauge" or "summary".
    void begin(std::string_view name, std::string_view help, std::string_view type);
    void sample(Labels labels, std::uint64_t value);
    // The sum and the number of observations of a summary.
    void summary_sample(Labels labels, double sum, std::uint64_t count);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void line(std::string_view suffix, Labels labels, std::string_view value);

    std::string text_;
    std::string name_;  // of the metric that began last
};

}  // namespace runtime::inline base
