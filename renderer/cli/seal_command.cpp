#include <fmt/format.h>

#include <filesystem>

#include "renderer/cli/commands.h"
#include "renderer/core/document.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/yaml_writer.h"
#include "renderer/emit/tree/files.h"
#include "renderer/engines/kustomize/env_file.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/repo/disk_tree.h"
#include "renderer/seal/secret.h"

namespace renderer::cli {
namespace {

namespace fs = std::filesystem;

// The name of the Secret in the operator's chart and kustomizations.
constexpr const char* kDefaultName = "operator-oauth";
constexpr const char* kDefaultNamespace = "tailscale";

bool is_env_file(const std::string& path) {
    return path.ends_with(".env");
}

class Sealing {
public:
    explicit Sealing(const Options& options) : options_(options), flags_(options.seal) {}

    int run(Console& console) {
        Result<seal::SealingCertificate> certificate = read_certificate();
        if (!certificate) {
            diagnostics_.add(std::move(certificate.error().diagnostic));
        }
        const std::vector<seal::PlainSecret> secrets = read_secrets();
        std::string out;
        std::string report;
        if (certificate && !diagnostics_.has_errors()) {
            for (const seal::PlainSecret& secret : secrets) {
                const seal::SealScope scope = flags_.scope.value_or(seal::scope_of(secret));
                out += out.empty() ? "" : "---\n";
                write_yaml(seal::seal_secret(secret, scope, *certificate), out);
                report += describe(secret, scope);
            }
            refuse_to_overwrite_the_input();
        }
        console.diagnose(
            [this](bool color) { return shown_diagnostics(diagnostics_, sources_, color); }, true);
        if (diagnostics_.has_errors()) {
            return 1;
        }
        if (!options_.quiet) {
            console.err(report);
        }
        return write(out, console) ? 0 : 1;
    }

private:
    [[nodiscard]] Result<seal::SealingCertificate> read_certificate() const {
        return seal::SealingCertificate::parse(
            TRY(repo::DiskTree({flags_.certificate}).read(flags_.certificate)), flags_.certificate);
    }

    std::vector<seal::PlainSecret> read_secrets() {
        const bool is_stdin = flags_.file == "-";
        Result<std::string> text =
            is_stdin ? read_stdin() : repo::DiskTree({flags_.file}).read(flags_.file);
        if (!text) {
            diagnostics_.add(is_stdin ? Diagnostic{.rule = "cannot-read",
                                                   .where = "<stdin>",
                                                   .message = "cannot read"}
                                      : std::move(text.error().diagnostic));
            return {};
        }
        const SourceId source = sources_.add(is_stdin ? "<stdin>" : flags_.file, std::move(*text));
        std::vector<seal::PlainSecret> secrets =
            is_env_file(flags_.file) ? from_env_file(source) : from_manifests(source);
        for (seal::PlainSecret& secret : secrets) {
            name(secret);
        }
        return secrets;
    }

    std::vector<seal::PlainSecret> from_env_file(SourceId source) {
        const engines::EnvFile file = engines::parse_env_file(sources_.text(source));
        if (file.without_equals.empty()) {
            engines::lint_env_file(sources_, source, file, "", diagnostics_);
        }
        seal::PlainSecret secret;
        secret.pos = sources_.pos(source, 0);
        secret.name = kDefaultName;
        if (engines::is_encrypted(file)) {
            refuse(sources_.pos(source, 0), "the file is encrypted by SOPS already",
                   "keys \"sops_…\"", "values in plain text");
        }
        if (file.bad_utf8 || file.cut_off) {
            refuse(sources_.pos(source, file.bad_utf8 ? *file.bad_utf8 : *file.cut_off),
                   "invalid line", file.bad_utf8 ? "bytes that are not UTF-8" : "too long a line",
                   fmt::format("UTF-8, at most {} bytes", engines::kMaxEnvLine));
        }
        for (const std::size_t offset : file.without_equals) {
            refuse(sources_.pos(source, offset), "the line has no value", "no \"=\"", "KEY=VALUE");
        }
        for (const engines::EnvEntry& entry : file.entries) {
            secret.data.insert_or_assign(std::string(entry.key), std::string(entry.value));
        }
        if (secret.data.empty() && !diagnostics_.has_errors()) {
            refuse(sources_.pos(source, 0), "the file has nothing to seal", "no KEY=VALUE line",
                   "lines such as client_id=…");
        }
        std::vector<seal::PlainSecret> secrets;
        secrets.push_back(std::move(secret));
        return secrets;
    }

    std::vector<seal::PlainSecret> from_manifests(SourceId source) {
        std::vector<seal::PlainSecret> secrets;
        bool any = false;
        for (const ScannedDocument& document : scan_documents(sources_, source)) {
            if (document.blank) {
                continue;
            }
            any = true;
            const std::size_t before = diagnostics_.error_count();
            const Value root = read_yaml(sources_, source, document.range, diagnostics_);
            if (diagnostics_.error_count() > before) {
                continue;
            }
            if (auto secret = seal::read_secret(root, diagnostics_)) {
                secrets.push_back(std::move(*secret));
            }
        }
        if (!any) {
            refuse(sources_.pos(source, 0), "nothing to seal", "no document", "a Secret");
        }
        return secrets;
    }

    // Applies --name and --namespace, which are for files that do not contain them.
    void name(seal::PlainSecret& secret) {
        const bool from_env = is_env_file(flags_.file);
        if (!flags_.name.empty() && !from_env) {
            diagnostics_.error("seal", {}, "a manifest has the name of its Secret")
                .where("--name")
                .found(fmt::format("\"{}\"", flags_.name))
                .expected("--name with an env file only");
        } else if (!flags_.name.empty()) {
            secret.name = flags_.name;
        }
        const std::string& given = options_.load.default_namespace;
        if (secret.ns.empty()) {
            secret.ns = given.empty() && from_env ? kDefaultNamespace : given;
        } else if (!given.empty() && given != secret.ns) {
            diagnostics_.error("seal", {}, "the Secret is in another namespace")
                .object(object_name("Secret", secret.ns, secret.name))
                .where("--namespace")
                .found(fmt::format("\"{}\"", given))
                .expected(fmt::format("\"{}\" in the manifest", secret.ns));
        }
        if (secret.ns.empty()) {
            diagnostics_.error("seal", secret.pos, "a Secret needs a namespace to be sealed")
                .object(object_name("Secret", "", secret.name))
                .found("no \"metadata.namespace\"")
                .expected("the namespace it is for")
                .hint("--namespace tailscale")
                .hide_text();
        }
        check_names(secret);
    }

    // The API server accepts no other names, neither for the SealedSecret nor for its Secret.
    void check_names(const seal::PlainSecret& secret) {
        if (!secret.name.empty() && !is_dns1123_subdomain(secret.name)) {
            const bool is_flag = secret.name == flags_.name;
            diagnostics_.error("seal", is_flag ? Pos() : secret.pos, "invalid Secret name")
                .where(is_flag ? "--name" : "")
                .found(fmt::format("\"{}\"", secret.name))
                .expected("lower-case letters, digits, dashes and dots, at most 253")
                .hide_text();
        }
        if (!secret.ns.empty() && !is_dns1123_label(secret.ns)) {
            refuse(secret.pos, "invalid Secret namespace", fmt::format("\"{}\"", secret.ns),
                   std::string(kDnsLabelGrammar));
        }
    }

    void refuse(Pos pos, std::string message, std::string_view found, std::string_view expected) {
        diagnostics_.error("seal", pos, std::move(message))
            .found(found)
            .expected(expected)
            .hide_text();
    }

    void refuse_to_overwrite_the_input() {
        std::error_code code;
        if (!flags_.output.empty() && fs::equivalent(flags_.output, flags_.file, code)) {
            diagnostics_.error("seal", {}, "would overwrite the input")
                .where("--output")
                .found(fmt::format("\"{}\"", flags_.output))
                .expected("another file; the values cannot be read back from it");
        }
    }

    static std::string describe(const seal::PlainSecret& secret, seal::SealScope scope) {
        std::string keys;
        for (const auto& [key, value] : secret.data) {
            keys += fmt::format("{}{}", keys.empty() ? "" : ", ", key);
        }
        const std::string where = scope == seal::SealScope::Strict
                                      ? fmt::format("only as {} in {}", secret.name, secret.ns)
                                  : scope == seal::SealScope::NamespaceWide
                                      ? fmt::format("under any name in {}", secret.ns)
                                      : "anywhere in the cluster";
        return fmt::format("sealed {}: {}; it can be decrypted {}\n",
                           object_name("Secret", secret.ns, secret.name), keys, where);
    }

    bool write(const std::string& out, Console& console) const {
        if (flags_.output.empty()) {
            return console.out(out);
        }
        const Result<Unit> done = emit::replace_file(
            flags_.output, flags_.output + ".tailrender-new", out, emit::Durable::Yes);
        if (!done) {
            console.diagnose(Result<Unit>(done).error().diagnostic);
        }
        return done.has_value();
    }

    const Options& options_;
    const SealOptions& flags_;
    SourceMap sources_;
    Diagnostics diagnostics_;
};

}  // namespace

Result<int> run_seal(const Options& options, ClusterRuns& /*runs*/, Console& console) {
    return Sealing(options).run(console);
}

}  // namespace renderer::cli
