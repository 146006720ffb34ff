#include "runtime/controller/keys/account.h"

#include <algorithm>

#include "renderer/base/base64.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/base/file.h"

namespace runtime::controller {

using renderer::Result;
using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kSubject = "system:serviceaccount:";

// RFC 4648 section 5, without padding.
std::string decode_base64url(std::string_view text) {
    std::string plain(text);
    std::replace(plain.begin(), plain.end(), '-', '+');
    std::replace(plain.begin(), plain.end(), '_', '/');
    plain.append((4 - plain.size() % 4) % 4, '=');
    return renderer::decode_base64(plain).value_or("");
}

Value claims_of(std::string_view token) {
    const std::size_t first = token.find('.');
    const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
    if (second == std::string_view::npos) {
        return {};
    }
    auto claims =
        renderer::read_json(decode_base64url(token.substr(first + 1, second - first - 1)));
    return claims && claims->is_map() ? std::move(*claims) : Value();
}

}  // namespace

Result<Account> account_of_token(std::string_view token) {
    const Value claims = claims_of(token);
    std::string_view subject = text_of(claims.find("sub"));
    const std::size_t colon = subject.find(':', kSubject.size());
    if (!subject.starts_with(kSubject) || colon == std::string_view::npos) {
        return renderer::Error{
            {.rule = "no-account", .message = "the pod's token does not name its ServiceAccount"}};
    }
    Account account;
    account.ns = subject.substr(kSubject.size(), colon - kSubject.size());
    account.name = subject.substr(colon + 1);
    const Value* audiences = claims.find("aud");
    if (audiences != nullptr && audiences->is_list()) {
        for (const Value& audience : audiences->items()) {
            account.audiences.emplace_back(text_of(audience));
        }
    } else {
        account.audiences.emplace_back(text_of(audiences));
    }
    return account;
}

Result<Account> account_of_token_file(const std::string& path) {
    const std::string token = TRY(read_trimmed(path));
    return account_of_token(token);
}

}  // namespace runtime::controller
