// Fuzz target: strings of a small tree stay text. For any name, label, value or file name, a run
// that succeeds writes only inside of its directory, writes only documents that the inputs cause,
// prints no terminal codes, and writes the same bytes when it is repeated.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "renderer/base/check.h"
#include "renderer/base/printable.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/text_of.h"
#include "renderer/core/yaml_reader.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/emit/emit.h"
#include "renderer/emit/output_path.h"
#include "renderer/pipeline.h"
#include "renderer/repo/memory_tree_testing.h"

namespace {

using namespace renderer;

constexpr std::size_t kMaxPlaces = 4;  // how many places one input changes

struct Template {
    std::string_view path, text;  // `@A` is replaced by the value of place A
};

// The value of each place, from A to Z, that the input does not change.
constexpr std::array<std::string_view, 26> kUsual = {"shop",      "web",
                                                     "app",       "web-1",
                                                     "tag:k8s",   "prod",
                                                     "http",      "site",
                                                     "net",       "a",
                                                     "b",         "apps",
                                                     "made",      "c",
                                                     "home",      "operator",
                                                     "settings",  "10.0.0.0/8",
                                                     "db",        "team",
                                                     "owner",     "x",
                                                     "tailscale", "y",
                                                     "z",         "ts.example.net"};

constexpr std::string_view kService =
    "apiVersion: v1\nkind: Service\nmetadata:\n  name: @B\n  namespace: @A\n  labels: {@C: @J}\n"
    "  annotations:\n    tailscale.com/expose: \"true\"\n    tailscale.com/hostname: @D\n"
    "    tailscale.com/tags: @E\n    @V: @X\nspec: {selector: {app: web}, ports: [{name: @G, port: "
    "80}]}\n";
constexpr std::string_view kIngress =
    "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: @H, namespace: @A}\n"
    "spec:\n  ingressClassName: @W\n  tls: [{hosts: [@H]}]\n"
    "  defaultBackend: {service: {name: @B, port: {number: 80}}}\n";
constexpr std::string_view kEgress =
    "apiVersion: v1\nkind: Service\nmetadata: {name: @S, namespace: @A, annotations: "
    "{tailscale.com/tailnet-fqdn: @Z}}\nspec: {type: ExternalName, externalName: @Y, ports: "
    "[{port: "
    "5432}]}\n";
constexpr std::string_view kConnector =
    "apiVersion: tailscale.com/v1alpha1\nkind: Connector\nmetadata: {name: @I, labels: {@T: @U}}\n"
    "spec: {hostname: @I, subnetRouter: {advertiseRoutes: [@R]}}\n";
constexpr std::string_view kFlux =
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: @L, "
    "namespace: "
    "flux-system}\nspec: {path: ./@L, prune: true, targetNamespace: @A, sourceRef: {kind: "
    "GitRepository, name: flux-system}, postBuild: {substitute: {@K: @X}}}\n";
constexpr std::string_view kArgo =
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: @L, namespace: argocd}\n"
    "spec: {source: {repoURL: \"https://example.com/a.git\", path: @L}, destination: {server: "
    "\"https://kubernetes.default.svc\", namespace: @A}}\n";

const std::vector<std::vector<Template>>& trees() {
    static const std::vector<std::vector<Template>> all = {
        {{"t/kustomization.yaml",
          "namespace: @A\nconfigMapGenerator: [{name: @M, namespace: @T, literals: [@J=@K]}]\n"
          "resources: [@L/web.yaml, site.yaml, db.yaml, net.yaml]\n"},
         {"t/@L/web.yaml", kService},
         {"t/site.yaml", kIngress},
         {"t/db.yaml", kEgress},
         {"t/net.yaml", kConnector}},
        {{"t/.tailrender.yaml",
          "clusters: [{name: @O, labels: {@T: @U}, bundles: [\"*\"], values: {tailrender: "
          "{namespace: @W}, proxyConfig: {defaultTags: @E}}}]\n"},
         {"t/@L/fleet.yaml",
          "defaultNamespace: @A\nname: @N\nlabels: {@T: @U}\nhelm: {chart: tailscale-operator, "
          "version: 1.96.5, releaseName: @P, valuesFiles: [@Q.yaml]}\n"},
         {"t/@L/settings.yaml", "operatorConfig: {hostname: @D}\n"},
         {"t/@N/fleet.yaml", "defaultNamespace: @A\n"},
         {"t/@N/web.yaml", kService},
         {"t/@N/@X.yaml", kConnector}},
        {{"t/clusters/home/flux-system/sync.yaml",
          "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: "
          "flux-system, namespace: flux-system}\nspec: {path: ./clusters/home, sourceRef: {kind: "
          "GitRepository, name: flux-system}}\n"},
         {"t/clusters/home/apps.yaml", kFlux},
         {"t/@L/web.yaml", kService},
         {"t/@L/site.yaml", kIngress},
         {"t/@L/@X.yaml", kConnector}},
        {{"t/root.yaml", kArgo}, {"t/@L/web.yaml", kService}, {"t/@L/@X.yaml", kEgress}},
    };
    return all;
}

class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size)
        : rest_(reinterpret_cast<const char*>(data), size) {}

    [[nodiscard]] bool empty() const { return rest_.empty(); }

    unsigned next() {
        if (rest_.empty()) {
            return 0;
        }
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return byte;
    }

    std::string text() {
        const std::size_t size = std::min<std::size_t>(next() % 64, rest_.size());
        std::string taken(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return taken;
    }

private:
    std::string_view rest_;
};

// Replaces the places in a text by their values; `is_spelled`: as YAML scalars.
std::string filled(std::string_view text, const std::array<std::string, 26>& places,
                   bool is_spelled) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '@') {
            out += text[i];
            continue;
        }
        const auto place = static_cast<std::size_t>(text.at(++i) - 'A');
        std::string value = places.at(place);
        if (is_spelled) {
            std::string spelled;
            write_yaml(Value::list({Value(value)}), spelled);
            value = spelled.substr(2, spelled.size() - 3);
            const bool is_block = value.starts_with('|') || value.starts_with('>');
            out += is_block ? "x" : value;
            continue;
        }
        out += value;
    }
    return out;
}

std::map<std::string, std::string> tree_of(Bytes& bytes, unsigned form) {
    std::array<std::string, 26> places;
    std::ranges::copy(kUsual, places.begin());
    for (std::size_t i = 0; i < kMaxPlaces && !bytes.empty(); ++i) {
        const unsigned place = bytes.next() % 26;
        const unsigned repeats = bytes.next() % 64 == 63 ? 8 : 1;
        const std::string text = bytes.text();
        places.at(place).clear();
        for (unsigned j = 0; j < repeats; ++j) {
            places.at(place) += text;
        }
    }
    std::array<std::string, 26> names = places;
    for (std::string& name : names) {
        std::erase_if(name, [](char c) { return c == '/' || c == '\0'; });
        if (name.empty() || name == "." || name == "..") {
            name = "x";
        }
    }
    std::map<std::string, std::string> files;
    for (const Template& file : trees().at(form % trees().size())) {
        files[filled(file.path, names, false)] = filled(file.text, places, (form & 4U) == 0);
    }
    return files;
}

std::string key_of(const Value& object) {
    return std::string(text_of(object, {"kind"})) + " " +
           std::string(text_of(object, {"metadata", "name"}));
}

// Checks that every document of the text is in `known`.
void check_documents(const std::string& text, const std::set<std::string>& known) {
    SourceMap sources;
    const SourceId source = sources.add("output", text);
    for (const ScannedDocument& document : scan_documents(sources, source)) {
        Diagnostics diagnostics;
        const Value root = read_yaml(sources, source, document.range, diagnostics);
        CHECK(!diagnostics.has_errors());
        CHECK(root.is_null() || known.contains(key_of(root)));
    }
}

// Checks that the text has no control characters but line ends and those in `allowed`.
void check_printable(std::string_view text, std::string_view allowed = "") {
    for (std::size_t at = 0; at < text.size();) {
        const CharacterAt one = character_at(text, at);
        CHECK(one.printable || text[at] == '\n' ||
              allowed.find(text[at]) != std::string_view::npos);
        at += one.size;
    }
}

struct Rendered {
    std::string said;
    std::vector<emit::OutputFile> files;
    std::string stream;
    bool is_done = false;
};

Rendered rendered(std::map<std::string, std::string> files, bool only_generated) {
    repo::LoadOptions options;
    options.tree = std::make_shared<const repo::MemoryTree>(std::move(files));
    options.path = "t";
    options.only_generated = only_generated;
    options.default_namespace = "shop";
    options.threads = 1;
    Run run;
    Rendered out;
    out.is_done = render(std::move(options), run);
    out.said = run.diagnostics.print(run.loaded.sources, false);
    check_printable(out.said, "\t");  // of a source line, so that the mark stands below its place
    if (!out.is_done) {
        return out;
    }
    const emit::Output output{.loaded = run.loaded, .plan = run.plan, .objects = run.objects};
    std::set<std::string> known;
    for (const Object* object : output.made()) {
        known.insert(key_of(object->root));
    }
    if (!only_generated) {
        for (const Document& document : run.loaded.documents) {
            known.insert(std::string(text_of(document.kind)) + " " +
                         std::string(text_of(document.name)));
        }
    }
    emit::emit_stream(output, 1, [&](std::string_view piece) { out.stream += piece; });
    check_documents(out.stream, known);
    Result<std::vector<emit::OutputFile>> tree = emit::emit_tree(output, 1);
    if (!tree) {
        out.is_done = false;
        return out;
    }
    out.files = std::move(*tree);
    std::string_view before;
    for (const emit::OutputFile& file : out.files) {
        CHECK(emit::is_output_path(file.path) || file.path.starts_with(".tailrender"));
        CHECK(before < file.path);
        CHECK(!file.path.starts_with(std::string(before) + "/"));
        before = file.path;
        if (only_generated) {
            check_printable(file.content);
            if (file.path.ends_with(".yaml") && !file.path.ends_with("kustomization.yaml")) {
                check_documents(file.content, known);
            }
        }
    }
    return out;
}

}  // namespace

extern "C" int fuzz_rendered_trees(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const unsigned form = bytes.next();
    const std::map<std::string, std::string> files = tree_of(bytes, form);
    const bool only_generated = (form & 8U) == 0;
    const Rendered first = rendered(files, only_generated);
    const Rendered second = rendered(files, only_generated);
    CHECK(first.said == second.said && first.stream == second.stream);
    CHECK(first.files.size() == second.files.size());
    for (std::size_t i = 0; i < first.files.size(); ++i) {
        CHECK(first.files[i].path == second.files[i].path);
        CHECK(first.files[i].content == second.files[i].content);
    }
    return 0;
}
