// Measures the rates of single steps over documents in memory. scripts/bench runs it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "renderer/core/yaml_writer.h"
#include "renderer/emit/emit.h"
#include "renderer/load/load.h"

namespace {

using namespace renderer;

std::string config_map(int n) {
    return fmt::format(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{0}\n  namespace: "
        "team-{1}\n  labels:\n    app: app-{0}\ndata:\n  LOG_LEVEL: info\n  greeting: hello, "
        "number {0}\n  application.properties: |\n    server.port=8080\n    cache.size={0}\n    "
        "name=application\n",
        n, n % 40);
}

std::string deployment(int n) {
    std::string text = fmt::format(
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app-{0}\n  namespace: "
        "team-{1}\n  labels:\n    app.kubernetes.io/name: app\n    app.kubernetes.io/instance: "
        "app-{0}\nspec:\n  replicas: 2\n  selector:\n    matchLabels:\n      "
        "app.kubernetes.io/instance: app-{0}\n  template:\n    metadata:\n      labels:\n        "
        "app.kubernetes.io/instance: app-{0}\n    spec:\n      serviceAccountName: app-{0}\n      "
        "containers:\n      - name: app\n        image: "
        "registry.example.com/team-{1}/app:1.{0}.0\n        args: [\"serve\", "
        "\"--listen=:8080\"]\n        ports:\n        - name: http\n          containerPort: "
        "8080\n        readinessProbe:\n          httpGet:\n            path: /healthz\n           "
        " "
        "port: http\n        resources:\n          requests:\n            cpu: 100m\n            "
        "memory: 128Mi\n          limits:\n            memory: 256Mi\n        env:\n",
        n, n % 40);
    for (int i = 0; i < 12; ++i) {
        text += fmt::format("        - name: SETTING_{0}\n          value: \"value {0} of {1}\"\n",
                            i, n);
    }
    return text;
}

template <typename Make>
std::string documents(int count, Make make) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += make(i);
    }
    return text;
}

// Renders a stream of foreign documents from bytes to bytes: scan, set namespaces, sort, write.
template <typename Make>
void foreign(benchmark::State& state, Make make) {
    const std::string text = documents(20'000, make);
    const plan::Plan plan = {};
    const generate::Objects objects = {};
    for (auto _ : state) {
        state.PauseTiming();
        Diagnostics diagnostics;
        repo::LoadOptions options;
        options.stream = text;
        state.ResumeTiming();
        const load::Loaded loaded = load::load(std::move(options), diagnostics);
        emit::emit_stream({.loaded = loaded, .plan = plan, .objects = objects}, 0,
                          [](std::string_view piece) { benchmark::DoNotOptimize(piece.data()); });
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(foreign, config_maps, config_map)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(foreign, deployments, deployment)->UseRealTime()->Unit(benchmark::kMillisecond);

std::string flow_service(int n) {
    return fmt::format(
        "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: app-{0}\n  namespace: team-{1}\n  "
        "labels: {{app: app-{0}, \"team.example.com/name\": \"team-{1}\"}}\nspec:\n  selector: "
        "{{app: app-{0}}}\n  ports: [{{name: http, port: 80, targetPort: 8080}}, {{name: metrics, "
        "port: 9090}}]\n",
        n, n % 40);
}

template <typename Make>
void read_tree(benchmark::State& state, Make make) {
    const std::string text = make(0).substr(4);
    SourceMap sources;
    const SourceId source = sources.add("document", text);
    for (auto _ : state) {
        Diagnostics diagnostics;
        benchmark::DoNotOptimize(read_yaml(sources, source, diagnostics));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK_CAPTURE(read_tree, block_style, config_map);
BENCHMARK_CAPTURE(read_tree, flow_style, flow_service);

void write_tree(benchmark::State& state) {
    const std::string text = config_map(0).substr(4);
    SourceMap sources;
    Diagnostics diagnostics;
    const Value value = read_yaml(sources, sources.add("document", text), diagnostics);
    std::string out;
    for (auto _ : state) {
        out.clear();
        write_yaml(value, out);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(write_tree);

}  // namespace

BENCHMARK_MAIN();
