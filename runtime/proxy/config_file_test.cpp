#include "runtime/proxy/config_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "renderer/base/temporary_folder_testing.h"

namespace runtime::proxy {
namespace {

class ConfigFolder : public testing::Test {
protected:
    void put(const std::string& name, std::string_view text = "{}") const {
        std::ofstream(folder + "/" + name) << text;
    }
    std::string chosen() {
        auto path = choose_config_file(folder);
        return path ? path->substr(folder.size() + 1) : path.error().diagnostic.message;
    }

    const renderer::TemporaryFolder temporary;
    const std::string folder = temporary.path();
};

TEST_F(ConfigFolder, HoldsTheNewestFileThatWeKnow) {
    EXPECT_EQ(chosen(), "no tailscaled config file found in \"" + folder +
                            "\" for current capability version 148");
    put("cap-95.hujson");
    put("cap-9x.hujson");
    put("other.json");
    EXPECT_EQ(chosen(), "cap-95.hujson");
    put("cap-107.hujson");
    put("cap-149.hujson");
    EXPECT_EQ(chosen(), "cap-107.hujson");
    const std::string sub = folder + "/cap-120.hujson";
    ASSERT_EQ(mkdir(sub.c_str(), 0700), 0);
    EXPECT_EQ(chosen(), "cap-107.hujson");
    rmdir(sub.c_str());
    EXPECT_EQ(choose_config_file("/nowhere").error().diagnostic.message,
              "error reading tailscaled config directory \"/nowhere\": open /nowhere: No such file "
              "or directory");
}

TEST_F(ConfigFolder, FilesAreReadWhole) {
    put("a", " x \n");
    EXPECT_EQ(*read_whole(folder + "/a"), " x \n");
    EXPECT_EQ(*read_if_there(folder + "/b"), "");
    EXPECT_FALSE(read_whole(folder + "/b").has_value());
    EXPECT_FALSE(read_if_there(folder).has_value());
}

TEST(ParseConfig, FindsTheKeyAndRefusesWhatTailscaledRefuses) {
    const auto parse = [](std::string text) {
        auto config = parse_config(std::move(text), "f");
        return config ? "key:" + config->auth_key : config.error().diagnostic.message;
    };
    EXPECT_EQ(parse(R"({"Version":"alpha0","AuthKey":"k","acceptDNS":false})"), "key:k");
    EXPECT_EQ(parse("// why\n{\"version\": \"alpha0\", /* none */ \"Locked\": false,}\n"), "key:");
    EXPECT_EQ(parse(R"({"AuthKey":"k"})"),
              "error parsing config file f: no \"version\" field defined");
    EXPECT_EQ(
        parse(R"({"version":"beta"})"),
        "error parsing config file f: unsupported \"version\" value \"beta\"; want \"alpha0\" "
        "for now");
    EXPECT_EQ(parse(R"({"version":"alpha0","Hostnme":"x"})"),
              "error parsing config file f: json: unknown field \"Hostnme\"");
    EXPECT_EQ(parse("[]"), "error parsing config file f: not a JSON object");
    EXPECT_EQ(parse("{"), "error parsing config file f: not a JSON object");
}

TEST(StandardJson, LeavesTextsAlone) {
    for (const auto& [text, want] : std::initializer_list<std::pair<const char*, const char*>>{
             {R"({"a":"//x","b":"/*y*/,}"})", R"({"a":"//x","b":"/*y*/,}"})"},
             {R"({"a":"\"//",})", R"({"a":"\"//"})"},
             {"[1, // one\n 2 , ]", "[1, \n 2  ]"},
             {"[1/* */,/* */]", "[1]"},
             {"[1] // end", "[1] "},
             {"[1] /* end", "[1] "},
         }) {
        EXPECT_EQ(standard_json(text), want);
    }
}

}  // namespace
}  // namespace runtime::proxy
