// For tests only: reads the tables of a page of testdata/contract.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/text_of.h"
#include "renderer/core/value.h"

namespace renderer::generate {

using Row = std::vector<std::string>;

// Returns the value of an environment variable of a container, or "".
inline std::string variable(const Value& container, std::string_view name) {
    for (const Value& entry : container.find("env")->items()) {
        if (text_of(entry.find("name")) == name) {
            return std::string(text_of(entry.find("value")));
        }
    }
    return {};
}

// Returns a cell without the spaces and quotes around its text.
inline std::string without_quotes(std::string cell) {
    std::erase(cell, '`');
    const std::size_t first = cell.find_first_not_of(' ');
    return first == std::string::npos ? ""
                                      : cell.substr(first, cell.find_last_not_of(' ') - first + 1);
}

// Returns the names in a cell, which are separated by commas.
inline std::vector<std::string> names_in(const std::string& cell) {
    std::vector<std::string> names;
    std::istringstream stream(cell);
    for (std::string name; std::getline(stream, name, ',');) {
        names.push_back(without_quotes(name));
    }
    return names;
}

// Returns the rows of the first table below a line of the page that contains `text`, without the
// header.
inline std::vector<Row> table_after(std::string_view page, std::string_view text) {
    std::ifstream lines(std::string(TESTDATA) + "/contract/" + std::string(page));
    std::vector<Row> rows;
    bool found = false;
    for (std::string line; std::getline(lines, line);) {
        found = found || line.find(text) != std::string::npos;
        if (found && line.starts_with('|')) {
            std::istringstream cells(line.substr(1));
            Row& row = rows.emplace_back();
            for (std::string cell; std::getline(cells, cell, '|');) {
                row.push_back(without_quotes(cell));
            }
        } else if (!rows.empty()) {
            break;
        }
    }
    EXPECT_GT(rows.size(), 2U) << "no table after: " << text;
    rows.erase(rows.begin(), rows.begin() + std::min<std::ptrdiff_t>(2, std::ssize(rows)));
    return rows;
}

// Returns the JSON of the page that begins with `begin`, in indented lines, as one text.
inline std::string json_of(std::string_view page, std::string_view begin) {
    std::ifstream lines(std::string(TESTDATA) + "/contract/" + std::string(page));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
        const bool is_first = line.compare(first, begin.size(), begin) == 0;
        if (first > 3 && (is_first || !text.empty())) {
            text += line.substr(first);
        } else if (!text.empty()) {
            break;
        }
    }
    return text;
}

}  // namespace renderer::generate
