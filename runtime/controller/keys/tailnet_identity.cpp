#include "runtime/controller/keys/tailnet_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"

namespace runtime::controller {

using renderer::text_of;
using renderer::Value;

namespace {

constexpr std::string_view kScheme = "https://";
constexpr int kTokenSeconds = 600;  // the shortest lifetime that Kubernetes allows

std::string_view without_scheme(std::string_view url) {
    url.remove_prefix(url.starts_with(kScheme) ? kScheme.size() : 0);
    return url;
}

// Returns HOST[:PORT].
std::string_view authority_of(std::string_view url) {
    const std::string_view rest = without_scheme(url);
    return rest.substr(0, rest.find('/'));
}

bool is_tailscales(std::string_view server) {
    const std::string_view host = authority_of(server);
    return server.starts_with(kScheme) && renderer::is_dotted_name(host) &&
           host.ends_with(".tailscale.com");
}

bool is_audience_of(std::string_view server, std::string_view audience) {
    const std::string_view host = authority_of(server);
    const std::string_view rest = without_scheme(audience);
    return renderer::is_dotted_name(host.substr(0, host.find(':'))) && rest.starts_with(host) &&
           (rest.size() == host.size() || rest[host.size()] == '/');
}

bool is_among(const std::vector<std::string>& audiences, std::string_view audience) {
    return std::find(audiences.begin(), audiences.end(), audience) != audiences.end();
}

std::string of_the_cluster(std::string_view audience) {
    return fmt::format(
        "the audience \"{}\", which is that of the cluster's own API server: no token for it is "
        "sent anywhere",
        audience);
}

using TakeToken = std::function<void(renderer::Result<std::string>)>;

// Without an audience the token is for the API server.
void request_token(kube::Client& kube, const Account& account, const std::string& audience,
                   const TakeToken& done) {
    const std::string path =
        kube::path_of(renderer::kind_of("ServiceAccount"), account.ns, account.name) + "/token";
    Value spec = Value::map({{"expirationSeconds", kTokenSeconds}});
    put_if(spec, !audience.empty(), "audiences", Value::list({audience}));
    kube.create(path,
                Value::map({{"apiVersion", "authentication.k8s.io/v1"},
                            {"kind", "TokenRequest"},
                            {"spec", std::move(spec)}}),
                [name = account.name, done](const kube::Reply& reply) {
                    const std::string_view token = text_of(reply.object, {"status", "token"});
                    if (!token.empty()) {
                        return done(std::string(token));
                    }
                    done(renderer::Error{{.rule = "no-credentials",
                                          .message = fmt::format(
                                              "no token of ServiceAccount \"{}\": {}", name,
                                              reply.ok() ? "the reply has none" : reply.message)}});
                });
}

}  // namespace

std::string unsafe_audience(std::string_view audience, std::string_view server,
                            std::string_view own, const Account& account) {
    if (is_among(account.audiences, audience)) {
        return "has " + of_the_cluster(audience);
    }
    if (server == own || is_tailscales(server) || is_audience_of(server, audience)) {
        return {};
    }
    return fmt::format(
        "has the audience \"{}\", for which no token is sent to {}: an audience of that server is "
        "\"{}\" or begins with \"{}/\"",
        audience, server, authority_of(server), authority_of(server));
}

tailnet::Assertion token_of_account(kube::Client& kube, Account account, std::string audience) {
    return [&kube, account = std::move(account),
            audience = std::move(audience)](const TakeToken& done) {
        const auto ask = [&kube, account, audience, done] {
            request_token(kube, account, audience, done);
        };
        if (!account.audiences.empty()) {
            return ask();  // they were checked before
        }
        request_token(kube, account, "", [ask, audience, done](renderer::Result<std::string> own) {
            auto known = own ? account_of_token(*own) : renderer::Result<Account>(own.error());
            if (!known) {
                return done(known.error());
            }
            is_among(known->audiences, audience)
                ? done(renderer::Error{
                      {.rule = "no-credentials", .message = of_the_cluster(audience)}})
                : ask();
        });
    };
}

}  // namespace runtime::controller
