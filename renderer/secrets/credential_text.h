// Finds credentials in texts that are not Secrets: arguments, environment variables, files in
// ConfigMaps. Recognises keys of Tailscale and private keys, the user and password of a URL, and
// values under a name such as `password`: after `=` or `:`, as the word after a flag, in the deeper
// lines of YAML below it, in JSON inside JSON. Maps under such a name are searched, not hidden. A
// credential without such a sign is not found, nor is one that begins like a place (is_place).
#pragma once

#include <string>
#include <string_view>

#include "renderer/secrets/secret_hash.h"

namespace renderer::secrets {

// True for "clientSecret", "DB_PASSWORD", "--api-token"; not for "secretName", which only refers to
// one.
bool names_credential(std::string_view key);

// Also true for names that may be harmless: "db-pass", "PWD", "ssh_key" and "key". Only for output.
bool may_name_credential(std::string_view key);

// True for a path of a file or a reference to a variable, which is not a value itself.
bool is_place(std::string_view text);

// Returns the text with credentials replaced by hashes; if it contains a key, all of it is
// replaced.
std::string without_credentials(std::string_view text, const SecretHash& hash);

}  // namespace renderer::secrets
