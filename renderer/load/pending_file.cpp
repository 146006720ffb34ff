#include "renderer/load/pending_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/core/source_map.h"
#include "renderer/core/text_of.h"
#include "renderer/core/word_at.h"
#include "renderer/engines/hooks.h"
#include "renderer/load/object_checks.h"

namespace renderer::load {

namespace {

// API groups that no configuration file of another program has, but for kubeconfig files.
constexpr std::array<std::string_view, 7> kServedGroups = {
    "apps",         "autoscaling",
    "batch",        "networking.k8s.io",
    "policy",       "rbac.authorization.k8s.io",
    "tailscale.com"};

bool is_served(std::string_view api_version, std::string_view kind) {
    const std::string_view group = api_version.substr(0, api_version.find('/'));
    return (api_version == "v1" && !kind.empty() && kind != "Config") ||
           (group.size() < api_version.size() && !kind.empty() &&
            std::ranges::find(kServedGroups, group) != kServedGroups.end());
}

// Turns the pending documents of one file into Documents, or reports what is wrong with them.
class Assembler {
public:
    Assembler(PendingFile& pending, Loaded& loaded, Diagnostics& diagnostics)
        : pending_(pending),
          file_(*pending.file),
          loaded_(loaded),
          diagnostics_(diagnostics),
          out_(pending.file->lenient || !pending.is_judged ? discarded_ : diagnostics) {}

    // Returns the number of documents that were added.
    std::size_t run() {
        if (!file_.required && std::ranges::none_of(pending_.documents, [this](const auto& one) {
                return may_be_object(one);
            })) {
            note_strange();
            return 0;
        }
        std::vector<Pending*> strange;
        const std::size_t before = loaded_.documents.size();
        bool broken = false;
        for (Pending& document : pending_.documents) {
            report_variables(document.of_variables);
            std::ranges::move(document.undecided, std::back_inserter(loaded_.undecided));
            if (refuse_disagreement(document)) {
                broken = true;
                continue;
            }
            if (document.diagnostics.has_errors() || document.of_variables.has_errors()) {
                out_.append(std::move(document.diagnostics));
                broken = true;
            } else if (document.has_tree && document.root.is_null()) {
                continue;
            } else if (is_strange(document)) {
                strange.push_back(&document);
            } else {
                add(document);
            }
        }
        const std::size_t added = loaded_.documents.size() - before;
        if (!strange.empty()) {
            note_strange();
        }
        if (file_.required || added > 0 || broken) {
            for (const Pending* document : strange) {
                report_strange(*document);
            }
        }
        if (!file_.lenient && discarded_.has_errors()) {
            warn_unread();
            return std::max<std::size_t>(added, 1);
        }
        return added;
    }

private:
    // A variable that may make an object an input matters wherever the file is.
    void report_variables(const Diagnostics& found) {
        for (const Diagnostic& one : found.all()) {
            (one.rule == "invalid-substitution" || file_.lenient ? out_ : diagnostics_).add(one);
        }
    }

    // True if kustomize builds the file, as Flux does with all of a folder.
    [[nodiscard]] bool is_built() const { return file_.build != kNone || file_.unit->is_flux; }

    // Kustomize is the only reader of what it builds. Of other inputs it must be clear what they
    // say.
    bool refuse_disagreement(const Pending& document) {
        bool is_refused = false;
        for (const Diagnostic& one : document.diagnostics.all()) {
            if (!is_built() && document.scanned.mentions_tailscale && one.rule == kDisagreement) {
                Diagnostic error = one;
                error.severity = Severity::Error;
                out_.add(std::move(error));
                is_refused = true;
            }
        }
        return is_refused;
    }

    void warn_unread() {
        loaded_.unjudged.push_back(pending_.source);
        const auto error =
            std::ranges::find(discarded_.all(), Severity::Error, &Diagnostic::severity);
        engines::note_refused(
            *file_.unit, fmt::format("{} cannot be read", loaded_.sources.path(pending_.source)),
            loaded_.standings);
        diagnostics_
            .warning("unread-file", error->pos,
                     "this file cannot be read completely, so it is left as it is")
            .found(error->message)
            .hint(
                "nothing beside it mentions Tailscale, so this is only a warning; \"tailrender "
                "check\" and \"tailrender lint\" report an error");
    }

    // Flux fails at a file of a folder that has no kustomization if a document in it is not an
    // object. Source: fluxcd/pkg kustomize/kustomize_generator.go (generateKustomization).
    void note_strange() {
        const bool is_generated = (file_.unit->is_flux || is_refused_by_argo()) &&
                                  file_.build == kNone && !file_.text && file_.reachable &&
                                  !file_.lenient;
        const std::vector<ScannedDocument> unread =
            pending_.no_objects ? scan_documents(loaded_.sources, pending_.source)
                                : std::vector<ScannedDocument>();
        const bool is_blank =
            pending_.documents.empty() && std::ranges::all_of(unread, &ScannedDocument::blank);
        if (is_generated && !is_blank) {
            engines::note_refused(
                *file_.unit,
                fmt::format("{} is no Kubernetes object", loaded_.sources.path(pending_.source)),
                loaded_.standings);
        }
    }

    // Argo CD fails at JSON that is not an object, and at YAML that has the keys of one.
    [[nodiscard]] bool is_refused_by_argo() const {
        const std::string_view text = loaded_.sources.text(pending_.source);
        const auto has_key = [&](std::string_view key) {
            return text.find(key) != std::string_view::npos;
        };
        return file_.unit->is_argo &&
               (file_.path.ends_with(".json") ||
                (has_key("apiVersion:") && has_key("kind:") && has_key("metadata:")));
    }

    // True if the document is neither a Kubernetes object nor an incomplete one.
    [[nodiscard]] bool is_strange(const Pending& document) const {
        const bool has_tree = document.has_tree;
        const bool has_version = has_tree ? document.root.find("apiVersion") != nullptr
                                          : !document.scanned.api_version.is_null();
        const bool has_kind =
            has_tree ? document.root.find("kind") != nullptr : !document.scanned.kind.is_null();
        const bool has_one = has_version != has_kind;
        return (!has_version && !has_kind) ||
               (has_one && !file_.required && !may_be_object(document));
    }

    // Configuration files of other programs may have a kind, but have neither metadata nor items. A
    // kind of the API server that has neither is a mistake. If a document cannot be parsed, only
    // its words are searched.
    [[nodiscard]] bool may_be_object(const Pending& document) const {
        const bool broken = document.diagnostics.has_errors() || document.of_variables.has_errors();
        if (!broken && (document.has_tree ? is_served(text_of(document.root, {"apiVersion"}),
                                                      text_of(document.root, {"kind"}))
                                          : is_served(text_of(document.scanned.api_version),
                                                      text_of(document.scanned.kind)))) {
            return true;
        }
        if (document.has_tree && !broken) {
            return document.root.find("metadata") != nullptr ||
                   document.root.find("items") != nullptr;
        }
        const RawDocument& range = document.scanned.range;
        const std::string_view text =
            loaded_.sources.text(pending_.source).substr(range.begin, range.end - range.begin);
        const auto holds = [text](std::string_view word) {
            return text.find(word) != std::string_view::npos;
        };
        return begins_as_utf16(text) || ((holds("metadata") || holds("items")) &&
                                         (!broken || (holds("apiVersion") && holds("kind"))));
    }

    [[nodiscard]] Pos first_content(const RawDocument& range) const {
        const std::string_view text = loaded_.sources.text(pending_.source);
        std::size_t at = range.begin;
        while (at < range.end) {
            const std::size_t start = std::min(text.find_first_not_of(" \t\r\n", at), range.end);
            if (start == range.end || text[start] != '#') {
                return loaded_.sources.pos(pending_.source, start);
            }
            at = std::min(text.find('\n', start), range.end);
        }
        return loaded_.sources.pos(pending_.source, range.begin);
    }

    void report_strange(const Pending& document) {
        out_.error("not-kubernetes", first_content(document.scanned.range),
                   "this document is not a Kubernetes object")
            .found(document.has_tree ? kind_name(document.root) : "a map")
            .expected("a map with apiVersion and kind")
            .hint(loaded_.is_stream ? "look at the program before the pipe: it may have failed"
                                    : "move it to a separate file, or remove it");
    }

    Document start(const RawDocument& range) const {
        Document document;
        document.source = pending_.source;
        document.range = range;
        document.bundle = file_.bundle;
        document.reachable = file_.reachable;
        document.is_unapplied = file_.is_unapplied;
        return document;
    }

    void add(Pending& pending) {
        Document document = start(pending.scanned.range);
        document.mentions_tailscale = pending.scanned.mentions_tailscale;
        if (!pending.has_tree) {
            document.oddly_indented = pending.scanned.oddly_indented;
            document.api_version = std::move(pending.scanned.api_version);
            document.kind = std::move(pending.scanned.kind);
            document.name = std::move(pending.scanned.name);
            document.ns = std::move(pending.scanned.ns);
            if (complete(document)) {
                loaded_.documents.push_back(std::move(document));
            }
            return;
        }
        document.root = std::move(pending.root);
        add_tree(std::move(document));
    }

    static Value text_at(const Value& root, std::initializer_list<std::string_view> path) {
        const Value* value = root.at(path);
        return value != nullptr && value->is_string() ? value->clone() : Value();
    }

    // Kustomize makes a text of each annotation, as it is spelled. Flux puts the values of
    // variables in later, without quotes. Source: kyaml yaml/rnode.go (SetAnnotations).
    void quote_annotations(Value& root) const {
        Value* metadata = root.find("metadata");
        Value* annotations = metadata == nullptr ? nullptr : metadata->find("annotations");
        if (annotations == nullptr || !annotations->is_map()) {
            return;
        }
        for (Member& member : annotations->members()) {
            const Pos pos = member.value.pos();
            const std::string_view word =
                pos.known() ? word_at(loaded_.sources, pos) : std::string_view();
            const bool is_spelled = member.value.is_number()
                                        ? word == member.value.text()
                                        : member.value.is_bool() && !word.empty() &&
                                              std::ranges::all_of(word, is_letter);
            if (is_spelled) {
                member.value = Value(word);
                member.value.set_pos(pos);
            }
        }
    }

    // Adds a List as a document, followed by its items.
    void add_tree(Document document) {
        document.api_version = text_at(document.root, {"apiVersion"});
        document.kind = text_at(document.root, {"kind"});
        document.name = text_at(document.root, {"metadata", "name"});
        document.ns = text_at(document.root, {"metadata", "namespace"});
        if (!complete(document)) {
            return;
        }
        check_names(document.root, out_);
        if (is_built() && !file_.text) {
            quote_annotations(document.root);
        }
        document.hook = engines::is_hook(
            document.root,
            engines::hook_readers(*file_.unit, loaded_.bundles[file_.bundle], file_.is_chart));
        if (is_built() && engines::is_local_config(document.root)) {
            document.reachable = false;
            document.is_unapplied = true;
        }
        Value* items = document.root.find("items");
        if (items == nullptr || !items->is_list() || !is_list_kind(text_of(document.kind))) {
            check_list(document, out_);
            loaded_.documents.push_back(std::move(document));
            return;
        }
        Value held = std::move(*items);
        const std::uint32_t outermost = document.list;
        const bool mentions_tailscale = document.mentions_tailscale;
        const RawDocument range = document.range;
        document.root = Value();
        document.is_expanded = true;
        if (outermost == kNone) {
            loaded_.documents.push_back(std::move(document));
        }
        const std::uint32_t list = outermost == kNone
                                       ? static_cast<std::uint32_t>(loaded_.documents.size() - 1)
                                       : outermost;
        for (Value& item : held.items()) {
            Document part = start(range);
            part.list = list;
            part.mentions_tailscale = mentions_tailscale;
            part.root = std::move(item);
            add_tree(std::move(part));
        }
    }

    bool complete(const Document& document) {
        const bool has_version = !text_of(document.api_version).empty();
        const bool has_kind = !text_of(document.kind).empty();
        if (has_version && has_kind) {
            return true;
        }
        const std::string_view absent = has_kind ? "apiVersion" : "kind";
        out_.error("incomplete-object", place_of(document),
                   fmt::format("this object has no {}", absent))
            .found(has_kind      ? fmt::format("kind \"{}\"", text_of(document.kind))
                   : has_version ? fmt::format("apiVersion \"{}\"", text_of(document.api_version))
                                 : "neither apiVersion nor kind, as text")
            .expected("apiVersion and kind")
            .hint(fmt::format("add \"{}\", or remove the file from the tree", absent));
        return false;
    }

    [[nodiscard]] Pos place_of(const Document& document) const {
        for (const Value* value : {&document.kind, &document.api_version, &document.root}) {
            if (value->pos().known()) {
                return value->pos();
            }
        }
        return first_content(document.range);
    }

    PendingFile& pending_;
    const engines::InputFile& file_;
    Loaded& loaded_;
    Diagnostics& diagnostics_;
    Diagnostics discarded_;  // of a file whose mistakes are not reported
    Diagnostics& out_;
};

}  // namespace

std::size_t add_documents_of(PendingFile& pending, Loaded& loaded, Diagnostics& diagnostics) {
    return Assembler(pending, loaded, diagnostics).run();
}

}  // namespace renderer::load
