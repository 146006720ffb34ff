// For the e2e test of templates: renders the template in each line of its input as an
// ApplicationSet does. A line is {"template": TEXT, "data": MAP, "strict": BOOL, "unsure": BOOL},
// and its answer is {"result": BASE64} or {"error": TEXT}. "strict" means missingkey=error.
// "unsure": some parameters may have the Go types that generators give them.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "renderer/engines/templates/go_template.h"

namespace {

using renderer::Value;

Value answer(const Value& line) {
    const Value* data = line.find("data");
    const bool is_unsure = renderer::spelling_of(line.find("unsure")) == "true";
    const bool is_strict = renderer::spelling_of(line.find("strict")) == "true";
    std::string failure;
    const std::optional<std::string> filled = renderer::engines::render_go_template(
        renderer::text_of(line, {"template"}), *data, is_strict, failure, {},
        {.clusters = is_unsure, .paths = is_unsure, .values = is_unsure});
    Value out = Value::map();
    out.put(std::string(filled ? "result" : "error"),
            filled ? renderer::encode_base64(*filled) : failure);
    return out;
}

}  // namespace

int main() {
    std::string text;
    while (std::getline(std::cin, text)) {
        const renderer::Result<Value> line = renderer::read_json(text);
        if (!line || line->find("data") == nullptr) {
            fmt::print(stderr, "template_driver: \"{}\" is not a line\n", text);
            return 1;
        }
        fmt::print("{}\n", renderer::write_json(answer(*line)));
    }
    return 0;
}
