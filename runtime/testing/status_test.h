// A controller with the objects whose status it writes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/contract/annotations.h"
#include "renderer/core/json.h"
#include "renderer/core/text_of.h"
#include "runtime/testing/controller_test.h"

namespace runtime {

inline renderer::Value json(const std::string& text) {
    return std::move(*renderer::read_json(text));
}

class StatusTest : public ControllerTest {
protected:
    static std::string service_path() { return "/api/v1/namespaces/apps/services/web"; }

    void add_service(const std::string& spec, const std::string& annotations = "{}") {
        put(service_path(), "web", "apps", spec, annotations);
    }
    void put(const std::string& path, const std::string& name, const std::string& ns,
             const std::string& spec, const std::string& annotations = "{}") {
        renderer::Value metadata =
            renderer::Value::map({{"name", name},
                                  {"labels", renderer::Value::map({{"mine", "yes"}})},
                                  {"generation", 3},
                                  {"annotations", json(annotations)}});
        put_if(metadata, !ns.empty(), "namespace", ns);
        kube.put(path,
                 renderer::Value::map({{"metadata", std::move(metadata)}, {"spec", json(spec)}}));
    }
    void put_status(const std::string& path, const std::string& status) {
        renderer::Value object = kube.find(path)->clone();
        object.put("status", json(status));
        kube.put(path, std::move(object));
    }
    void annotate(const std::string& set, std::string_view key, std::string_view value) {
        renderer::Value object = kube.find(FakeCluster::path("statefulsets", set))->clone();
        object.find("metadata")
            ->find("annotations")
            ->put(renderer::Value(key), renderer::Value(value));
        kube.put(FakeCluster::path("statefulsets", set), std::move(object));
    }
    // Adds an Ingress with its proxy, which joins. Returns the path of the Ingress.
    std::string start_with_ingress() {
        std::string path = "/apis/networking.k8s.io/v1/namespaces/apps/ingresses/web";
        put(path, "web", "apps", R"({"ingressClassName":"tailscale"})");
        cluster.add_proxy("web");
        annotate("web", renderer::kParentAnnotation, "Ingress/apps/web");
        start();
        run(kMinute);
        return path;
    }
    // Returns the status as JSON, without times.
    std::string status(const std::string& path) {
        const renderer::Value* found = kube.find(path)->find("status");
        renderer::Value copy = found == nullptr ? renderer::Value() : found->clone();
        if (renderer::Value* conditions = copy.is_map() ? copy.find("conditions") : nullptr) {
            for (renderer::Value& condition : conditions->items()) {
                condition.erase("lastTransitionTime");
            }
        }
        return renderer::write_json(copy);
    }
    std::vector<std::string> events(const std::string& ns) {
        std::vector<std::string> said;
        for (const std::string& path : kube.paths_below("/api/v1/namespaces/" + ns + "/events")) {
            const renderer::Value& event = *kube.find(path);
            said.push_back(std::string(renderer::text_of(event.at({"involvedObject", "kind"}))) +
                           " " + std::string(renderer::text_of(event.at({"reason"}))) + ": " +
                           std::string(renderer::text_of(event.at({"message"}))));
        }
        return said;
    }
};

}  // namespace runtime
