// What the process proves itself with at a tailnet: an OAuth client, or the cluster's word for it
// (workload identity federation). Read again whenever an access token is asked for, and now and
// then in between, so that replaced ones count soon. Source:
// https://tailscale.com/kb/1215/oauth-clients and /kb/1581/workload-identity-federation.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "renderer/core/result.h"

namespace runtime {

// The cluster's word for who the process is: a JWT. Calls back once, at once or later.
using Assertion = std::function<void(std::function<void(renderer::Result<std::string>)>)>;

// What is asked for an access token: a path below the server, and a form (RFC 6749 section 4.4).
struct TokenRequest {
    std::string path, form;
    // Another one: the tokens that were given for the one before do not count any more.
    std::string identity;
    std::string client;  // its id
    std::string place;  // of what it proves itself with, for people: "client_id and … in Secret …"
    // Asked right before the request is sent, each time; the form gets it as `jwt`. Empty: nothing.
    Assertion assertion = {};
};

// Calls back once, at once or later.
using Credentials = std::function<void(std::function<void(renderer::Result<TokenRequest>)>)>;

TokenRequest token_request(std::string_view client_id, std::string_view client_secret,
                           std::string place);
// `origin`: what the files are mounted from, for people.
Credentials credentials_from_files(std::string id_file, std::string secret_file,
                                   std::string origin);
Credentials workload_identity(std::string client_id, std::string token_file);
// To be completed with a JWT: by `assertion`, or in the form.
TokenRequest exchange_request(std::string_view client_id, std::string place);
void add_assertion(TokenRequest& request, std::string_view jwt);

}  // namespace runtime
