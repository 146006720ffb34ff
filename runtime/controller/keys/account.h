// The ServiceAccount that the process runs as, as the token says that the kubelet has given it: a
// JWT (RFC 7519) whose claims are those of Kubernetes (KEP-1205). It comes from the pod's own file
// and is not verified.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/result.h"

namespace runtime::controller {

struct Account {
    std::string ns, name;
    std::vector<std::string> audiences = {};  // that the API server takes, if it is known
};

renderer::Result<Account> account_of_token(std::string_view token);
renderer::Result<Account> account_of_token_file(const std::string& path);

}  // namespace runtime::controller
