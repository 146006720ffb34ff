#include "renderer/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

namespace renderer {
namespace {

constexpr std::string_view kEnd = R"(.SH EXIT STATUS
.TP
\fB0\fR
Success.
.TP
\fB1\fR
There are diagnostics, a tree is stale, something differs and \fB\-\-exit\-code\fR asked for that, or a write failed.
Nothing is written if the input is invalid.
.TP
\fB2\fR
The command line is invalid.
.SH ENVIRONMENT
.TP
\fBTAILRENDER_LOG\fR
File that standard error is also appended to, as with \fB\-\-log\-file\fR.
.TP
\fBNO_COLOR\fR
Disables colours, unless \fB\-\-color\fR enables them.
.TP
\fBARGOCD_*\fR
Set by Argo CD for a plug\-in; only read by \fBtailrender cmp\fR.
.SH FILES
.TP
\fI.tailrender.yaml\fR
Clusters of a tree, at its root.
.TP
\fItailrender.lock.yaml\fR
Ports of ProxyGroups, written by \fBtailrender render \-\-update\-lock\fR.
.TP
\fI.tailrender\-inventory\fR
In an output directory: the list of files that tailrender wrote there.
.TP
\fI/usr/share/tailrender/plugins\fR
Plug\-ins for Helm, kustomize, kpt, Argo CD and CI, if installed from a package.
.SH SEE ALSO
.BR kubectl (1),
.BR git (1)
)";

// Text that roff prints as it is. No text of ours begins a line of the page.
std::string literal(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '\\':
                out += "\\e";
                break;
            case '-':
                out += "\\-";
                break;
            case '\'':
                out += "\\(aq";
                break;
            case '`':
                out += "\\(ga";
                break;
            case '^':
                out += "\\(ha";
                break;
            case '~':
                out += "\\(ti";
                break;
            default:
                out += c;
        }
    }
    return out;
}

// A line of its own: neither a dot nor a quote at its beginning is a command.
std::string line(std::string_view text) {
    return fmt::format("\\&{}\n", literal(text));
}

std::string bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", literal(text));
}

std::string italic(std::string_view text) {
    return fmt::format("\\fI{}\\fR", literal(text));
}

std::string signature(const FlagInfo& flag) {
    std::string out;
    for (const std::string& name : flag.names) {
        out += (out.empty() ? "" : ", ") + bold(name);
    }
    return flag.value.empty() ? out : out + " " + italic(flag.value);
}

std::string entry(const std::string& head, const std::string& doc) {
    return fmt::format(".TP\n{}\n{}", head, line(doc));
}

// One word each: the last names of flags are the long ones.
std::string key(const FlagInfo& flag) {
    return fmt::format("{} {} {}", flag.names.back(), flag.value, flag.doc);
}

// The flags that at least half of the verbs take, in the order of the first that does.
std::vector<FlagInfo> shared_flags(const std::vector<VerbInfo>& verbs) {
    std::vector<FlagInfo> order;
    std::multiset<std::string> keys;
    for (const VerbInfo& verb : verbs) {
        for (const FlagInfo& flag : verb.flags) {
            if (!keys.contains(key(flag))) {
                order.push_back(flag);
            }
            keys.insert(key(flag));
        }
    }
    std::erase_if(order,
                  [&](const FlagInfo& flag) { return 2 * keys.count(key(flag)) < verbs.size(); });
    return order;
}

std::string usage(const VerbInfo& verb) {
    std::string out = bold("tailrender " + verb.name);
    for (const FlagInfo& argument : verb.positionals) {
        const std::string name = italic(argument.names.front());
        out += argument.required ? " " + name : fmt::format(" [{}]", name);
    }
    for (const FlagInfo& flag : verb.flags) {
        if (flag.required) {
            out += fmt::format(" {} {}", bold(flag.names.back()), italic(flag.value));
        }
    }
    return out + fmt::format(" [{}]", italic("option"));
}

std::string example_lines(std::string_view examples) {
    std::string out = ".PP\n.RS 4\n.nf\n";
    while (!examples.empty()) {
        const std::size_t end = std::min(examples.find('\n'), examples.size());
        const std::string_view text = examples.substr(0, end);
        out += line(text.starts_with("  ") ? text.substr(2) : text);
        examples.remove_prefix(std::min(end + 1, examples.size()));
    }
    return out + ".fi\n.RE\n";
}

std::string section(const VerbInfo& verb, const std::set<std::string>& shared) {
    std::string out = fmt::format(".SS {}\n{}", usage(verb), line(verb.doc));
    for (const FlagInfo& argument : verb.positionals) {
        const bool one_of = argument.value.find('|') != std::string::npos;
        out += entry(italic(argument.names.front()),
                     one_of ? argument.doc + ": " + argument.value : argument.doc);
    }
    std::string others;
    for (const FlagInfo& flag : verb.flags) {
        if (shared.contains(key(flag))) {
            others += (others.empty() ? "" : ", ") + bold(flag.names.back());
        } else {
            out += entry(signature(flag), flag.doc);
        }
    }
    if (!others.empty()) {
        out += fmt::format(".PP\nCommon options: {}\n", others);
    }
    return out + example_lines(verb.examples);
}

}  // namespace

std::string man_page(const std::vector<VerbInfo>& verbs) {
    std::string synopsis;
    std::string commands;
    std::string options;
    const std::vector<FlagInfo> flags = shared_flags(verbs);
    std::set<std::string> shared;
    for (const FlagInfo& flag : flags) {
        options += entry(signature(flag), flag.doc);
        shared.insert(key(flag));
    }
    for (const VerbInfo& verb : verbs) {
        synopsis += (synopsis.empty() ? "" : ".br\n") + usage(verb) + "\n";
        commands += section(verb, shared);
    }
    return fmt::format(
        ".TH TAILRENDER 1 \"\" \"tailrender {}\" \"User Commands\"\n.nh\n.ad l\n"
        ".SH NAME\n"
        "tailrender \\- render what the Tailscale Kubernetes operator would create\n"
        ".SH SYNOPSIS\n{}"
        ".SH DESCRIPTION\n"
        "Turns a cluster repository into every manifest that the Tailscale Kubernetes operator "
        "would "
        "create at run time, as plain YAML.\n"
        "Messages go to standard error, one with file, line and column each.\n"
        ".SH COMMANDS\n{}"
        ".SH COMMON OPTIONS\n{}{}",
        TAILRENDER_VERSION, synopsis, commands, options, kEnd);
}

}  // namespace renderer
