// A tailnet that trusts the cluster instead of an OAuth client's secret: it accepts a token of the
// controller's own account for an audience that its Secret names (testdata/contract/tailnet.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "runtime/controller/keys/account.h"
#include "runtime/kube/client.h"
#include "runtime/tailnet/credentials.h"

namespace runtime::controller {

// The account that the controller runs as.
using OwnAccount = std::function<renderer::Result<Account>()>;

// Why an audience is unsafe whose tokens are sent to `server`, or "". Its tokens must not be valid
// elsewhere, unless the server is Tailscale's or `own`, the controller's login server.
std::string unsafe_audience(std::string_view audience, std::string_view server,
                            std::string_view own, const Account& account);

// Requests a short-lived token for each call (TokenRequest, KEP-1205), never for our API server.
tailnet::Assertion token_of_account(kube::Client& kube, Account account, std::string audience);

}  // namespace runtime::controller
