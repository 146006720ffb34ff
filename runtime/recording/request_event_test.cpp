#include "runtime/recording/request_event.h"

#include <gtest/gtest.h>

namespace runtime::recording {
namespace {

std::string json_of(const RequestEvent& event) {
    return event_json(event, read_request_info(event.method, event.target).value());
}

TEST(RequestEvent, IsWhatTailscalesRecorderTakes) {
    EXPECT_EQ(
        json_of({.timestamp = 7,
                 .user_agent = "kubectl/<1>\xFF",
                 .method = "POST",
                 .target = "/api/v1/namespaces/a/pods?b=2&a=1&b=%26&;=x&c=%7",
                 .body = "{\"x\":1}",
                 .node = "n.t.ts.net",
                 .node_id = "n1",
                 .user = "u@example.com",
                 .user_id = 9}),
        R"({"type":"kubernetes-api-request","id":"","timestamp":7,)"
        R"("userAgent":"kubectl/\u003c1\u003e)"
        "\xEF\xBF\xBD"
        R"(","request":{"method":"POST","path":"/api/v1/namespaces/a/pods?b=2\u0026a=1\u0026b=%26)"
        R"(\u0026;=x\u0026c=%7","body":"eyJ4IjoxfQ==","queryParameters":{"a":["1"],"b":["2",)"
        R"("\u0026"]}},"kubernetes":{"IsResourceRequest":true,"Path":"/api/v1/namespaces/a/pods",)"
        R"("Verb":"create","APIPrefix":"api","APIGroup":"","APIVersion":"v1","Namespace":"a",)"
        R"("Resource":"pods","Subresource":"","Name":"","Parts":["pods"],"FieldSelector":"",)"
        R"("LabelSelector":""},"source":{"node":"n.t.ts.net","nodeID":"n1","nodeUserID":9,)"
        R"("nodeUser":"u@example.com"},"destination":{"node":"","nodeID":""}})"
        "\n");
}

TEST(RequestEvent, LeavesOutWhatIsSecret) {
    const std::string json = json_of({.method = "PUT",
                                      .target = "/api/v1/namespaces/a/secrets/b",
                                      .body = "password",
                                      .node = "n",
                                      .tags = {"tag:a", "tag:b"},
                                      .user = "n",
                                      .user_id = 9});
    EXPECT_NE(json.find(R"("body":"")"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("nodeID":"","nodeTags":["tag:a","tag:b"]})"), std::string::npos) << json;
    EXPECT_NE(json_of({.method = "GET", .target = "/healthz"}).find(R"("Parts":null)"),
              std::string::npos);
}

}  // namespace
}  // namespace runtime::recording
