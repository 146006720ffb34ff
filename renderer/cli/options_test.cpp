#include "renderer/cli/options.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace renderer::cli {
namespace {

CommandLine parse(std::vector<const char*> words) {
    words.insert(words.begin(), "tailrender");
    return parse_command_line(static_cast<int>(words.size()), words.data());
}

std::string refusal_of(const CommandLine& line) {
    Diagnostics refusals;
    if (line.refusal) {
        refusals.add(*line.refusal);
    }
    return refusals.print(SourceMap(), false);
}

TEST(Options, TakeTheFlagsOfRender) {
    const CommandLine line =
        parse({"render", "--values",  "a.yaml",        "repo",        "--values", "b.yaml",
               "--set",  "a.b=c",     "--set=d=e",     "-o",          "out",      "--cluster",
               "home",   "--context", "facts",         "--namespace", "n",        "--threads",
               "3",      "-q",        "--allow-empty", "--color",     "never",    "--log-file",
               "l",      "--all"});
    ASSERT_TRUE(line.options) << refusal_of(line);
    const Options& options = *line.options;
    EXPECT_EQ(options.verb, "render");
    EXPECT_EQ(options.load.path, "repo");
    EXPECT_EQ(options.load.values_files, (std::vector<std::string>{"a.yaml", "b.yaml"}));
    EXPECT_EQ(options.load.sets, (std::vector<std::string>{"a.b=c", "d=e"}));
    EXPECT_EQ(options.load.output_dir, "out");
    EXPECT_EQ(options.load.cluster, "home");
    EXPECT_EQ(options.load.context_dirs, std::vector<std::string>{"facts"});
    EXPECT_EQ(options.load.default_namespace, "n");
    EXPECT_EQ(options.load.threads, 3U);
    EXPECT_TRUE(options.quiet);
    EXPECT_TRUE(options.all);
    EXPECT_TRUE(options.allow_empty);
    EXPECT_EQ(options.color, Color::Never);
    EXPECT_EQ(options.log_file, "l");
}

TEST(Options, AllowTheNetworkToAllHostsOrToSome) {
    EXPECT_EQ(parse({"render", "."}).options->network, "");
    const CommandLine all = parse({"render", "--allow-network", "repo"});
    EXPECT_EQ(all.options->network, "true");
    EXPECT_EQ(all.options->load.path, "repo");
    EXPECT_EQ(parse({"lint", ".", "--allow-network=ghcr.io,10.0.0.1"}).options->network,
              "ghcr.io,10.0.0.1");
}

TEST(Options, TakeTheOtherVerbs) {
    EXPECT_TRUE(parse({"render", ".", "--update-lock"}).options->update_lock);
    EXPECT_FALSE(parse({"render", "."}).options->update_lock);
    EXPECT_EQ(parse({"check", ".", "-o", "out"}).options->verb, "check");
    EXPECT_EQ(parse({"post-render", "--release", "r"}).options->release, "r");
    for (const std::vector<const char*>& words : {std::vector<const char*>{"post-render", "--all"},
                                                  {"krm", "--all"},
                                                  {"install", "--all"},
                                                  {"commit", ".", "--branch", "b", "--all"}}) {
        EXPECT_TRUE(parse(words).options->all) << words.front();
    }
    EXPECT_TRUE(parse({"check", ".", "-o", "out", "--all"}).options->all);
    const CommandLine line = parse({"explain", "Service/a/b", "."});
    EXPECT_EQ(line.options->object, "Service/a/b");
    EXPECT_EQ(line.options->load.path, ".");
    EXPECT_EQ(parse({"completion", "fish"}).options->shell, "fish");
}

TEST(Options, SayWhatIsWrong) {
    const struct {
        std::vector<const char*> words;
        std::string err;
    } rows[] = {
        {{"rendr", ".", "--quiet"},
         "tailrender: error: unknown verb \"rendr\" [usage]\n  hint: did you mean \"render\"?\n"},
        {{"render", ".", "--clutser", "x"},
         "tailrender: error: unknown argument \"--clutser\" [usage]\n"
         "  hint: did you mean \"--cluster\"?\n"},
        {{"render"},
         "tailrender: error: PATH is required [usage]\n  hint: run \"tailrender render --help\"\n"},
        {{"check", "."},
         "tailrender: error: --output is required [usage]\n"
         "  hint: run \"tailrender check --help\"\n"},
        {{"render", ".", "--color", "blue"},
         "tailrender: error: --color: unknown value \"blue\" [usage]\n"
         "  expected: one of { auto, always, never }\n"
         "  hint: run \"tailrender render --help\"\n"},
        {{"install", "--namespace", "Bad_NS"},
         "tailrender: error: --namespace: invalid namespace \"Bad_NS\"; expected lower-case "
         "letters, digits and dashes, at most 63, no dash at either end [usage]\n"
         "  hint: run \"tailrender install --help\"\n"},
        {{"render", ".", "--argo-cluster", "home,env"},
         "tailrender: error: --argo-cluster: invalid cluster \"home,env\"; expected "
         "NAME[,server=URL][,LABEL=VALUE]... [usage]\n"
         "  hint: run \"tailrender render --help\"\n"},
        {{"render", ".", "--substitute", "2A=b"},
         "tailrender: error: --substitute: invalid variable \"2A=b\"; expected NAME=VALUE "
         "[usage]\n  hint: run \"tailrender render --help\"\n"},
        {{"render", ".", "--allow-network=https://me:t0ken@example.com"},
         "tailrender: error: --allow-network: invalid hosts \"https://example.com\"; expected "
         "HOST[,HOST]... [usage]\n  hint: run \"tailrender render --help\"\n"},
        {{"render", ".", "--allow-network=charts.example.com:8443"},
         "tailrender: error: --allow-network: invalid hosts \"charts.example.com:8443\"; expected "
         "HOST[,HOST]... [usage]\n  hint: run \"tailrender render --help\"\n"},
        {{"render", ".", "--threads", "many"},
         "tailrender: error: --threads: invalid number \"many\" [usage]\n"
         "  expected: a whole number\n"
         "  hint: run \"tailrender render --help\"\n"},
        {{"render", ".", "--diagnostics", "yaml"},
         "tailrender: error: --diagnostics: invalid format \"yaml\"; expected one of "
         "text|json|sarif|github|gitlab|junit, or FORMAT=FILE [usage]\n"
         "  hint: run \"tailrender render --help\"\n"},
        {{"render", ".", "--diagnostics", "json", "--diagnostics=github"},
         "tailrender: error: --diagnostics: two formats on standard error; expected FORMAT=FILE "
         "for one [usage]\n  hint: run \"tailrender render --help\"\n"},
        {{},
         "tailrender: error: a verb is required [usage]\n  hint: run \"tailrender "
         "--help\"\n"},
    };
    for (const auto& row : rows) {
        const CommandLine line = parse(row.words);
        EXPECT_FALSE(line.options);
        EXPECT_EQ(line.exit_code, 2);
        EXPECT_EQ(refusal_of(line), row.err);
        EXPECT_EQ(line.out, "");
    }
}

TEST(Options, TakeFormatsOfDiagnosticsForEveryVerb) {
    for (const VerbInfo& verb : command_table()) {
        EXPECT_EQ(std::ranges::count(verb.flags, std::vector<std::string>{"--diagnostics"},
                                     &FlagInfo::names),
                  1)
            << verb.name;
    }
    const std::vector<DiagnosticTarget> targets =
        parse({"render", "--diagnostics", "github", ".", "--diagnostics=sarif=a.sarif"})
            .options->diagnostics;
    ASSERT_EQ(targets.size(), 2U);
    EXPECT_EQ(targets[0].format, DiagnosticFormat::Github);
    EXPECT_EQ(targets[1].file, "a.sarif");
}

TEST(Options, MistakesAreSaidInTheFormatThatIsAskedFor) {
    const CommandLine line = parse({"rendr", "--diagnostics=json", "--diagnostics", "junit=a.xml",
                                    "--diagnostics=text", "--", "--diagnostics=gitlab=b"});
    EXPECT_TRUE(line.refusal);
    ASSERT_EQ(line.targets.size(), 2U);
    EXPECT_EQ(line.targets[0].format, DiagnosticFormat::Json);
    EXPECT_EQ(line.targets[1].format, DiagnosticFormat::Junit);
}

TEST(Options, PrintVersionAndHelpToStandardOutput) {
    const CommandLine version = parse({"--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.out, "tailrender " TAILRENDER_VERSION
                           "\nTailscale Kubernetes operator 1.96.5 to "
                           "1.104.5, 1.104.5 by default\n");
    for (const VerbInfo& verb : command_table()) {
        const CommandLine help = parse({verb.name.c_str(), "--help"});
        EXPECT_EQ(help.exit_code, 0);
        EXPECT_NE(help.out.find("Examples:\n  "), std::string::npos) << help.out;
        EXPECT_NE(help.out.find("  -h, --help  "), std::string::npos) << help.out;
        // help2man reads the option, then two spaces or a new line, then the description.
        for (std::size_t at = help.out.find("\n  -"); at != std::string::npos;
             at = help.out.find("\n  -", at + 1)) {
            const std::size_t end = help.out.find('\n', at + 1);
            EXPECT_TRUE(help.out.find("  ", at + 3) < end ||
                        help.out.compare(end, 5, "\n    ") == 0)
                << help.out.substr(at, end - at);
        }
        EXPECT_EQ(refusal_of(help), "");
    }
}

TEST(Options, TableHasFlagsWithTheirValues) {
    const std::vector<VerbInfo> table = command_table();
    EXPECT_EQ(table[0].name, "render");
    EXPECT_EQ(table[0].arguments, "DIR");
    bool output = false;
    for (const FlagInfo& flag : table[0].flags) {
        output |= flag.names == std::vector<std::string>{"-o", "--output"} && flag.value == "DIR";
    }
    EXPECT_TRUE(output);
}

TEST(ParseOptions, AnEmptyListOfHostsIsNotAllHosts) {
    for (const char* flag : {"--allow-network=", "--allow-network={}"}) {
        const char* const words[] = {"tailrender", "render", flag, "."};
        const CommandLine line = parse_command_line(4, words);
        EXPECT_EQ(line.exit_code, 2) << flag;
        EXPECT_NE(refusal_of(line).find("--allow-network: invalid hosts"), std::string::npos)
            << refusal_of(line);
    }
}

}  // namespace
}  // namespace renderer::cli
