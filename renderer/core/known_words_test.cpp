#include "renderer/core/known_words.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace renderer::inline core {
namespace {

TEST(KnownWords, NamesTheNearestOne) {
    CLI::App app;
    CLI::App* render = app.add_subcommand("render");
    std::string value;
    const CLI::Option* output = render->add_option("-o,--output", value);
    EXPECT_EQ(names_of(*output), (std::vector<std::string>{"-o", "--output"}));
    EXPECT_EQ(nearest_word(app, nullptr, "rendr"), "render");
    EXPECT_EQ(nearest_word(app, nullptr, "--output"), "");
    EXPECT_EQ(nearest_word(app, render, "--outptu"), "--output");
    EXPECT_EQ(nearest_word(app, render, "--outptu=a/long/path"), "--output");
    EXPECT_EQ(nearest_word(app, render, "-O"), "-o");
    EXPECT_EQ(nearest_word(app, render, "-O=x"), "-o");
    EXPECT_EQ(nearest_word(app, render, "-x"), "");
    EXPECT_EQ(nearest_word(app, render, "render"), "");
}

TEST(KnownWords, KnowTheVerb) {
    CLI::App app;
    const CLI::App* render = app.add_subcommand("render");
    EXPECT_EQ(chosen_verb(app), nullptr);
    app.parse("render");
    EXPECT_EQ(chosen_verb(app), render);
}

}  // namespace
}  // namespace renderer::inline core
