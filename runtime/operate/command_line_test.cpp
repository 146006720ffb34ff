#include "runtime/operate/command_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace runtime::operate {
namespace {

CommandLine parse(std::vector<const char*> words) {
    words.insert(words.begin(), "tailrender-runtime");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

std::string command_refusal(const std::vector<const char*>& words) {
    const CommandLine line = parse(words);
    EXPECT_TRUE(line.answer.has_value());
    EXPECT_EQ(line.answer->exit_code, 2);
    EXPECT_EQ(line.answer->out, "");
    return line.answer->err;
}

TEST(CommandLine, NamesARoleOrAVerb) {
    for (const char* name : {"controller", "nameserver", "cleanup", "status"}) {
        const CommandLine line = parse({name});
        ASSERT_FALSE(line.answer.has_value()) << line.answer->err;
        EXPECT_EQ(line.command.name, name);
        EXPECT_EQ(line.command.flags.cluster.ns, "tailscale");
    }
}

TEST(CommandLine, HelpsEverywhere) {
    for (const char* flag : {"-h", "--help"}) {
        const Answer all = *parse({flag}).answer;
        EXPECT_TRUE(all.out.starts_with("usage: tailrender-runtime controller | nameserver\n"));
        EXPECT_NE(all.out.find("Exit codes: 0 done; 1 not done"), std::string::npos);
        EXPECT_EQ(all.exit_code, 0);
        for (const char* name : {"controller", "nameserver", "cleanup", "status"}) {
            const Answer one = *parse({name, flag}).answer;
            EXPECT_NE(one.out.find("tailrender-runtime " + std::string(name) + " [OPTIONS]"),
                      std::string::npos)
                << one.out;
            EXPECT_EQ(one.exit_code, 0);
        }
    }
    const std::string version = parse({"--version"}).answer->out;
    EXPECT_TRUE(version.starts_with("tailrender-runtime ") && version.ends_with("\n")) << version;
    EXPECT_NE(parse({"cleanup", "-h"}).answer->out.find("$OPERATOR_LOGIN_SERVER"),
              std::string::npos);
}

TEST(CommandLine, SaysWhichWordIsWrong) {
    const std::string all = " [usage]\n  hint: run \"tailrender-runtime --help\"\n";
    const std::string status = " [usage]\n  hint: run \"tailrender-runtime status --help\"\n";
    const std::string error = "tailrender-runtime: error: ";
    EXPECT_EQ(command_refusal({}), error + "a role or a verb is required" + all);
    EXPECT_EQ(command_refusal({"bogus"}), error + "unknown verb \"bogus\"" + all);
    EXPECT_EQ(command_refusal({"--bogus"}), error + "unknown flag \"--bogus\"" + all);
    EXPECT_EQ(command_refusal({"help"}), error + "unknown verb \"help\"" + all);
    EXPECT_EQ(command_refusal({"controler"}),
              error + "unknown verb \"controler\" [usage]\n  hint: did you mean \"controller\"?\n");
    EXPECT_EQ(command_refusal({"adopt", "--finish"}),
              error +
                  "unknown verb \"adopt\" [usage]\n  hint: it is a program of its own, "
                  "tailrender-adopt\n");
    const std::string bogus = command_refusal({"bogus"});
    for (const char* flag : {"--help", "-h", "--version"}) {
        EXPECT_EQ(command_refusal({"bogus", flag}), bogus) << flag;
    }
    EXPECT_EQ(command_refusal({"probe", "--help"}), error + "unknown verb \"probe\"" + all);
    EXPECT_EQ(command_refusal({"status", "extra"}), error + "unknown argument \"extra\"" + status);
    EXPECT_EQ(command_refusal({"status", "--contxt", "x"}),
              error + "unknown flag \"--contxt\" [usage]\n  hint: did you mean \"--context\"?\n");
    EXPECT_EQ(command_refusal({"status", "--contxt=a-long-name"}),
              error +
                  "unknown flag \"--contxt=a-long-name\" [usage]\n  hint: did you mean "
                  "\"--context\"?\n");
    EXPECT_EQ(command_refusal({"controller", "extra"}),
              error +
                  "unknown argument \"extra\" [usage]\n  hint: run \"tailrender-runtime "
                  "controller --help\"\n");
    EXPECT_EQ(
        command_refusal({"status", "-o", "yaml"}),
        error + "--output: invalid output format \"yaml\": expected table, wide or json" + status);
    EXPECT_EQ(
        command_refusal({"status", "--server", "http://127.0.0.1:8001", "--kubeconfig", "config"}),
        error + "--kubeconfig excludes --server" + status);
}

TEST(CommandLine, ExplainsWhatStatusShows) {
    const std::string help = parse({"status", "--help"}).answer->out;
    for (const char* words :
         {"table|wide|json", "waiting: has not joined", "joined: the pod that runs has joined",
          "restarting: has joined from a pod", "leaving: no longer wanted",
          "unknown: no permission", "PROBLEM  ", "registered: the tailnet has it",
          "refused: by the tailnet", "ClusterRole view allows",
          "Exit codes: 0 the controller is running; 1 it is not"}) {
        EXPECT_NE(help.find(words), std::string::npos) << words << " in " << help;
    }
    EXPECT_EQ(parse({"status"}).command.flags.form, StatusForm::Table);
    EXPECT_EQ(parse({"status", "-o", "wide"}).command.flags.form, StatusForm::Wide);
    EXPECT_EQ(parse({"status", "-o", "json"}).command.flags.form, StatusForm::Json);
}

TEST(CommandLine, TakesOnlyNamespacesThatCanBe) {
    EXPECT_EQ(parse({"status", "-n", "ts-2"}).command.flags.cluster.ns, "ts-2");
    const std::string too_long(64, 'a');
    for (const char* ns : {"", "../x", "Bad_Name", "-a", "a-", "a.b", too_long.c_str()}) {
        EXPECT_EQ(command_refusal({"status", "-n", ns}),
                  "tailrender-runtime: error: --namespace: invalid namespace \"" + std::string(ns) +
                      "\": expected lower-case letters, digits and dashes, at "
                      "most 63, no dash at either end [usage]\n"
                      "  hint: run \"tailrender-runtime status --help\"\n");
    }
}

TEST(CommandLine, TakesOnlyServersThatCanBe) {
    EXPECT_EQ(
        parse({"status", "--server", "http://127.0.0.1:8001/"}).command.flags.cluster.access.server,
        "http://127.0.0.1:8001");
    EXPECT_EQ(parse({"cleanup", "--login-server", "https://login.example.com/"})
                  .command.flags.cleanup.login_server,
              "https://login.example.com");
    EXPECT_EQ(command_refusal({"status", "--server", "ftp://x"}),
              "tailrender-runtime: error: --server: invalid server \"ftp://x\": expected "
              "http://HOST[:PORT] or https://HOST[:PORT] [usage]\n"
              "  hint: run \"tailrender-runtime status --help\"\n");
    EXPECT_NE(command_refusal({"cleanup", "--login-server", "login.example.com"})
                  .find("--login-server: invalid server \"login.example.com\""),
              std::string::npos);
}

}  // namespace
}  // namespace runtime::operate
