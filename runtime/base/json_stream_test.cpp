#include "runtime/base/json_stream.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

// Records the events as text, so that tables can compare them.
class Events : public JsonListener {
public:
    void on_key(std::string_view key) override { out.append("k:").append(key).append(" "); }
    void on_text(std::string_view text) override { out.append("t:").append(text).append(" "); }
    void on_scalar(std::string_view text) override { out.append("s:").append(text).append(" "); }
    void on_begin(bool is_object) override { out.append(is_object ? "{ " : "[ "); }
    void on_end() override { out.append("} "); }
    void on_document() override { out.append("; "); }

    std::string out;
};

std::string events_of(std::string_view text, std::size_t piece) {
    Events events;
    JsonStream stream(events);
    for (std::size_t at = 0; at < text.size(); at += piece) {
        if (!stream.take(text.substr(at, piece))) {
            return events.out + "failed";
        }
    }
    return events.out;
}

TEST(JsonStream, GivesTheSameEventsHoweverTheTextIsCut) {
    struct Row {
        std::string_view text, want;
    };
    for (const Row& row : {
             Row{"{}\n[]\n", "{ } ; [ } ; "},
             Row{R"({"a":1,"b":[true,null,-1.5e+3],"c":{"d":"x"}} )",
                 "{ k:a s:1 k:b [ s:true s:null s:-1.5e+3 } k:c { k:d t:x } } ; "},
             Row{R"({"a":"\"\\\/\b\u0041\u00e9\u20ac\ud83d\ude00"})",
                 "{ k:a t:\"\\/\bA\u00e9\u20ac\U0001F600 } ; "},
             Row{R"(["\ud83dx","\ude00","\ud83d\n"])", "[ t:\uFFFDx t:\uFFFD t:\uFFFD\n } ; "},
             Row{"1\n\"x\"\n", "s:1 ; t:x ; "},
         }) {
        for (const std::size_t piece : {1U, 2U, 3U, 1000U}) {
            EXPECT_EQ(events_of(row.text, piece), row.want) << row.text << " in " << piece;
        }
    }
}

TEST(JsonStream, RefusesWhatIsNotJson) {
    for (const std::string_view text :
         {"{a:1}", "{\"a\" 1}", "[1 2]", "[1,]", "{\"a\":1,}", "]", "[}", "nul ", "01 ", "1. ", "-",
          "[\"\\x\"]", "[\"\\u00g0\"]", "[\"\n\"]", ",", "[1e ]", "tru e"}) {
        const std::string padded = std::string(text) + " ";
        EXPECT_TRUE(events_of(padded, 1).ends_with("failed")) << text;
    }
    EXPECT_TRUE(events_of(std::string(JsonStream::kDeepest + 1, '['), 7).ends_with("failed"));
    EXPECT_TRUE(events_of(std::string(100, '1'), 7).ends_with("failed"));
}

TEST(JsonStream, CutsLongTextsOffAndGoesOn) {
    const std::string text = "[\"" + std::string(JsonStream::kLongestText * 2, 'x') + "\",1]";
    EXPECT_EQ(events_of(text, 4096),
              "[ t:" + std::string(JsonStream::kLongestText, 'x') + " s:1 } ; ");
}

TEST(JsonStream, CutsLongTextsOffInOnePlace) {
    const std::string most(JsonStream::kLongestText - 1, 'x');
    EXPECT_EQ(events_of("\"" + most + R"(\u20acy")", 4096), "t:" + most + "\xe2 ; ");
}

TEST(JsonStream, SaysWhetherADocumentIsOpen) {
    Events events;
    JsonStream stream(events);
    EXPECT_TRUE(stream.is_between());
    EXPECT_TRUE(stream.take("{\"a\":"));
    EXPECT_FALSE(stream.is_between());
    EXPECT_TRUE(stream.take("1}"));
    EXPECT_TRUE(stream.is_between());
}

}  // namespace
}  // namespace runtime::inline base
