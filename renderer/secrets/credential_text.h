// Credentials in texts that are not Secrets: arguments, environment variables, files in ConfigMaps.
// Knows keys of Tailscale and private keys, the user and password of a URL, and what is set under a
// name such as `password`: behind `=` or `:`, as the word after a flag, in the deeper lines of YAML
// below it, in JSON that is a text in JSON. Maps under such a name are searched, not hidden. A
// credential that nothing announces stays, and so does one that begins like a place (is_place).
#pragma once

#include <string>
#include <string_view>

#include "renderer/secrets/secret_hash.h"

namespace renderer {

// "clientSecret", "DB_PASSWORD", "--api-token"; not "secretName", which only names one.
bool names_credential(std::string_view key);

// The same for what is only shown: also "db-pass", "PWD", "ssh_key" and "key", which may be
// harmless.
bool may_name_credential(std::string_view key);

// A path to a file, a reference to a variable: a place, not a value.
bool is_place(std::string_view text);

// The text with hashes in the place of credentials; all of it is one when it holds a key.
std::string without_credentials(std::string_view text, const SecretHash& hash);

}  // namespace renderer
