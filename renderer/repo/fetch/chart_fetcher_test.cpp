#include "renderer/repo/fetch/chart_fetcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "renderer/base/sha256.h"
#include "renderer/base/temporary_folder_testing.h"

namespace renderer::repo {
namespace {

// Replaces helm by a script that may not start other programs. It tries to append its arguments to
// a file beside it, which it may not write.
class ChartFetching : public testing::Test {
protected:
    // `pull` is what the script does on `helm pull`. $out is where the archive belongs.
    FetchSetup helm(const std::string& pull, FetchLimits limits = {}) {
        const std::string path = dir_ + "/helm";
        std::ofstream(path)
            << "#!/bin/sh\n"
               "if [ \"$1\" = show ]; then echo \"name: web\"; echo \"version: 1.2.0\"; exit; fi\n"
               "out=${2#--destination=}\n"
            << pull << "\n";
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
        return {.helm = path, .limits = limits};
    }

    const TemporaryFolder folder_;
    const std::string dir_ = folder_.path();
};

constexpr const char* kPulls = "echo archive >\"$out/web-1.2.0.tgz\"";

ChartAddress address(const std::string& chart) {
    return {.repository = "https://charts.example", .chart = chart, .version = "1.x"};
}

std::string failure(ChartFetcher& fetcher, const ChartAddress& address) {
    Result<std::string> got = fetcher.fetch(address);
    return got ? "fetched" : got.error().diagnostic.found;
}

TEST_F(ChartFetching, GivesTheArchiveAndSaysWhatItIs) {
    ChartFetcher fetcher(helm(kPulls));
    Result<std::string> got = fetcher.fetch(address("web"));
    ASSERT_TRUE(got) << got.error().diagnostic.found;
    EXPECT_EQ(*got, "archive\n");
    const FetchedChart web{"web", "1.2.0", "https://charts.example", sha256_hex("archive\n")};
    EXPECT_EQ(fetcher.fetched(), std::vector{web});
}

TEST_F(ChartFetching, AsksHelmAsAUserWould) {
    ChartFetcher fetcher(helm("shift 2; echo \"Error: $*\" >&2; exit 1"));
    EXPECT_EQ(failure(fetcher, address("web")),
              "--version=1.x --repo=https://charts.example -- web");
    EXPECT_EQ(failure(fetcher, {.repository = "oci://ghcr.io/acme/", .chart = "web"}),
              "-- oci://ghcr.io/acme/web");
    EXPECT_EQ(failure(fetcher, {.chart = "https://a.example/web.tgz"}),
              "-- https://a.example/web.tgz");
}

TEST_F(ChartFetching, GivesHelmNothingOfTheUser) {
    ASSERT_EQ(::setenv("HELM_REGISTRY_CONFIG", "/secret", 1), 0);
    ChartFetcher fetcher(helm(
        "for name in HELM_CACHE_HOME HELM_CONFIG_HOME HELM_DATA_HOME DOCKER_CONFIG TMPDIR; do\n"
        "  eval value=\\$$name\n"
        "  case $value in \"${out%/out}\"/*) ;; *) echo \"Error: $name is $value\" >&2; exit 1;; "
        "esac\n"
        "done\n"
        "echo \"Error: $HOME $HELM_REGISTRY_CONFIG ${HTTPS_PROXY%%:*}\" >&2; exit 1"));
    EXPECT_EQ(failure(fetcher, address("web")), "/nonexistent  http");
}

TEST_F(ChartFetching, LetsHelmWriteNoOtherFile) {
    std::ofstream(dir_ + "/file") << "text";
    ChartFetcher fetcher(
        helm("echo new >" + dir_ + "/file; echo new >" + dir_ + "/new; " + kPulls));
    EXPECT_EQ(failure(fetcher, address("web")), "fetched");
    EXPECT_EQ(std::filesystem::file_size(dir_ + "/file"), 4U);
    EXPECT_FALSE(std::filesystem::exists(dir_ + "/new"));
}

TEST_F(ChartFetching, SaysWhyInOneCleanLine) {
    ChartFetcher fetcher(
        helm("printf 'level=WARN\\nError: Get \"https://me:t0ken@a.example/x?t0ken\": "
             "\\033[31mno\\nmore\\n' >&2; exit 1"));
    EXPECT_EQ(failure(fetcher, address("web")), "Get \"https://a.example/x\": ?[31mno");
    Result<std::string> got = fetcher.fetch(address("web"));
    EXPECT_EQ(
        got.error().diagnostic.hint,
        "run helm pull web --repo https://charts.example --version 1.x, with credentials if it "
        "needs them, then use --charts DIR with the directory of the archive");
}

TEST_F(ChartFetching, RefusesAddressesWithoutAskingHelm) {
    ChartFetcher fetcher(helm("echo \"Error: was asked\" >&2; exit 1"));
    const ChartAddress secret{.repository = "https://me:t0ken@a.example", .chart = "web"};
    EXPECT_EQ(failure(fetcher, secret), "an address with a user or a password in it");
    const Result<std::string> got = fetcher.fetch(secret);
    Diagnostic shown = Result(got).error().diagnostic;
    EXPECT_TRUE(shown.hide_text);
    EXPECT_EQ(shown.hint.find("t0ken"), std::string::npos);
}

TEST_F(ChartFetching, TakesOneArchive) {
    for (const char* pull : {"", "echo a >\"$out/a.tgz\"; echo b >\"$out/b.tgz\""}) {
        ChartFetcher fetcher(helm(pull));
        EXPECT_EQ(failure(fetcher, address("web")), "no archive of at most 64 MiB") << pull;
    }
}

TEST_F(ChartFetching, EndsWhatTakesTooLong) {
    ChartFetcher fetcher(helm("exec sleep 1000", {.each = std::chrono::seconds(1)}));
    EXPECT_EQ(failure(fetcher, address("web")), "it took too long");
}

TEST_F(ChartFetching, HasALimitOfTimeForAll) {
    ChartFetcher fetcher(helm("exec sleep 1000", {.all = std::chrono::seconds(1)}));
    EXPECT_EQ(failure(fetcher, address("web")), "it took too long");
    EXPECT_EQ(failure(fetcher, address("other")), "more than 1 s for fetching charts");
}

TEST_F(ChartFetching, HasALimitOfNumberForAllLoads) {
    ChartFetcher fetcher(helm(kPulls, {.charts = 2}));
    const std::shared_ptr<ChartFetcher> other = fetcher.for_another_load();
    EXPECT_EQ(failure(fetcher, address("a")), "fetched");
    EXPECT_EQ(failure(*other, address("b")), "fetched");
    EXPECT_EQ(failure(*other, address("a")), "fetched");  // not fetched a second time
    EXPECT_EQ(failure(fetcher, address("c")), "more than 2 charts to fetch");
}

TEST_F(ChartFetching, HasALimitOfBytesForAll) {
    ChartFetcher fetcher(helm(kPulls, {.all_bytes = 0}));
    EXPECT_EQ(failure(fetcher, address("web")), "more than 0 MiB of charts to fetch");
}

TEST_F(ChartFetching, ListsWhatEachLoadAskedFor) {
    ChartFetcher fetcher(helm(kPulls));
    const std::shared_ptr<ChartFetcher> other = fetcher.for_another_load();
    EXPECT_EQ(failure(fetcher, address("web")), "fetched");
    EXPECT_TRUE(other->fetched().empty());
    EXPECT_EQ(failure(*other, address("web")), "fetched");
    EXPECT_EQ(other->fetched(), fetcher.fetched());
}

TEST_F(ChartFetching, IsAskedByThreads) {
    ChartFetcher fetcher(helm(kPulls, {.charts = 1}));
    std::vector<std::string> results(8);
    std::vector<std::thread> threads;
    threads.reserve(results.size());
    for (std::string& result : results) {
        threads.emplace_back([&result, loads = fetcher.for_another_load()] {
            result = failure(*loads, address("web"));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(results, std::vector<std::string>(8, "fetched"));
}

}  // namespace
}  // namespace renderer::repo
