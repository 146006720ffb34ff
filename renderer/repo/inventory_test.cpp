#include "renderer/repo/inventory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace renderer::repo {
namespace {

std::string inventory_dump(const TreeInventory& inventory) {
    std::string out = fmt::format("[{}]", fmt::join(inventory.files, ","));
    for (const InventoryDevice& device : inventory.devices) {
        fmt::format_to(std::back_inserter(out), " {}|{}|{}|{}", device.parent, device.hostname,
                       device.unit, device.source);
    }
    for (const InventoryDevice& release : inventory.settings) {
        fmt::format_to(std::back_inserter(out), " settings of {}|{}|{}|{}", release.parent,
                       release.unit, release.source, release.values);
    }
    for (const InventoryDevice& remote : inventory.remotes) {
        fmt::format_to(std::back_inserter(out), " {} in {}", remote.parent, remote.unit);
    }
    return out + (inventory.lists_devices ? "" : " old");
}

std::string inventory_read(std::string_view text) {
    auto inventory = read_inventory("out/i", text);
    if (!inventory) {
        const Diagnostic& d = inventory.error().diagnostic;
        EXPECT_EQ(d.rule, "bad-inventory");
        EXPECT_FALSE(d.hint.empty());
        return fmt::format("{}: {} ({})", d.where, d.message, d.found);
    }
    return inventory_dump(*inventory);
}

std::string json(std::string_view files, std::string_view devices) {
    return fmt::format(R"({{"version": 1, "files": [{}], "devices": [{}]}})", files, devices);
}

TEST(Inventory, HasALineForEachFileAndDevice) {
    EXPECT_EQ(inventory_text({.files = {"a b/\"c\".yaml", "d"},
                              .devices = {{"Service/shop/web", "shop-web", "apps", "web.yaml"},
                                          {"ProxyGroup/x", "x-0", "", ""}}}),
              R"({
  "version": 1,
  "files": [
    "a b/\"c\".yaml",
    "d"
  ],
  "devices": [
    {"parent": "Service/shop/web", "hostname": "shop-web", "unit": "apps", "source": "web.yaml"},
    {"parent": "ProxyGroup/x", "hostname": "x-0"}
  ]
}
)");
    EXPECT_EQ(inventory_text({}), "{\n  \"version\": 1,\n  \"files\": [],\n  \"devices\": []\n}\n");
}

TEST(Inventory, SpellsWhatIsNotPrintable) {
    const TreeInventory inventory = {
        .files = {},
        .devices = {{"Service/shop/web", "", "\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81", ""}}};
    const std::string text = inventory_text(inventory);
    EXPECT_NE(text.find(R"("unit": "\u007f\u009b\u202e\udb40\udc01"})"), std::string::npos) << text;
    EXPECT_EQ(inventory_read(text), inventory_dump(inventory));
}

TEST(Inventory, ReadsWhatItWrites) {
    const TreeInventory inventory = {
        .files = {"a\nREADME.md", "b\t\x1b[2J/\xc3\xa4.yaml", "{\"c"},
        .devices = {{"Ingress/a/b\n---\nkind: x", "h", "u\"", "s\\"},
                    {"Service/shop/web", "", "", "", "", "tailscale"}},
        .settings = {{"HelmRelease/ts/operator", "", "u", "ts.yaml", "ab"}},
        .remotes = {{"https://example.com/base.yaml", "", "u", ""}}};
    const std::string text = inventory_text(inventory);
    EXPECT_EQ(inventory_read(text), inventory_dump(inventory));
    EXPECT_NE(text.find(R"(  "settings": [
    {"parent": "HelmRelease/ts/operator", "unit": "u", "source": "ts.yaml", "values": "ab"}
  ])"),
              std::string::npos)
        << text;
    EXPECT_EQ(inventory_text(*read_inventory("", text)), text);
    EXPECT_EQ(text.find("\nREADME.md"), std::string::npos);
}

TEST(Inventory, ReadsThoseOfEarlierReleases) {
    EXPECT_EQ(inventory_read(""), "[] old");
    EXPECT_EQ(inventory_read("b/c.yaml\na.yaml\na.yaml\n"), "[a.yaml,b/c.yaml] old");
    EXPECT_EQ(inventory_read("{{cookiecutter.name}}/a.yaml\n{x}\n"),
              "[{x},{{cookiecutter.name}}/a.yaml] old");
}

TEST(Inventory, RefusesPathsOutside) {
    for (const std::string path :
         {"../x", "/etc/passwd", "a/../../x", "a//b", "..", "./a", "a/", ".tailrender-inventory",
          ".git/HEAD", "a/.Git/x", ".tailrender.yaml", "a/.tailrender-inventory"}) {
        EXPECT_EQ(
            inventory_read("a\n" + path + "\n"),
            fmt::format("out/i:2: an inventory must list paths in its directory (\"{}\")", path));
        EXPECT_EQ(
            inventory_read(json(fmt::format("\"a\", \"{}\"", path), "")),
            fmt::format("out/i: an inventory must list paths in its directory (\"{}\")", path));
    }
    EXPECT_EQ(inventory_read(json("\"a\\u0000b\"", "")).find("out/i: an inventory must list"), 0U);
    EXPECT_EQ(inventory_read(json("7", "")),
              "out/i: an inventory must list paths in its directory (\"7\")");
}

TEST(Inventory, RefusesWhatItDoesNotUnderstand) {
    EXPECT_EQ(inventory_read("{\"version\": 2}"),
              "out/i: cannot use \"version\" of the inventory (2)");
    EXPECT_EQ(inventory_read("{}"), "out/i: cannot use \"version\" of the inventory (no such key)");
    EXPECT_EQ(inventory_read("{\"version\": 1, \"files\": {}}"),
              "out/i: cannot use \"files\" of the inventory ({})");
    EXPECT_EQ(inventory_read(json("", "{\"hostname\": \"x\"}")),
              "out/i: cannot use \"devices\" of the inventory ({\"hostname\":\"x\"})");
    EXPECT_EQ(inventory_read(json("", "{\"parent\": 1}")),
              "out/i: cannot use \"devices\" of the inventory ({\"parent\":1})");
    EXPECT_EQ(inventory_read(json("", "{\"parent\": \"a\", \"zone\": \"x\"}")),
              "out/i: unknown key in \"devices\" of the inventory (\"zone\")");
    EXPECT_EQ(inventory_read("{\"version\": 1, \"more\": 1, \"files\": [], \"devices\": []}"),
              "out/i: unknown key in the inventory (\"more\")");
    EXPECT_EQ(inventory_read("{\"version\": 1,"),
              "out/i: cannot read the inventory (not JSON at byte 15)");
}

TEST(Inventory, NamesAnUnfinishedMerge) {
    EXPECT_EQ(inventory_read("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n"),
              "out/i:2: the inventory has an unresolved merge conflict (\"<<<<<<< HEAD\")");
    EXPECT_EQ(inventory_read("{\n  \"version\": 1,\n<<<<<<< HEAD\n"),
              "out/i: the inventory has an unresolved merge conflict (not JSON at byte 19)");
}

}  // namespace
}  // namespace renderer::repo
