// tailscaled's configuration, mounted as a folder with one file for each range of tailscaled
// versions: cap-<N>.hujson, where N is the capability version that it needs. tailscaled applies the
// file. This code chooses it, finds its auth key, and checks it, so that mistakes are reported at
// once.
// Source: tailscale v1.104.5 cmd/containerboot/main.go, ipn/conf.go, ipn/conffile.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace runtime::proxy {

// The capability version of tailscale 1.104, which this process starts and imitates.
inline constexpr int kCapabilityVersion = 148;

// Returns the path of the file with the highest N up to kCapabilityVersion.
renderer::Result<std::string> choose_config_file(const std::string& folder);

struct TailscaledConfig {
    std::string text;      // as it is on disk
    std::string auth_key;  // as written, possibly "file:/…"; empty: no key
};

renderer::Result<TailscaledConfig> read_config_file(const std::string& path);
// Returns the path of the file that holds the key; empty if the configuration holds the key itself.
std::string key_file_of(const std::string& auth_key);
renderer::Result<TailscaledConfig> parse_config(std::string text, std::string_view path);

// Converts HuJSON to JSON: removes comments and commas before a closing bracket.
std::string standard_json(std::string_view hujson);

// Reads the whole file. The error's message is the operating system's.
renderer::Result<std::string> read_whole(const std::string& path);
// Like read_whole, but a file that does not exist is empty.
renderer::Result<std::string> read_if_there(const std::string& path);

}  // namespace runtime::proxy
