// The credentials for a tailnet: an OAuth client, or a token of the cluster (workload identity
// federation). They are read again whenever an access token is requested, and occasionally in
// between, so that replaced ones are soon used. Source: https://tailscale.com/kb/1215/oauth-clients
// and /kb/1581/workload-identity-federation.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace runtime::tailnet {

// Obtains a JWT in which the cluster asserts the identity of this process. Calls back once, at once
// or later.
using Assertion = std::function<void(std::function<void(renderer::Result<std::string>)>)>;

// A request for an access token: a path on the server, and a form (RFC 6749 section 4.4).
struct TokenRequest {
    std::string path, form;
    // When this changes, access tokens for the previous identity are no longer used.
    std::string identity;
    std::string client;  // the client's id
    std::string place;   // of the credentials, for people: "client_id and … in Secret …"
    // Called right before each time that the request is sent; its result is the form's `jwt`. Empty
    // if the form needs none.
    Assertion assertion = {};
};

// Obtains a TokenRequest. Calls back once, at once or later.
using Credentials = std::function<void(std::function<void(renderer::Result<TokenRequest>)>)>;

TokenRequest token_request(std::string_view client_id, std::string_view client_secret,
                           std::string place);
// `origin` is what the files are mounted from, for people.
Credentials credentials_from_files(std::string id_file, std::string secret_file,
                                   std::string origin);
Credentials workload_identity(std::string client_id, std::string token_file);
// Returns a request without a JWT. `assertion` adds it, or add_assertion does.
TokenRequest exchange_request(std::string_view client_id, std::string place);
void add_assertion(TokenRequest& request, std::string_view jwt);

}  // namespace runtime::tailnet
