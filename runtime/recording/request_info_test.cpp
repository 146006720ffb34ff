#include "runtime/recording/request_info.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace runtime::recording {
namespace {

// Returns: verb resource/subresource, group/version, namespace, name, parts, selectors; "-" if
// there is no resource.
std::string dump(std::string_view method, std::string_view target) {
    const auto info = read_request_info(method, target);
    if (!info) {
        return "none";
    }
    if (!info->is_resource) {
        return fmt::format("{} - {}", info->verb, info->path);
    }
    return fmt::format("{} {}/{} {}:{}/{} ns={} name={} [{}] {}|{}", info->verb, info->resource,
                       info->subresource, info->prefix, info->group, info->version, info->ns,
                       info->name, fmt::join(info->parts, ","), info->field_selector,
                       info->label_selector);
}

struct Row {
    std::string_view method, target, want;
};

TEST(RequestInfo, IsReadAsTheApiServerReadsIt) {
    for (const Row& row : std::initializer_list<Row>{
             {"GET", "/", "get - /"},
             {"GET", "/api", "get - /api"},
             {"POST", "/api/v1", "post - /api/v1"},
             {"GET", "/apis/apps/v1", "get - /apis/apps/v1"},
             {"GET", "/healthz/a/b", "get - /healthz/a/b"},
             {"GET", "/api/v1/pods", "list pods/ api:/v1 ns= name= [pods] |"},
             {"HEAD", "/api/v1/pods", "list pods/ api:/v1 ns= name= [pods] |"},
             {"GET", "/api/v1/namespaces", "list namespaces/ api:/v1 ns= name= [namespaces] |"},
             {"GET", "/api/v1/namespaces/a",
              "get namespaces/ api:/v1 ns=a name=a [namespaces,a] |"},
             {"PUT", "/api/v1/namespaces/a/finalize",
              "update namespaces/finalize api:/v1 ns=a name=a [namespaces,a,finalize] |"},
             {"POST", "/api/v1/namespaces/a/secrets",
              "create secrets/ api:/v1 ns=a name= [secrets] |"},
             {"PATCH", "/apis/apps/v1/namespaces/a/deployments/b/scale?x=1",
              "patch deployments/scale apis:apps/v1 ns=a name=b [deployments,b,scale] |"},
             {"DELETE", "/api/v1/namespaces/a/pods?labelSelector=x%3Dy",
              "deletecollection pods/ api:/v1 ns=a name= [pods] |x=y"},
             {"DELETE", "/api/v1/namespaces/a/pods/b",
              "delete pods/ api:/v1 ns=a name=b [pods,b] |"},
             {"OPTIONS", "/api/v1/pods", " pods/ api:/v1 ns= name= [pods] |"},
             {"GET", "/api/v1/pods?watch=1", "watch pods/ api:/v1 ns= name= [pods] |"},
             {"GET", "/api/v1/pods?watch=False", "list pods/ api:/v1 ns= name= [pods] |"},
             {"GET", "/api/v1/pods?watch", "watch pods/ api:/v1 ns= name= [pods] |"},
             {"GET", "/api/v1/pods?fieldSelector=metadata.name%3Db,x%21%3Dy",
              "list pods/ api:/v1 ns= name=b [pods] metadata.name=b,x!=y|"},
             {"GET", "/api/v1/pods?fieldSelector=x=y,metadata.name==a%5C,b",
              "list pods/ api:/v1 ns= name=a,b [pods] x=y,metadata.name==a\\,b|"},
             {"GET", "/api/v1/pods?fieldSelector=metadata.name!=b",
              "list pods/ api:/v1 ns= name= [pods] metadata.name!=b|"},
             {"GET", "/api/v1/pods?fieldSelector=metadata.name=a%2Fb",
              "list pods/ api:/v1 ns= name= [pods] metadata.name=a/b|"},
             {"GET", "/api/v1/watch/namespaces/a/pods?labelSelector=x",
              "watch pods/ api:/v1 ns=a name= [pods] |"},
             {"GET", "/api/v1/watch", "none"},
             {"GET", "/api/v1/proxy/namespaces/a/services/b/c/d",
              "proxy services/ api:/v1 ns=a name=b [services,b,c,d] |"},
             {"POST", "/api/v1/namespaces/a/services/b/proxy/c",
              "create services/proxy api:/v1 ns=a name=b [services,b,proxy,c] |"},
             {"POST", "//api/v1//namespaces/a/secrets/",
              "create /a api:/v1 ns= name=namespaces [,namespaces,a,secrets] |"},
             {"POST", "/api/v1/namespaces/a/%73ecrets",
              "create secrets/ api:/v1 ns=a name= [secrets] |"},
             {"POST", "/api/v1/namespaces/a%2Fsecrets/b",
              "create secrets/ api:/v1 ns=a name=b [secrets,b] |"},
             {"POST", "/api/v1/namespaces/a/%7", "none"},
         }) {
        EXPECT_EQ(dump(row.method, row.target), row.want) << row.target;
    }
}

TEST(RequestInfo, KnowsBodiesThatMayHoldCredentials) {
    for (const std::string_view target :
         {"/api/v1/namespaces/a/secrets", "/api/v1/namespaces/a/secrets/b",
          "/api/v1/namespaces/a/%73ecrets/b", "/apis/authentication.k8s.io/v1/tokenreviews",
          "/api/v1/namespaces/a/services/b/proxy/login", "/api/v1/nodes/b/proxy/run",
          "/api/v1/proxy/namespaces/a/services/b/login"}) {
        EXPECT_TRUE(has_sensitive_body(read_request_info("POST", target).value())) << target;
    }
    for (const std::string_view target :
         {"/api/v1/namespaces/a/configmaps", "/api/v1/namespaces/secrets/pods/secrets",
          "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "/secrets"}) {
        EXPECT_FALSE(has_sensitive_body(read_request_info("POST", target).value())) << target;
    }
}

}  // namespace
}  // namespace runtime::recording
