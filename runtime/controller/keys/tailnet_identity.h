// A tailnet that trusts the cluster instead of an OAuth client's secret: it takes a token of the
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

// What is wrong with an audience, whose tokens go to `server`: they must be of no use elsewhere,
// unless the server is Tailscale's or `own`, the controller's login server. "": nothing.
std::string unsafe_audience(std::string_view audience, std::string_view server,
                            std::string_view own, const Account& account);

// A short token each time that it is asked (TokenRequest, KEP-1205), never for our API server.
tailnet::Assertion token_of_account(kube::Client& kube, Account account, std::string audience);

}  // namespace runtime::controller
