#include "renderer/engines/flux/source_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "renderer/base/ascii.h"
#include "renderer/base/split.h"

namespace renderer::engines {

namespace {

constexpr std::array<std::string_view, 4> kSourceKinds = {"GitRepository", "OCIRepository",
                                                          "Bucket", "ExternalArtifact"};
constexpr std::string_view kRawHost = "raw.githubusercontent.com";

bool is_object_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return is_lower_or_digit(c) || c == '-' || c == '.';
    }) && text.find("..") == std::string_view::npos;
}

// Returns the ref of a query such as `a=b&ref=v1`. kustomize also accepts "version".
std::string ref_in(std::string_view query) {
    for (const std::string_view pair : split(query, '&')) {
        for (const std::string_view name : {"ref=", "version="}) {
            if (pair.starts_with(name)) {
                return std::string(pair.substr(name.size()));
            }
        }
    }
    return {};
}

// Removes the port of "host:22/a/b", and converts "host:a/b" to "host/a/b".
std::string without_port(std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::size_t colon = text.substr(0, slash).find(':');
    if (colon == std::string_view::npos) {
        return std::string(text);
    }
    const std::string_view behind = text.substr(colon + 1, slash - colon - 1);
    const bool is_port = !behind.empty() && std::ranges::all_of(behind, is_digit);
    return fmt::format("{}{}{}", text.substr(0, colon), is_port ? "" : "/",
                       text.substr(is_port ? slash : colon + 1));
}

}  // namespace

std::optional<SourceAddress> parse_address(std::string_view text) {
    constexpr std::string_view kFetcher = "git::";
    SourceAddress address;
    text.remove_prefix(text.starts_with(kFetcher) ? kFetcher.size() : 0);
    if (const std::size_t query = text.find('?'); query != std::string_view::npos) {
        address.ref = ref_in(text.substr(query + 1));
        text = text.substr(0, query);
    }
    if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
        text.remove_prefix(scheme + 3);
    }
    const std::size_t user = text.substr(0, std::min(text.find('/'), text.size())).find('@');
    text.remove_prefix(user == std::string_view::npos ? 0 : user + 1);
    const std::string whole = without_port(text);
    for (std::string_view part : split(whole, '/')) {
        if (part == "..") {
            return std::nullopt;
        }
        if (part.ends_with(".git")) {
            part.remove_suffix(4);
        }
        if (!part.empty() && part != ".") {
            const bool is_host = address.path.empty();
            address.path += is_host ? lower_case(part) : fmt::format("/{}", part);
        }
    }
    return address.path.find('/') == std::string::npos ? std::nullopt
                                                       : std::optional(std::move(address));
}

std::optional<SourceAddress> raw_address(const SourceAddress& address) {
    const std::vector<std::string_view> parts = split(address.path, '/');
    const bool is_raw_host = parts.front() == kRawHost;
    const bool is_raw = parts.front() == "github.com" && parts.size() > 3 && parts[3] == "raw";
    std::size_t at = is_raw_host ? 3 : 4;
    if ((!is_raw_host && !is_raw) || parts.size() <= at + 1) {
        return std::nullopt;
    }
    if (parts[at] == "refs" && parts.size() > at + 3) {
        at += 2;
    }
    SourceAddress found{.path = fmt::format("github.com/{}/{}", parts[1], parts[2]),
                        .ref = std::string(parts[at])};
    for (std::size_t i = at + 1; i < parts.size(); ++i) {
        found.path += fmt::format("/{}", parts[i]);
    }
    return found;
}

bool is_source_kind(std::string_view kind) {
    return std::ranges::find(kSourceKinds, kind) != kSourceKinds.end();
}

std::optional<SourceKey> parse_source_key(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, '/');
    SourceKey key;
    if (parts.empty()) {
        return std::nullopt;
    }
    if (is_source_kind(parts.front())) {
        const bool is_named = (parts.size() == 2 || parts.size() == 3) &&
                              std::all_of(parts.begin() + 1, parts.end(), is_object_name);
        if (!is_named) {
            return std::nullopt;
        }
        key.kind = parts.front();
        key.ns = parts.size() == 3 ? parts[1] : std::string_view();
        key.name = parts.back();
        return key;
    }
    std::optional<SourceAddress> address = parse_address(text);
    const bool has_host =
        address && address->path.substr(0, address->path.find('/')).find('.') != std::string::npos;
    if (!has_host && text.find("://") == std::string_view::npos) {
        return std::nullopt;
    }
    if (!address) {
        return std::nullopt;
    }
    key.address = std::move(*address);
    return key;
}

std::optional<GivenSource> parse_source(std::string_view text) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals + 1 == text.size() ||
        !parse_source_key(text.substr(0, equals))) {
        return std::nullopt;
    }
    return GivenSource{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

}  // namespace renderer::engines
