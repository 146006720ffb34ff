#include "runtime/controller/view/mirror.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "renderer/core/text_of.h"

namespace runtime::controller {
namespace {

using renderer::Value;

struct Item {
    std::string text;
    bool operator==(const Item&) const = default;
};

std::optional<Item> decode(const Value& object) {
    const auto text = renderer::text_of(object.find("text"));
    return text == "hidden" ? std::nullopt : std::optional<Item>(Item{std::string(text)});
}

Value item(std::string_view name, std::string_view version, std::string_view text) {
    return Value::map(
        {{"metadata",
          Value::map({{"name", name}, {"namespace", "ns"}, {"resourceVersion", version}})},
         {"text", text}});
}

class MirrorTest : public testing::Test {
protected:
    void list(std::string_view version, std::string_view text) {
        mirror.begin_list();
        mirror.put(item("a", version, text));
        mirror.end_list();
    }
    std::string shown() {
        std::string out;
        for (const auto& [key, kept] : mirror.objects()) {
            out += fmt::format("{}={} ", key, kept.text);
        }
        return out;
    }

    static std::string_view text_of(const Item* item) {
        return item == nullptr ? std::string_view("-") : item->text;
    }

    std::vector<std::string> changes;
    Mirror<Item> mirror{
        decode, [this](std::string_view key, const Item* before, const Item* after) {
            changes.push_back(fmt::format("{} {}>{}", key, text_of(before), text_of(after)));
        }};
};

TEST_F(MirrorTest, TellsOfEachChange) {
    EXPECT_FALSE(mirror.complete());
    list("1", "1");
    EXPECT_TRUE(mirror.complete());
    mirror.put(item("b", "2", "2"));
    mirror.put(item("a", "3", "3"));
    mirror.put(item("a", "4", "3"));
    EXPECT_EQ(shown(), "ns/a=3 ns/b=2 ");
    mirror.erase(item("a", "5", "3"));
    EXPECT_EQ(shown(), "ns/b=2 ");
    EXPECT_EQ(changes,
              (std::vector<std::string>{"ns/a ->1", " ->-", "ns/b ->2", "ns/a 1>3", "ns/a 3>-"}));
}

TEST_F(MirrorTest, WhatAListLacksIsDeleted) {
    list("1", "1");
    mirror.begin_list();
    EXPECT_EQ(shown(), "ns/a=1 ") << "not before its end";
    mirror.end_list();
    EXPECT_EQ(shown(), "");
}

// Versions go back when etcd was restored from a backup.
TEST_F(MirrorTest, AListCountsAlthoughVersionsWentBack) {
    list("500", "later");
    list("300", "restored");
    EXPECT_EQ(shown(), "ns/a=restored ");
    mirror.put(item("a", "301", "ours"));
    mirror.put(item("a", "300", "restored"));
    EXPECT_EQ(shown(), "ns/a=ours ") << "what we have written ourselves is newer";
}

TEST_F(MirrorTest, OlderVersionsAreIgnored) {
    list("1", "1");
    // The reply to our own write may arrive before the watch reports it.
    mirror.put(item("a", "1000", "9"));
    mirror.put(item("a", "2", "2"));
    EXPECT_EQ(shown(), "ns/a=9 ");
}

TEST_F(MirrorTest, WhatIsOfNoInterestIsNotKept) {
    list("1", "1");
    mirror.put(item("a", "2", "hidden"));
    mirror.put(item("b", "3", "hidden"));
    EXPECT_EQ(shown(), "");
}

TEST_F(MirrorTest, TheEndOfAnEarlierObjectIsNotThatOfALaterOne) {
    list("1", "1");
    mirror.put(item("a", "1000", "9"));
    mirror.erase(item("a", "2", "1"));
    EXPECT_EQ(shown(), "ns/a=9 ");
}

}  // namespace
}  // namespace runtime::controller
