// For the e2e test of generators: prints the objects that `load` generates for kustomizations, or
// those of a YAML stream from kustomize, as one line of sorted JSON per object. Base64 is printed
// without line breaks, since kustomize breaks long values and tailrender does not.
//
//   kustomize_driver build DIR…    generated objects; "error" for a directory with errors; then "."
//   kustomize_driver read FILE…    the objects of a stream; then "."
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/document_scanner.h"
#include "renderer/core/json.h"
#include "renderer/load/load.h"
#include "renderer/repo/disk_tree.h"

namespace {

using renderer::Value;

void join_lines(Value& object, std::string_view field) {
    Value* data = object.find(field);
    if (data == nullptr || !data->is_map()) {
        return;
    }
    for (renderer::Member& member : data->members()) {
        std::string text(member.value.is_string() ? member.value.text() : "");
        std::erase(text, '\n');
        member.value = Value(text);
    }
}

// YAML 1.1, which kustomize writes, folds lines at these characters; YAML 1.2, which tailrender
// reads, does not. Such values are compared only by the hash in the name.
void hide_line_separators(Value& object) {
    Value* data = object.find("data");
    for (renderer::Member& member :
         data == nullptr || !data->is_map() ? std::span<renderer::Member>() : data->members()) {
        const std::string_view text = member.value.is_string() ? member.value.text() : "";
        for (const std::string_view separator : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
            if (text.find(separator) != std::string_view::npos) {
                member.value = Value("with line separators");
                break;
            }
        }
    }
}

std::string line(Value object) {
    const Value* kind = object.find("kind");
    if (kind != nullptr && kind->is_string() && kind->text() == "Secret") {
        join_lines(object, "data");
    }
    join_lines(object, "binaryData");
    hide_line_separators(object);
    return renderer::write_json_sorted(object);
}

void print(std::vector<std::string> lines) {
    std::ranges::sort(lines);
    for (const std::string& text : lines) {
        fmt::print("{}\n", text);
    }
    fmt::print(".\n");
}

void print_built(const std::string& dir) {
    renderer::repo::LoadOptions options;
    options.path = dir;
    options.threads = 1;
    renderer::Diagnostics diagnostics;
    const renderer::load::Loaded loaded = renderer::load::load(options, diagnostics);
    std::vector<std::string> lines;
    if (diagnostics.has_errors()) {
        fmt::print(stderr, "{}", diagnostics.print(loaded.sources, false));
        lines.emplace_back("error");
    } else {
        for (const renderer::Object& object : loaded.generated_inputs) {
            lines.push_back(line(object.root.clone()));
        }
    }
    print(std::move(lines));
}

void print_read(const std::string& file) {
    const renderer::Result<std::string> text = renderer::repo::DiskTree().read(file);
    renderer::SourceMap sources;
    renderer::Diagnostics diagnostics;
    std::vector<std::string> lines;
    const renderer::SourceId source = sources.add(file, text ? *text : std::string());
    for (const renderer::ScannedDocument& document : renderer::scan_documents(sources, source)) {
        Value root = renderer::read_yaml(sources, source, document.range, diagnostics);
        if (!root.is_null()) {
            lines.push_back(line(std::move(root)));
        }
    }
    if (diagnostics.has_errors()) {
        fmt::print(stderr, "{}", diagnostics.print(sources, false));
        lines.emplace_back("unreadable");
    }
    print(std::move(lines));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (verb != "build" && verb != "read") {
        fmt::print(stderr, "usage: kustomize_driver build DIR... | read FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        (verb == "build" ? print_built : print_read)(argv[i]);
    }
    return 0;
}
