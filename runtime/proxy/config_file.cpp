#include "runtime/proxy/config_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "renderer/base/ascii.h"
#include "renderer/contract/config_secret.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/proxy/go_text.h"

namespace runtime::proxy {

namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};

// The keys of ipn.ConfigVAlpha in lower case: Go ignores case.
constexpr std::array<std::string_view, 28> kKeys = {
    "acceptdns",         "acceptroutes",
    "advertiseexitnode", "advertiseroutes",
    "advertiseservices", "allowlanwhileusingexitnode",
    "appconnector",      "authkey",
    "autoupdate",        "disablesnat",
    "enabled",           "exitnode",
    "hostname",          "locked",
    "netfiltermode",     "nostatefulfiltering",
    "operatoruser",      "posturechecking",
    "relayserverport",   "relayserverstaticendpoints",
    "remoteconfig",      "runsshserver",
    "runwebclient",      "serveconfigtemp",
    "serverurl",         "shieldsup",
    "staticendpoints",   "version",
};

renderer::Error config_failure(std::string message) {
    return {{.rule = "invalid-tailscaled-config", .message = std::move(message)}};
}

// Returns -1 if the name is not that of a configuration file.
int version_of(std::string_view name) {
    if (name == "tailscaled") {
        return 0;
    }
    return renderer::config_capability(name).value_or(-1);
}

// Returns the position after the comment at `at`. The newline after a line comment is kept.
std::size_t skip_comment(std::string_view text, std::size_t at) {
    const bool is_line = text.substr(at, 2) == "//";
    const std::size_t end = text.find(is_line ? "\n" : "*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + (is_line ? 0 : 2);
}

}  // namespace

renderer::Result<std::string> read_whole(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string text;
    ssize_t count = descriptor < 0 ? -1 : 1;
    char buffer[4096];
    while (count > 0) {
        count = read(descriptor, buffer, sizeof buffer);
        text.append(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    const int code = errno;
    if (descriptor >= 0) {
        static_cast<void>(close(descriptor));
    }
    if (count < 0) {
        return renderer::Error{{.rule = code == ENOENT ? "no-such-file" : "cannot-read",
                                .where = path,
                                .message = fmt::format("open {}: {}", path, std::strerror(code))}};
    }
    return text;
}

renderer::Result<std::string> read_if_there(const std::string& path) {
    auto text = read_whole(path);
    if (!text && text.error().diagnostic.rule == "no-such-file") {
        return std::string();
    }
    return text;
}

std::string standard_json(std::string_view text) {
    std::string out;
    bool is_in_text = false;
    std::size_t comma = std::string::npos;  // position in `out`; only space has followed
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char byte = text[at];
        if (is_in_text) {
            out += byte;
            if (byte == '\\' && at + 1 < text.size()) {
                out += text[++at];
            }
            is_in_text = byte != '"';
            continue;
        }
        if (byte == '/' && (text.substr(at, 2) == "//" || text.substr(at, 2) == "/*")) {
            at = skip_comment(text, at) - 1;
            continue;
        }
        const bool is_space = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
        if ((byte == '}' || byte == ']') && comma != std::string::npos) {
            out.erase(comma, 1);
        }
        comma = byte == ',' ? out.size() : is_space ? comma : std::string::npos;
        is_in_text = byte == '"';
        out += byte;
    }
    return out;
}

renderer::Result<std::string> choose_config_file(const std::string& folder) {
    const std::unique_ptr<DIR, CloseFolder> open_folder(opendir(folder.c_str()));
    if (open_folder == nullptr) {
        return config_failure(
            fmt::format("error reading tailscaled config directory {}: open {}: {}",
                        quote_go(folder), folder, std::strerror(errno)));
    }
    int newest = -1;
    while (const dirent* entry = readdir(open_folder.get())) {
        const int version = entry->d_type == DT_DIR ? -1 : version_of(entry->d_name);
        if (version > newest && version <= kCapabilityVersion) {
            newest = version;
        }
    }
    if (newest < 0) {
        return config_failure(
            fmt::format("no tailscaled config file found in {} for current capability version {}",
                        quote_go(folder), kCapabilityVersion));
    }
    return fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/",
                       renderer::config_datum(newest));
}

std::string key_file_of(const std::string& auth_key) {
    constexpr std::string_view kPrefix = "file:";
    return auth_key.starts_with(kPrefix) ? auth_key.substr(kPrefix.size()) : std::string();
}

renderer::Result<TailscaledConfig> read_config_file(const std::string& path) {
    return parse_config(TRY(read_whole(path)), path);
}

renderer::Result<TailscaledConfig> parse_config(std::string text, std::string_view path) {
    const auto json = renderer::read_json(standard_json(text));
    const std::string prefix = fmt::format("error parsing config file {}: ", path);
    if (!json || !json->is_map()) {
        return config_failure(prefix + "not a JSON object");
    }
    TailscaledConfig out;
    std::string version;
    for (const renderer::Member& member : json->members()) {
        const std::string key = renderer::lower_case(member.name());
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
            return config_failure(
                fmt::format("{}json: unknown field {}", prefix, quote_go(member.name())));
        }
        if (key == "version") {
            version = renderer::text_of(member.value);
        } else if (key == "authkey") {
            out.auth_key = renderer::text_of(member.value);
        }
    }
    if (version.empty()) {
        return config_failure(prefix + "no \"version\" field defined");
    }
    if (version != "alpha0") {
        return config_failure(
            fmt::format("{}unsupported \"version\" value {}; want \"alpha0\" for now", prefix,
                        quote_go(version)));
    }
    out.text = std::move(text);
    return out;
}

}  // namespace runtime::proxy
