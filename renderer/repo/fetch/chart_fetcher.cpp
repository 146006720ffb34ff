#include "renderer/repo/fetch/chart_fetcher.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/descriptor.h"
#include "renderer/base/printable.h"
#include "renderer/base/replace.h"
#include "renderer/base/sandbox.h"
#include "renderer/base/sha256.h"
#include "renderer/base/split.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/repo/fetch/tunnel_proxy.h"
#include "renderer/repo/private_copy.h"
#include "renderer/secrets/userinfo.h"

namespace renderer::repo {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxArchive = std::size_t{64} << 20U;
constexpr std::size_t kMaxMessage = 400;
constexpr std::string_view kOut = "out";

// Where Go looks for root certificates: crypto/x509/root_linux.go. Directories are left out, since
// they may also contain keys.
constexpr std::array kBundles = {"/etc/ssl/certs/ca-certificates.crt",
                                 "/etc/pki/tls/certs/ca-bundle.crt",
                                 "/etc/ssl/ca-bundle.pem",
                                 "/etc/pki/tls/cacert.pem",
                                 "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                 "/etc/ssl/cert.pem"};

std::vector<std::string> certificates(const FetchSetup& setup) {
    std::vector<std::string> paths(kBundles.begin(), kBundles.end());
    if (!setup.ca_file.empty()) {
        paths = {setup.ca_file};
    }
    for (const std::string_view dir : split(setup.ca_dirs, ':')) {
        paths.emplace_back(dir);
    }
    return paths;
}

std::vector<std::string> environment(const FetchSetup& setup, const std::string& dir,
                                     const std::string& proxy) {
    std::vector<std::string> all = {fmt::format("HELM_CACHE_HOME={}/cache", dir),
                                    fmt::format("HELM_CONFIG_HOME={}/config", dir),
                                    fmt::format("HELM_DATA_HOME={}/data", dir),
                                    fmt::format("HELM_PLUGINS={}/plugins", dir),
                                    fmt::format("DOCKER_CONFIG={}/docker", dir),
                                    fmt::format("TMPDIR={}/tmp", dir),
                                    "KUBECONFIG=/nonexistent"};
    if (!proxy.empty()) {
        all.push_back("HTTPS_PROXY=" + proxy);
        all.push_back("HTTP_PROXY=" + proxy);  // the proxy refuses plain HTTP with a reason
    }
    if (!setup.ca_file.empty()) {
        all.push_back("SSL_CERT_FILE=" + setup.ca_file);
    }
    if (!setup.ca_dirs.empty()) {
        all.push_back("SSL_CERT_DIR=" + setup.ca_dirs);
    }
    return all;
}

std::vector<std::string> pull_arguments(const FetchSetup& setup, const ChartAddress& address,
                                        const std::string& dir) {
    std::vector<std::string> arguments = {setup.helm, "pull",
                                          fmt::format("--destination={}/{}", dir, kOut)};
    if (!address.version.empty()) {
        arguments.push_back("--version=" + address.version);
    }
    if (address.has_index()) {
        arguments.push_back("--repo=" + address.url());
    }
    arguments.insert(arguments.end(), {"--", address.has_index() ? address.chart : address.url()});
    return arguments;
}

// Returns helm's reason on one line, for a terminal.
std::string reason_of(const SandboxRun& run, const std::string& dir) {
    if (!run.refusal.empty()) {
        return run.refusal;
    }
    constexpr std::string_view kError = "Error: ";
    std::string_view text = run.errors;
    const std::size_t at = text.find(kError);
    text = at == std::string_view::npos ? text : text.substr(at + kError.size());
    std::string line = secrets::without_url_credentials(text.substr(0, text.find('\n')));
    line = replace_all(line, dir + "/", "");
    std::ranges::replace_if(
        line, [](char c) { return c < ' ' || c > '~'; }, '?');
    line.resize(std::min(line.size(), kMaxMessage));
    return line.empty() ? fmt::format("helm ended with {}", run.exit_code) : line;
}

// Returns the only file that helm wrote; "" if there is not exactly one.
std::string archive_in(const std::string& dir) {
    std::error_code error;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(dir, error)) {
        files.push_back(entry.path());
    }
    return files.size() == 1 && fs::is_regular_file(fs::symlink_status(files.front(), error))
               ? files.front().string()
               : std::string();
}

std::string read_archive(const std::string& path) {
    std::error_code error;
    std::string text;
    if (fs::file_size(path, error) > kMaxArchive || error) {
        return {};
    }
    const Descriptor file(path, O_RDONLY | O_NOFOLLOW);
    return file.get() >= 0 && read_all(file.get(), text) ? text : std::string();
}

bool is_plain(std::string_view word) {
    return !word.empty() && word.size() <= 250 && std::ranges::all_of(word, [](char c) {
        return is_alphanumeric(c) || std::string_view("._+-").find(c) != std::string_view::npos;
    });
}

Value chart_file(std::string text) {
    SourceMap sources;
    Diagnostics discarded;
    return read_yaml(sources, sources.add("Chart.yaml", std::move(text)), discarded);
}

Error not_fetched(const ChartAddress& address, std::string reason, bool may_show) {
    std::string hint = "pull it with helm, then use --charts DIR with the directory of the archive";
    if (may_show) {
        hint = fmt::format(
            "run helm pull {}{}{}, with credentials if it needs them, then use --charts DIR with "
            "the directory of the archive",
            address.has_index() ? shell_word(address.chart) + " --repo " : "",
            shell_word(address.url()),
            address.version.empty() ? "" : " --version " + shell_word(address.version));
    }
    return Error{{.rule = "chart-not-fetched",
                  .where = "--allow-network",
                  .message = "this chart cannot be fetched",
                  .found = std::move(reason),
                  .expected = "a chart that everyone may read, at https:// or oci://",
                  .hint = std::move(hint),
                  .hide_text = !may_show && address.unknown.empty()}};
}

}  // namespace

ChartFetcher::ChartFetcher(FetchSetup setup) : run_(std::make_shared<Run>(std::move(setup))) {}

std::shared_ptr<ChartFetcher> ChartFetcher::for_another_load() const {
    return std::shared_ptr<ChartFetcher>(new ChartFetcher(run_));
}

Result<std::string> ChartFetcher::fetch(const ChartAddress& address) {
    const std::scoped_lock lock(run_->mutex);
    auto known = run_->known.find(address);
    if (known == run_->known.end()) {
        known = run_->known.emplace(address, run_->pull(address)).first;
    }
    const Fetched& found = known->second;
    if (!found.failure.empty()) {
        return not_fetched(address, found.failure, refusal_of(address, run_->setup.hosts).empty());
    }
    fetched_.insert(found.chart);
    return found.archive;
}

std::vector<FetchedChart> ChartFetcher::fetched() const {
    const std::scoped_lock lock(run_->mutex);
    return {fetched_.begin(), fetched_.end()};
}

ChartFetcher::Fetched ChartFetcher::Run::pull(const ChartAddress& address) {
    const FetchLimits& limits = setup.limits;
    if (std::string reason = refusal_of(address, setup.hosts); !reason.empty()) {
        return {.chart = {}, .archive = {}, .failure = std::move(reason)};
    }
    std::string reason;
    const auto left = std::chrono::ceil<std::chrono::seconds>(limits.all - spent);
    if (charts >= limits.charts) {
        reason = fmt::format("more than {} charts to fetch", limits.charts);
    } else if (left.count() <= 0) {
        reason = fmt::format("more than {} s for fetching charts", limits.all.count());
    } else if (bytes >= limits.all_bytes) {
        reason = fmt::format("more than {} MiB of charts to fetch", limits.all_bytes >> 20U);
    }
    if (!reason.empty()) {
        return {.chart = {}, .archive = {}, .failure = std::move(reason)};
    }
    ++charts;
    const auto begin = std::chrono::steady_clock::now();
    Fetched fetched = run_helm(address, std::min(left, limits.each));
    spent += std::chrono::steady_clock::now() - begin;
    return fetched;
}

ChartFetcher::Fetched ChartFetcher::Run::run_helm(const ChartAddress& address,
                                                  std::chrono::seconds time) {
    const auto failed = [](std::string reason) {
        return Fetched{.chart = {}, .archive = {}, .failure = std::move(reason)};
    };
    const PrivateFolder folder;
    const PrivateCopy copy(folder);
    const std::string& dir = copy.path();
    std::error_code error;
    if (dir.empty() || !fs::create_directory(fs::path(dir) / kOut, error) ||
        !fs::create_directory(dir + "/tmp", error)) {
        return failed("no temporary directory");
    }
    const TunnelProxy proxy(setup.hosts,
                            std::min(setup.limits.each_bytes, setup.limits.all_bytes - bytes));
    if (proxy.port() == 0) {
        return failed("cannot open a local port for a proxy");
    }
    const SandboxRun run = run_in_sandbox(
        {.arguments = pull_arguments(setup, address, dir),
         .environment = environment(setup, dir, proxy.url()),
         .rights = {.directory = dir,
                    .others = certificates(setup),
                    .changes_files = true,
                    .port = proxy.port()}},
        {.time = time, .output_bytes = kMaxArchive, .file_bytes = setup.limits.each_bytes});
    bytes += proxy.bytes();
    const auto refused_or = [&](std::string reason) {
        return failed(proxy.refusal().empty() ? std::move(reason) : proxy.refusal());
    };
    if (run.exit_code != 0 || !run.refusal.empty()) {
        return refused_or(reason_of(run, dir));
    }
    const std::string path = archive_in(dir + "/" + std::string(kOut));
    Fetched fetched{.chart = {}, .archive = path.empty() ? "" : read_archive(path), .failure = {}};
    if (fetched.archive.empty()) {  // helm may accept a truncated archive
        return refused_or("no archive of at most 64 MiB");
    }
    const SandboxRun shown = run_in_sandbox({.arguments = {setup.helm, "show", "chart", "--", path},
                                             .environment = environment(setup, dir, ""),
                                             .rights = {.directory = dir}},
                                            {.time = time});
    if (shown.exit_code != 0 || !shown.refusal.empty()) {
        return failed(fmt::format("an archive that is not a chart: {}", reason_of(shown, dir)));
    }
    const Value chart = chart_file(shown.output);
    fetched.chart = {.name = std::string(text_of(chart, {"name"})),
                     .version = std::string(spelling_of(chart.find("version"))),
                     .source = address.url(),
                     .digest = sha256_hex(fetched.archive)};
    return is_plain(fetched.chart.name) && is_plain(fetched.chart.version)
               ? std::move(fetched)
               : failed("an archive that is not a chart: no name, or no version");
}

}  // namespace renderer::repo
