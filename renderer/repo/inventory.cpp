#include "renderer/repo/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace renderer::repo {
namespace {

constexpr std::int64_t kInventoryVersion = 1;

bool is_file_of_tree(std::string_view path) {
    return !path.empty() && !path.ends_with('/') && path.find('\0') == std::string_view::npos &&
           std::ranges::none_of(split(path, '/'), [](std::string_view part) {
               return part.empty() || part == "." || part == ".." || is_reserved_name(part);
           });
}

// True for a line with which Git marks a merge conflict.
bool is_conflict_mark(std::string_view line) {
    return line.starts_with("<<<<<<<") || line.starts_with("=======") ||
           line.starts_with(">>>>>>>");
}

Error bad_inventory(std::string where, std::string message, std::string found) {
    return Error{
        {.rule = "bad-inventory",
         .where = std::move(where),
         .message = std::move(message),
         .found = std::move(found),
         .hint =
             "restore the file from version control, or move the directory away and render again"}};
}

Error outside(std::string where, std::string_view path) {
    return bad_inventory(std::move(where), "an inventory must list paths in its directory",
                         fmt::format("\"{}\"", path));
}

// The brace alone is not enough: a path may begin with one, "{{cookiecutter.name}}/web.yaml".
bool looks_like_json(std::string_view text) {
    const std::size_t second = text.find_first_not_of(" \t\r\n", 1);
    return text.starts_with('{') && second != std::string_view::npos &&
           (text[second] == '"' || text[second] == '}');
}

Result<TreeInventory> read_lines(const std::string& where, std::string_view text) {
    TreeInventory inventory;
    inventory.lists_devices = false;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::string_view path = take(text, '\n');
        const auto place = [&] { return fmt::format("{}:{}", where, line); };
        if (is_conflict_mark(path)) {
            return bad_inventory(place(), "the inventory has an unresolved merge conflict",
                                 fmt::format("\"{}\"", path));
        }
        if (!is_file_of_tree(path)) {
            return outside(place(), path);
        }
        inventory.files.emplace_back(path);
    }
    return inventory;
}

constexpr std::string_view kFiles = "files";

class JsonInventory {
public:
    explicit JsonInventory(const std::string& where) : where_(where) {}

    Result<TreeInventory> read(std::string_view text) const {
        Result<Value> root = read_json(text);
        if (!root) {
            const bool conflict = text.find("\n<<<<<<<") != std::string_view::npos;
            return bad_inventory(where_,
                                 conflict ? "the inventory has an unresolved merge conflict"
                                          : "cannot read the inventory",
                                 root.error().diagnostic.message);
        }
        const Value* version = root->find("version");
        if (version == nullptr || version->as_int() != kInventoryVersion) {
            return wrong("version", version);
        }
        for (const Member& member : members_of(&*root)) {
            const bool is_list = std::ranges::find(kDeviceLists, member.name(),
                                                   &DeviceList::first) != kDeviceLists.end();
            if (!is_list && member.name() != kFiles && member.name() != "version") {
                return bad_inventory(where_, "unknown key in the inventory",
                                     fmt::format("\"{}\"", member.name()));
            }
        }
        return contents(*root);
    }

private:
    Result<TreeInventory> contents(const Value& root) const {
        TreeInventory inventory;
        const Value* files = root.find(kFiles);
        if (files == nullptr || !files->is_list()) {
            return wrong(kFiles, files);
        }
        for (const Value& file : files->items()) {
            if (!is_file_of_tree(text_of(file))) {
                return outside(where_, spelling_of(file));
            }
            inventory.files.emplace_back(file.text());
        }
        for (const auto& [key, list] : kDeviceLists) {
            const Value* found = root.find(key);
            const bool may_lack = list != &TreeInventory::devices && found == nullptr;
            if (!may_lack && (found == nullptr || !found->is_list())) {
                return wrong(key, found);
            }
            for (const Value& device : items_of(found)) {
                (inventory.*list).push_back(TRY(read_device(key, device)));
            }
        }
        return inventory;
    }

    Result<InventoryDevice> read_device(std::string_view list, const Value& device) const {
        const bool is_text = std::ranges::all_of(
            members_of(&device), [](const Member& member) { return member.value.is_string(); });
        if (!is_text || text_of(device, {"parent"}).empty()) {
            return wrong(list, &device);
        }
        InventoryDevice out;
        for (const Member& member : members_of(&device)) {
            const auto field = std::ranges::find(kDeviceFields, member.name(), &DeviceField::first);
            if (field == kDeviceFields.end()) {
                return bad_inventory(where_,
                                     fmt::format("unknown key in \"{}\" of the inventory", list),
                                     fmt::format("\"{}\"", member.name()));
            }
            out.*field->second = member.value.text();
        }
        return out;
    }

    Error wrong(std::string_view key, const Value* found) const {
        const bool is_version = key == "version";
        Error error =
            bad_inventory(where_, fmt::format("cannot use \"{}\" of the inventory", key),
                          found == nullptr ? std::string("no such key") : write_json(*found));
        error.diagnostic.expected =
            is_version      ? fmt::format("{}: a newer tailrender may have written this file",
                                          kInventoryVersion)
            : key == kFiles ? "a list"
                            : "a list of maps with a \"parent\"";
        return error;
    }

    const std::string& where_;
};

void append_list(std::string_view key, const std::vector<std::string>& lines, std::string& out) {
    fmt::format_to(std::back_inserter(out), "  \"{}\": [", key);
    for (const std::string& line : lines) {
        fmt::format_to(std::back_inserter(out), "{}\n    {}", &line == lines.data() ? "" : ",",
                       line);
    }
    out += lines.empty() ? "]" : "\n  ]";
}

// Spells unprintable characters as JSON escapes, so that reviewers see them.
std::string quoted(const std::string& text) {
    return on_one_line(write_json(Value(text)));
}

std::vector<std::string> quoted_lines(const std::vector<std::string>& texts) {
    std::vector<std::string> lines;
    lines.reserve(texts.size());
    std::ranges::transform(texts, std::back_inserter(lines), quoted);
    return lines;
}

std::string device_line(const InventoryDevice& device) {
    std::string line;
    for (const auto& [key, field] : kDeviceFields) {
        if (!(device.*field).empty()) {
            fmt::format_to(std::back_inserter(line), "{}\"{}\": {}", line.empty() ? "" : ", ", key,
                           quoted(device.*field));
        }
    }
    return fmt::format("{{{}}}", line);
}

std::vector<std::string> device_lines(const std::vector<InventoryDevice>& devices) {
    std::vector<std::string> lines;
    lines.reserve(devices.size());
    for (const InventoryDevice& device : devices) {
        lines.push_back(device_line(device));
    }
    return lines;
}

}  // namespace

void TreeInventory::sort() {
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    for (const auto& [key, member] : kDeviceLists) {
        std::vector<InventoryDevice>& list = this->*member;
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

std::string inventory_text(const TreeInventory& inventory) {
    std::string out = fmt::format("{{\n  \"version\": {},\n", kInventoryVersion);
    append_list(kFiles, quoted_lines(inventory.files), out);
    for (const auto& [key, list] : kDeviceLists) {
        if (list == &TreeInventory::devices || !(inventory.*list).empty()) {
            out += ",\n";
            append_list(key, device_lines(inventory.*list), out);
        }
    }
    return out + "\n}\n";
}

bool is_reserved_name(std::string_view name) {
    const std::string lower = lower_case(name);
    return lower == ".git" || lower.starts_with(".tailrender");
}

Result<TreeInventory> read_inventory(const std::string& where, std::string_view text) {
    TreeInventory inventory =
        TRY(looks_like_json(text) ? JsonInventory(where).read(text) : read_lines(where, text));
    inventory.sort();
    return inventory;
}

}  // namespace renderer::repo
