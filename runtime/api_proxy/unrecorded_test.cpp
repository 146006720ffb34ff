#include "runtime/api_proxy/unrecorded.h"

#include <gtest/gtest.h>

#include <variant>

namespace runtime::api_proxy {
namespace {

// "-" means that the request may pass.
std::string name_of_request(const std::string& method, const std::string& path, bool is_upgrade) {
    const std::string head = method + " " + path + " HTTP/1.1\r\nHost: a\r\n" +
                             (is_upgrade ? "Connection: Upgrade\r\nUpgrade: websocket\r\n" : "") +
                             "\r\n";
    const auto parsed = parse_request(head);
    const auto* request = std::get_if<RequestHead>(&parsed);
    return request == nullptr ? "malformed" : unrecorded_name(*request).value_or("-");
}

TEST(UnrecordedName, IsOfWhatRunsCommandsUnseen) {
    struct Case {
        const char* path;
        const char* as_upgrade;
        const char* otherwise;
    };
    const Case cases[] = {
        {"/api/v1/namespaces/a/pods/b/exec?command=sh", "-", "-"},
        {"/api/v1/namespaces/a/pods/b/attach", "-", "-"},
        {"/api/v1/namespaces/a/pods/b/portforward", "-", "-"},
        {"/api/v1/namespaces/a/pods/b/proxy/terminal", "pods/proxy", "-"},
        {"/api/v1/namespaces/a/services/b:80/proxy/ws", "services/proxy", "-"},
        {"/api/v1/namespaces/a/pods?watch=true", "pods", "-"},
        {"/api/v1/watch/namespaces/a/pods/b/exec", "pods/exec", "-"},
        {"/apis/x.example.com/v1/namespaces/a/pods/b/exec", "pods/exec", "-"},
        {"/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/"
         "b/console",
         "virtualmachineinstances/console", "-"},
        {"/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/"
         "b/vnc",
         "virtualmachineinstances/vnc", "-"},
        {"/api/v1/nodes/n/proxy/run/a/b/c?cmd=id", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/nodes/n:10250/proxy/cri/exec/x", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/nodes/https:n:10250/proxy", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/proxy/nodes/n/run", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/n%6fdes/n/proxy/run", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/nodes%2Fn%2Fproxy/run", "nodes/proxy", "nodes/proxy"},
        {"/api//v1/nodes/n/proxy/run", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/../v1/nodes/n/proxy/run", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/nodes/n/proxy/", "nodes/proxy", "nodes/proxy"},
        {"/api/v1/nodes/n", "nodes", "-"},
        {"/api/v1/namespaces/nodes/pods/proxy", "pods", "-"},
        {"/api/v1/namespaces/a/pods/b/%65xec", "", "-"},
        {"/api/v1/namespaces/a/pods//exec", "", "-"},
        {"/healthz", "", "-"},
        {"/a%zz", "", "-"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.path);
        EXPECT_EQ(name_of_request("GET", one.path, true), one.as_upgrade);
        EXPECT_EQ(name_of_request("GET", one.path, false), one.otherwise);
        EXPECT_EQ(name_of_request("POST", one.path, false), one.otherwise);
    }
}

TEST(UnrecordedName, OfASettingHasTwoParts) {
    EXPECT_EQ(read_unrecorded_names("nodes/proxy,virtualmachineinstances/console"),
              (std::vector<std::string>{"nodes/proxy", "virtualmachineinstances/console"}));
    EXPECT_EQ(read_unrecorded_names(""), std::vector<std::string>());
    for (const char* text : {"console", "/proxy", "nodes/", "a/b/c", "nodes/proxy,,a/b", "a b/c",
                             "nodes/proxy, a/b", ","}) {
        EXPECT_EQ(read_unrecorded_names(text), std::nullopt) << text;
    }
}

}  // namespace
}  // namespace runtime::api_proxy
