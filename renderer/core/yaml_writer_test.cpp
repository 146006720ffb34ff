#include "renderer/core/yaml_writer.h"

#include <gtest/gtest.h>

#include <random>

#include "renderer/core/yaml_reader.h"

namespace renderer::inline core {
namespace {

std::string written(const Value& value) {
    std::string out;
    write_yaml(value, out);
    return out;
}

TEST(YamlWriter, WritesTheCanonicalForm) {
    const Value object = Value::map(
        {{"spec",
          Value::map({{"ports", Value::list({Value::map({{"port", 80}, {"name", "http"}})})},
                      {"empty", Value::map()},
                      {"none", Value::list()},
                      {"metadata", Value::map({{"labels", 1}, {"annotations", 2}})}})},
         {"metadata", Value::map({{"annotations", Value::map({{"b", "true"}, {"a", "x y"}})},
                                  {"creator", "me"},
                                  {"namespace", "shop"},
                                  {"name", "web"}})},
         {"data", Value::map({{"text", "a\nb\n"}, {"tail", "a\nb"}, {"keep", "a\n\n"}})},
         {"kind", "Service"},
         {"apiVersion", "v1"}});
    EXPECT_EQ(written(object),
              "apiVersion: v1\n"
              "kind: Service\n"
              "metadata:\n"
              "  name: web\n"
              "  namespace: shop\n"
              "  annotations:\n"
              "    a: x y\n"
              "    b: \"true\"\n"
              "  creator: me\n"
              "data:\n"
              "  keep: |+\n"
              "    a\n"
              "\n"
              "  tail: |-\n"
              "    a\n"
              "    b\n"
              "  text: |\n"
              "    a\n"
              "    b\n"
              "spec:\n"
              "  empty: {}\n"
              "  metadata:\n"
              "    annotations: 2\n"
              "    labels: 1\n"
              "  none: []\n"
              "  ports:\n"
              "  - name: http\n"
              "    port: 80\n");
}

TEST(YamlWriter, QuotesWhatSomeReaderWouldRetype) {
    for (const char* text :
         {"",           "y",     "N",   "yes",  "on",    "OFF",          "null", "~",
          "true",       "012",   "0o7", "0x1f", "1e3",   ".5",           "+1",   "12:30",
          "2001-01-01", "1_000", "=",   "<<",   " x",    "x ",           "a: b", "a #b",
          "- x",        "-x",    "{a}", "[a]",  "a, b",  "*a",           "&a",   "!a",
          "%a",         "@a",    "`a",  "'a",   "\"a",   "#a",           "?a",   ":a",
          "a:",         "|",     ">",   ".inf", "-.NaN", "\xEF\xBB\xBF", "..."}) {
        SCOPED_TRACE(text);
        EXPECT_TRUE(needs_quotes(text));
    }
    for (const char* text : {"web", "v1.96.5", "/bin/sh", "$(POD_NAME)", "a:b", "a#b", "käse",
                             "get", "tailscale.com/x"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(needs_quotes(text));
    }
}

// Random values made of pieces that have broken writers before.
class RandomValues {
public:
    Value value(int depth) {
        switch (pick(depth > 4 ? 5 : 7)) {
            case 0:
                return {};
            case 1:
                return Value(pick(2) == 0);
            case 2:
                return Value::number(numbers_[pick(std::size(numbers_))]);
            case 3:
            case 4:
                return Value(std::string_view(text()));
            case 5: {
                Value list = Value::list();
                for (std::size_t i = pick(4); i > 0; --i) {
                    list.append(value(depth + 1));
                }
                return list;
            }
            default: {
                Value map = Value::map();
                for (std::size_t i = pick(5); i > 0; --i) {
                    map.put(std::string_view(text()), value(depth + 1));
                }
                return map;
            }
        }
    }

private:
    std::size_t pick(std::size_t count) { return engine_() % count; }

    std::string text() {
        std::string text;
        for (std::size_t i = pick(4); i > 0; --i) {
            text += pieces_[pick(std::size(pieces_))];
        }
        return text;
    }

    std::mt19937 engine_{20240229};
    static constexpr const char* numbers_[] = {"0",  "-1",   "1.0",   "0644", "1e3",
                                               ".5", "0x1f", "1_000", ".inf"};
    static constexpr const char* pieces_[] = {"a",
                                              "web",
                                              " ",
                                              "  ",
                                              "\n",
                                              "\n\n",
                                              "\t",
                                              "\r",
                                              "\r\n",
                                              ":",
                                              ": ",
                                              " #",
                                              "#",
                                              "-",
                                              "- ",
                                              "--- ",
                                              "...",
                                              "yes",
                                              "null",
                                              "1",
                                              "0x",
                                              "e3",
                                              "\"",
                                              "'",
                                              "\\",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              ",",
                                              "&",
                                              "*",
                                              "!",
                                              "|",
                                              ">",
                                              "%",
                                              "@",
                                              "`",
                                              "?",
                                              "=",
                                              "<<",
                                              "~",
                                              "\x01",
                                              "\x7f",
                                              "\x1b",
                                              "\xC2\x85",
                                              "\xC2\xA0",
                                              "\xE2\x80\xA8",
                                              "\xEF\xBB\xBF",
                                              "\xC3\xA9",
                                              "\xF0\x9F\x90\x88",
                                              "${X}",
                                              "true",
                                              "2001-01-01",
                                              "12:30"};
};

TEST(YamlWriter, ReadingGivesBackEveryValue) {
    RandomValues random;
    for (int i = 0; i < 30'000; ++i) {
        const Value value = random.value(0);
        const std::string text = written(value);
        SourceMap sources;
        Diagnostics diagnostics;
        const Value again = read_yaml(sources, sources.add("written", text), diagnostics);
        ASSERT_TRUE(diagnostics.empty()) << i << "\n" << diagnostics.print(sources, false) << text;
        ASSERT_TRUE(again == value) << i << "\n" << text;
    }
}

}  // namespace
}  // namespace renderer::inline core
