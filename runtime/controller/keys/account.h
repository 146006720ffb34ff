// The ServiceAccount of this process, as named by the token from the kubelet: a JWT (RFC 7519) with
// the claims of Kubernetes (KEP-1205). The token comes from the pod's own file and is not verified.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace runtime::controller {

struct Account {
    std::string ns, name;
    std::vector<std::string> audiences = {};  // that the API server accepts, if known
};

renderer::Result<Account> account_of_token(std::string_view token);
renderer::Result<Account> account_of_token_file(const std::string& path);

}  // namespace runtime::controller
