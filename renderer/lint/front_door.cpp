// Checks public names in front of a Funnel. Its certificate is only for the ts.net name, and it
// accepts connections only for that name. A proxy in front of it must use that name (TLS server
// name) and keep the public Host. Source: tailscale.com/kb/1223/funnel,
// developers.cloudflare.com/rules/origin-rules.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "renderer/base/split.h"
#include "renderer/lint/families.h"
#include "renderer/repo/closed_schema.h"

namespace renderer::lint {

namespace {

constexpr std::string_view kDns = "external-dns.alpha.kubernetes.io/";

struct Record {
    const RepositoryDocument* document = nullptr;
    std::string_view name, target;
    Pos pos;
    bool proxied = false;  // Cloudflare proxies the name
};

std::string_view without_dot(std::string_view name) {
    name.remove_suffix(name.ends_with('.') ? 1 : 0);
    return name;
}

void add_annotated(const RepositoryDocument& document, std::vector<Record>& records) {
    const auto annotation = [&](std::string_view key) {
        return document.annotation(fmt::format("{}{}", kDns, key));
    };
    const Value* target = annotation("target");
    const bool proxied = text_of(annotation("cloudflare-proxied")) == "true";
    std::string_view names = text_of(annotation("hostname"));
    while (target != nullptr && !names.empty()) {
        std::string_view name = take(names, ',');
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        records.push_back({&document, name, without_dot(text_of(target)), target->pos(), proxied});
    }
}

bool is_proxied(const Value& endpoint) {
    return std::ranges::any_of(repo::list_of(endpoint, "providerSpecific"), [](const Value& entry) {
        return repo::text_of(entry, "name").ends_with("cloudflare-proxied") &&
               repo::text_of(entry, "value") == "true";
    });
}

void add_endpoints(const RepositoryDocument& document, std::vector<Record>& records) {
    for (const Value& endpoint : items_of(document.root.at({"spec", "endpoints"}))) {
        for (const Value& target : repo::list_of(endpoint, "targets")) {
            records.push_back({&document, repo::text_of(endpoint, "dnsName"),
                               without_dot(text_of(&target)), target.pos(), is_proxied(endpoint)});
        }
    }
}

void check_record(const LintContext& context, const Record& record) {
    Report report = context.about(*record.document);
    if (!record.proxied) {
        report
            .error("front-door-certificate", record.pos,
                   fmt::format("browsers reject \"{}\": the certificate is for \"{}\"", record.name,
                               record.target))
            .expected("a proxy in front that has a certificate for the public name")
            .hint("set the record's cloudflare-proxied to \"true\", or use the ts.net name");
        return;
    }
    report
        .warning("front-door-origin", record.pos,
                 fmt::format("Cloudflare must request \"{}\" by its own name, which no file here "
                             "configures",
                             record.target))
        .expected(fmt::format("an origin rule for \"{}\": SNI override \"{}\", no Host override; "
                              "SSL mode full (strict)",
                              record.name, record.target))
        .hint("with the public name as SNI every request fails with 526");
}

void check_hosts(const LintContext& context, const std::vector<Record>& records) {
    std::map<std::string_view, const Record*> first_of;
    for (const Record& record : records) {
        const auto [first, is_new] = first_of.emplace(record.target, &record);
        if (is_new || first->second->name == record.name) {
            continue;
        }
        context.about(*record.document)
            .warning("front-door-hosts", record.pos,
                     fmt::format("several public names target the Funnel \"{}\"", record.target))
            .found(fmt::format("\"{}\" and \"{}\"", first->second->name, record.name))
            .expected(
                "an origin rule for each name, and a router behind the Funnel that routes by Host")
            .note({.pos = first->second->pos,
                   .object = first->second->document->object_name(),
                   .text = "the other name"});
    }
}

}  // namespace

void check_front_door(const LintContext& context) {
    std::vector<Record> records;
    for (const RepositoryDocument& document : context.repository.documents) {
        add_annotated(document, records);
        if (document.is("externaldns.k8s.io", "DNSEndpoint")) {
            add_endpoints(document, records);
        }
    }
    std::erase_if(records, [](const Record& record) {
        return !record.target.ends_with(".ts.net") || record.name.ends_with(".ts.net");
    });
    for (const Record& record : records) {
        check_record(context, record);
    }
    check_hosts(context, records);
}

}  // namespace renderer::lint
