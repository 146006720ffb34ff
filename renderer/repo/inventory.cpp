#include "renderer/repo/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/base/split.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"

namespace renderer::repo {
namespace {

constexpr std::int64_t kInventoryVersion = 1;

bool is_inside(std::string_view path) {
    return !path.empty() && !path.ends_with('/') && path.find('\0') == std::string_view::npos &&
           std::ranges::none_of(split(path, '/'), [](std::string_view part) {
               return part.empty() || part == "." || part == "..";
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

bool is_file_of_tree(std::string_view path) {
    return is_inside(path) && path != kInventoryFile;
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

// Returns the first key of the map that is not in `known`, no value if all keys are.
template <std::size_t N>
std::optional<std::string_view> unknown_key(const Value& map,
                                            const std::array<std::string_view, N>& known) {
    for (const Member& member : members_of(&map)) {
        if (std::ranges::find(known, member.name()) == known.end()) {
            return member.name();
        }
    }
    return std::nullopt;
}

constexpr std::array<std::string_view, 6> kDeviceKeys = {"parent", "hostname", "unit",
                                                         "source", "values",   "loadBalancerClass"};
constexpr std::string_view kFiles = "files", kDevices = "devices", kSettings = "settings",
                           kRemotes = "remotes";
constexpr std::array<std::string_view, 5> kInventoryKeys = {"version", kFiles, kDevices, kSettings,
                                                            kRemotes};

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
        if (const auto key = unknown_key(*root, kInventoryKeys)) {
            return bad_inventory(where_, "unknown key in the inventory",
                                 fmt::format("\"{}\"", *key));
        }
        return contents(*root);
    }

private:
    Result<TreeInventory> contents(const Value& root) const {
        TreeInventory inventory;
        for (const std::string_view key : {kFiles, kDevices, kSettings, kRemotes}) {
            const Value* list = root.find(key);
            const bool may_lack = (key == kSettings || key == kRemotes) && list == nullptr;
            if (!may_lack && (list == nullptr || !list->is_list())) {
                return wrong(key, list);
            }
        }
        for (const Value& file : items_of(root.find(kFiles))) {
            if (!is_file_of_tree(text_of(file))) {
                return outside(where_, spelling_of(file));
            }
            inventory.files.emplace_back(file.text());
        }
        for (const Value& device : items_of(root.find(kDevices))) {
            inventory.devices.push_back(TRY(read_device(kDevices, device)));
        }
        for (const Value& release : items_of(root.find(kSettings))) {
            inventory.settings.push_back(TRY(read_device(kSettings, release)));
        }
        for (const Value& remote : items_of(root.find(kRemotes))) {
            inventory.remotes.push_back(TRY(read_device(kRemotes, remote)));
        }
        return inventory;
    }

    Result<InventoryDevice> read_device(std::string_view list, const Value& device) const {
        const bool is_text = std::ranges::all_of(
            members_of(&device), [](const Member& member) { return member.value.is_string(); });
        if (!is_text || text_of(device, {"parent"}).empty()) {
            return wrong(list, &device);
        }
        if (const auto key = unknown_key(device, kDeviceKeys)) {
            return bad_inventory(where_,
                                 fmt::format("unknown key in \"{}\" of the inventory", list),
                                 fmt::format("\"{}\"", *key));
        }
        return InventoryDevice{
            .parent = std::string(text_of(device, {"parent"})),
            .hostname = std::string(text_of(device, {"hostname"})),
            .unit = std::string(text_of(device, {"unit"})),
            .source = std::string(text_of(device, {"source"})),
            .values = std::string(text_of(device, {"values"})),
            .load_balancer_class = std::string(text_of(device, {"loadBalancerClass"}))};
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
    const std::array<const std::string*, kDeviceKeys.size()> values = {
        &device.parent, &device.hostname, &device.unit,
        &device.source, &device.values,   &device.load_balancer_class};
    std::string line;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i]->empty()) {
            fmt::format_to(std::back_inserter(line), "{}\"{}\": {}", line.empty() ? "" : ", ",
                           kDeviceKeys[i], quoted(*values[i]));
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
    for (std::vector<InventoryDevice>* list : {&devices, &settings, &remotes}) {
        std::ranges::sort(*list);
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
}

std::string inventory_text(const TreeInventory& inventory) {
    std::string out = fmt::format("{{\n  \"version\": {},\n", kInventoryVersion);
    append_list(kFiles, quoted_lines(inventory.files), out);
    out += ",\n";
    append_list(kDevices, device_lines(inventory.devices), out);
    for (const auto& [key, list] :
         {std::pair(kSettings, &inventory.settings), std::pair(kRemotes, &inventory.remotes)}) {
        if (!list->empty()) {
            out += ",\n";
            append_list(key, device_lines(*list), out);
        }
    }
    return out + "\n}\n";
}

Result<TreeInventory> read_inventory(const std::string& where, std::string_view text) {
    TreeInventory inventory =
        TRY(looks_like_json(text) ? JsonInventory(where).read(text) : read_lines(where, text));
    inventory.sort();
    return inventory;
}

}  // namespace renderer::repo
