// Rates of single steps over documents in memory, for scripts/bench and for whoever optimises.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "renderer/core/yaml_writer.h"
#include "renderer/emit/emit.h"
#include "renderer/load/load.h"

namespace {

using namespace renderer;

std::string foreign_documents(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += fmt::format(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-{0}\n  namespace: "
            "team-{1}\n"
            "  labels:\n    app: app-{0}\ndata:\n  LOG_LEVEL: info\n  greeting: hello, number {0}\n"
            "  application.properties: |\n    server.port=8080\n    cache.size={0}\n    "
            "name=application\n",
            i, i % 40);
    }
    return text;
}

// A stream of foreign documents from bytes to bytes: scan, namespaces, order, write.
void foreign(benchmark::State& state) {
    const std::string text = foreign_documents(static_cast<int>(state.range(0)));
    const Plan plan = {};
    const Objects objects = {};
    for (auto _ : state) {
        Diagnostics diagnostics;
        LoadOptions options;
        options.stream = text;
        const Loaded loaded = load(options, diagnostics);
        const std::string out = emit_stream({.loaded = loaded, .plan = plan, .objects = objects});
        benchmark::DoNotOptimize(out.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(foreign)->Arg(20'000)->UseRealTime()->Unit(benchmark::kMillisecond);

void read_tree(benchmark::State& state) {
    const std::string text = foreign_documents(1).substr(4);
    SourceMap sources;
    const SourceId source = sources.add("document", text);
    for (auto _ : state) {
        Diagnostics diagnostics;
        benchmark::DoNotOptimize(read_yaml(sources, source, diagnostics));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_tree);

void write_tree(benchmark::State& state) {
    const std::string text = foreign_documents(1).substr(4);
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
