#include "runtime/adopt/command_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace runtime::adopt {
namespace {

AdoptLine parse(std::vector<const char*> words) {
    words.insert(words.begin(), "tailrender-adopt");
    return parse_adopt_line(static_cast<int>(words.size()), words.data());
}

std::string refusal(const std::vector<const char*>& words) {
    const AdoptLine line = parse(words);
    EXPECT_TRUE(line.answer.has_value());
    EXPECT_EQ(line.answer->exit_code, 2);
    EXPECT_EQ(line.answer->out, "");
    return line.answer->err;
}

TEST(AdoptLine, TakesNoVerb) {
    const AdoptLine line = parse({"-n", "ts-2", "--dry-run"});
    ASSERT_FALSE(line.answer.has_value()) << line.answer->err;
    EXPECT_EQ(line.command.cluster.ns, "ts-2");
    EXPECT_TRUE(line.command.options.dry_run);
    EXPECT_TRUE(parse({"--rollback"}).command.roll_back);
    EXPECT_TRUE(parse({"--finish"}).command.finish);
    const std::string help = " [usage]\n  hint: run \"tailrender-adopt --help\"\n";
    EXPECT_EQ(refusal({"status"}), "tailrender-adopt: error: unknown argument \"status\"" + help);
    EXPECT_EQ(refusal({"--rollbak"}),
              "tailrender-adopt: error: unknown flag \"--rollbak\" [usage]\n  hint: did you mean "
              "\"--rollback\"?\n");
    EXPECT_EQ(refusal({"--rollback", "--finish"}),
              "tailrender-adopt: error: --rollback excludes --finish" + help);
}

TEST(AdoptLine, Helps) {
    const operate::Answer answer = *parse({"--help"}).answer;
    EXPECT_EQ(answer.exit_code, 0);
    for (const char* words :
         {"Moves the proxies of a running Tailscale operator", "tailrender-adopt [OPTIONS]",
          "--kubeconfig FILE", "--rollback", "Exit codes: 0 done"}) {
        EXPECT_NE(answer.out.find(words), std::string::npos) << words << " in " << answer.out;
    }
    EXPECT_TRUE(parse({"--version"}).answer->out.starts_with("tailrender-adopt "));
}

TEST(AdoptLine, WaitsWholeSeconds) {
    EXPECT_EQ(parse({"--patience", "60"}).command.patience, 60);
    for (const char* time : {"0", "-1", "1.5", "86401", "99999999999", "soon", "5m"}) {
        EXPECT_EQ(refusal({"--patience", time}),
                  "tailrender-adopt: error: --patience: invalid timeout \"" + std::string(time) +
                      "\": expected whole seconds from 1 to 86400 [usage]\n"
                      "  hint: run \"tailrender-adopt --help\"\n");
    }
}

}  // namespace
}  // namespace runtime::adopt
