#include "runtime/tailnet/credentials.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/base/file.h"
#include "runtime/base/url.h"

namespace runtime::tailnet {

using renderer::Error;
using renderer::Result;

namespace {

Result<std::string> read_nonempty(const std::string& path) {
    std::string text = TRY(read_trimmed(path));
    if (text.empty()) {
        return Error{
            {.rule = "empty-credential", .where = path, .message = "\"" + path + "\" is empty"}};
    }
    return text;
}

Result<TokenRequest> of_files(const std::string& id_file, const std::string& secret_file,
                              const std::string& origin) {
    const std::string id = TRY(read_nonempty(id_file));
    const std::string secret = TRY(read_nonempty(secret_file));
    return token_request(id, secret,
                         fmt::format("\"{}\" and \"{}\" ({})", id_file, secret_file, origin));
}

Result<TokenRequest> of_identity(const std::string& id, const std::string& token_file) {
    const std::string token = TRY(read_nonempty(token_file));
    TokenRequest request = exchange_request(id, fmt::format("the token in \"{}\"", token_file));
    add_assertion(request, token);
    return request;
}

}  // namespace

TokenRequest token_request(std::string_view client_id, std::string_view client_secret,
                           std::string place) {
    const std::string form = "grant_type=client_credentials&client_id=" + escape_url(client_id) +
                             "&client_secret=" + escape_url(client_secret);
    return {"/api/v2/oauth/token", form, form, std::string(client_id), std::move(place)};
}

// The JWT is replaced every hour, but stands for the same identity.
TokenRequest exchange_request(std::string_view client_id, std::string place) {
    return {"/api/v2/oauth/token-exchange",
            "grant_type=client_credentials&client_id=" + escape_url(client_id),
            std::string(client_id), std::string(client_id),
            "the federated identity that the tailnet trusts for it, and " + std::move(place)};
}

void add_assertion(TokenRequest& request, std::string_view jwt) {
    request.form += "&jwt=" + escape_url(jwt);
}

Credentials credentials_from_files(std::string id_file, std::string secret_file,
                                   std::string origin) {
    return [id_file = std::move(id_file), secret_file = std::move(secret_file),
            origin = std::move(origin)](const auto& done) {
        done(of_files(id_file, secret_file, origin));
    };
}

Credentials workload_identity(std::string client_id, std::string token_file) {
    return [client_id = std::move(client_id), token_file = std::move(token_file)](
               const auto& done) { done(of_identity(client_id, token_file)); };
}

}  // namespace runtime::tailnet
