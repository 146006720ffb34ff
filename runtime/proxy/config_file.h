// tailscaled's configuration, mounted as a folder with one file for each age of tailscaled:
// cap-<N>.hujson, N being the capability version that it needs. It is tailscaled's to apply; here
// it is chosen and checked, so that a mistake is named at once, and its key is known.
// Source: tailscale v1.104.5 cmd/containerboot/main.go, ipn/conf.go, ipn/conffile.
#pragma once

#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace runtime {

// Of tailscale 1.104, which this process starts and behaves as.
inline constexpr int kCapabilityVersion = 148;

// The path of the newest file that we know.
renderer::Result<std::string> choose_config_file(const std::string& folder);

struct TailscaledConfig {
    std::string text;      // as it is on disk
    std::string auth_key;  // as spelled, also "file:/…"; empty: none
};

renderer::Result<TailscaledConfig> read_config_file(const std::string& path);
// Of the file that holds the key; empty: the configuration holds it itself.
std::string key_file_of(const std::string& auth_key);
renderer::Result<TailscaledConfig> parse_config(std::string text, std::string_view path);

// JSON from HuJSON: without comments and without commas before a closing bracket.
std::string standard_json(std::string_view hujson);

// The whole file; the error's message is the system's.
renderer::Result<std::string> read_whole(const std::string& path);
// As read_whole; no file at all is an empty one.
renderer::Result<std::string> read_if_there(const std::string& path);

}  // namespace runtime
