#include "renderer/diff/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "renderer/base/printable.h"
#include "renderer/diff/absences.h"
#include "renderer/diff/access_outline.h"

namespace renderer::diff {
namespace {

constexpr std::size_t kMaxCode = 500;
constexpr std::string_view kHiddenExposure = "[hidden-exposure]";

// The place is a code span of its own where it has a link.
std::string warning_text(const std::string& warning, const Comparison& comparison) {
    const std::size_t colon = warning.find(": ");
    const std::string place = warning.substr(0, colon);
    if (!comparison.links.contains(place)) {
        return code(warning);
    }
    return fmt::format("{}: {}", code(place), code(warning.substr(colon + 2)));
}

std::string tailnet_note(const std::string& tailnet) {
    return tailnet.empty() ? "" : fmt::format(" in tailnet {}", code(tailnet));
}

char mark_of(DeviceEdit edit) {
    return edit == DeviceEdit::Added ? '+' : edit == DeviceEdit::Removed ? '-' : '~';
}

std::string field_text(const FieldChange& field) {
    const std::string path = code(field.path);
    switch (field.edit) {
        case FieldEdit::Added:
            return fmt::format("{}: {} added", path, code(field.after));
        case FieldEdit::Removed:
            return fmt::format("{}: {} removed", path, code(field.before));
        case FieldEdit::Reordered:
            return fmt::format("{}: the same in another order", path);
        case FieldEdit::Changed:
            break;
    }
    return fmt::format("{}: {} -> {}", path, code(field.before), code(field.after));
}

std::string offer_text(const Reach& offer) {
    std::string text = code(offer.endpoint);
    if (!offer.target.empty()) {
        text += fmt::format(" -> {}", code(offer.target));
    }
    return offer.pods.empty() ? text : fmt::format("{}, pods {}", text, code(offer.pods));
}

OutlineLine reach_line(const ReachChange& change, char mark) {
    return {mark,
            fmt::format("{}{}: {} ({})", code(change.hostname), tailnet_note(change.tailnet),
                        offer_text(change.offer), code(change.parent)),
            {}};
}

OutlineLine device_line(const DeviceChange& change) {
    const Device& device = change.shown();
    std::string name = code(device.hostname);
    if (change.before && change.after && change.before->hostname != change.after->hostname) {
        name = fmt::format("{} -> {}", code(change.before->hostname), name);
    }
    const std::string target_text = device.target_text();
    OutlineLine line{
        mark_of(change.edit),
        fmt::format("{} {}{}: {}{}{}", name_of(change.edit), name, tailnet_note(device.tailnet),
                    code(device.parent),
                    target_text.empty() ? "" : fmt::format(", target {}", code(target_text)),
                    change.after && device.is_public() ? ", PUBLIC" : ""),
        {}};
    if (change.edit == DeviceEdit::Added && !device.tags.empty()) {
        line.text += fmt::format(", {}", code(fmt::format("{}", fmt::join(device.tags, ","))));
    }
    for (const std::string& reason : change.reasons) {
        line.details.push_back(safe(reason));
    }
    return line;
}

OutlineLine restart_line(const Restart& restart) {
    std::string text = code(restart.workload);
    if (restart.pods) {
        text += fmt::format(", {}", counted(static_cast<std::size_t>(*restart.pods), "pod"));
    }
    if (restart.way == RestartWay::OnDelete) {
        text += ", only when they are deleted (updateStrategy OnDelete)";
    } else if (restart.way == RestartWay::Recreate) {
        text +=
            ", REFUSED by the API server until the workload is deleted: a field of it is immutable";
    }
    OutlineLine line{restart.way == RestartWay::Recreate ? '!' : '~', text, restart.reasons};
    for (const FieldChange& field : restart.fields) {
        line.details.push_back(field_text(field));
    }
    return line;
}

// `restarts`: its pod template is described with the pods that restart.
OutlineLine object_line(const ObjectChange& change, bool restarts) {
    if (change.edit == ObjectEdit::Added || change.edit == ObjectEdit::Removed) {
        return {change.edit == ObjectEdit::Added ? '+' : '-', code(change.title), {}};
    }
    OutlineLine line{'~', code(change.title), {}};
    if (change.edit == ObjectEdit::Renamed) {
        line.text = fmt::format("renamed {} -> {}", code(change.old_title), line.text);
        line.is_renamed = true;
    } else if (change.fields.empty()) {
        line.text += ": its bytes differ";
    }
    bool told = false;
    for (const FieldChange& field : change.fields) {
        if (!restarts || !field.path.starts_with(kPodTemplate)) {
            line.details.push_back(field_text(field));
        } else if (!told) {
            line.details.emplace_back("the pod template: see the pods that restart");
            told = true;
        }
    }
    return line;
}

// One change of several objects, such as a new field in the config Secret of every proxy.
struct Likeness {
    std::string kind, rest;  // of the line's text, which is "KIND/NAMESPACE/NAME" and the rest
    std::vector<std::string> details;
    auto operator<=>(const Likeness&) const = default;
};

Likeness likeness_of(const OutlineLine& line) {
    const std::size_t slash = line.text.find('/');
    const std::size_t end = line.text.find(kCodeEnd);
    return {line.text.substr(1, slash - 1), line.text.substr(end + 1), line.details};
}

// Returns ", 2 pods each, only when they are deleted" for ", 2 pods, only when they are deleted".
std::string for_each_object(std::string_view rest) {
    const std::size_t pod = rest.find(" pod");
    if (pod == std::string_view::npos) {
        return std::string(rest);
    }
    const std::size_t end = pod + 4 + (rest.substr(pod + 4).starts_with('s') ? 1 : 0);
    return fmt::format("{} each{}", rest.substr(0, end), rest.substr(end));
}

// Merges changed objects of one kind with the same details if there are at least three.
std::vector<OutlineLine> merged(const std::vector<OutlineLine>& lines) {
    constexpr std::size_t kLeast = 3;
    std::map<Likeness, std::vector<std::string>> alike;
    const auto may_merge = [](const OutlineLine& line) {
        return line.mark == '~' && !line.is_renamed && !line.details.empty() &&
               line.text.starts_with(kCode);
    };
    for (const OutlineLine& line : lines) {
        if (may_merge(line)) {
            alike[likeness_of(line)].push_back(line.text.substr(0, line.text.find(kCodeEnd) + 1));
        }
    }
    std::vector<OutlineLine> out;
    for (const OutlineLine& line : lines) {
        const auto found = may_merge(line) ? alike.find(likeness_of(line)) : alike.end();
        if (found == alike.end() || found->second.size() < kLeast) {
            out.push_back(line);
            continue;
        }
        const auto& [likeness, titles] = *found;
        if (!line.text.starts_with(titles.front())) {
            continue;  // named by the first one
        }
        constexpr std::size_t kNamed = 20;
        OutlineLine all{
            '~',
            fmt::format("{} {}{}{}{}{}", titles.size(), kCode, likeness.kind, kCodeEnd,
                        likeness.kind.ends_with('s') ? "es" : "s", for_each_object(likeness.rest)),
            {some_of(titles, kNamed)}};
        all.details.insert(all.details.end(), line.details.begin(), line.details.end());
        all.names_in_details = true;
        out.push_back(std::move(all));
    }
    return out;
}

// Writes the sections of one cluster, or of all of them.
class Writer {
public:
    explicit Writer(Outline& outline) : outline_(outline) {}

    void add_public(const Comparison& comparison, bool added) {
        OutlineSection section{.weight = added ? Weight::Alarm : Weight::Normal};
        std::vector<std::string> devices;
        std::set<std::string_view> ways;
        for (const ClusterComparison& cluster : comparison.clusters) {
            for (const ReachChange& change : cluster.devices.reach) {
                if (change.offer.is_public && change.added == added) {
                    const bool is_relay = change.offer.target == kRelayed;
                    ways.insert(is_relay ? kind_of_name(change.parent) : kByFunnel);
                    section.lines.push_back(reach_line(change, added ? '!' : '-'));
                    section.lines.back().text += in_cluster(comparison, cluster);
                    if (const std::string* entry =
                            lacked_for(comparison, cluster.cluster, change)) {
                        section.lines.back().details.push_back(
                            fmt::format("not before the policy has {}", code(*entry)));
                    }
                    devices.push_back(fmt::format("{}/{}", cluster.cluster, change.hostname));
                }
            }
        }
        std::ranges::sort(devices);
        devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
        section.title =
            added ? fmt::format("PUBLIC: anyone on the internet {} {} ({})",
                                comparison.alone.empty() ? "will reach more through" : "can reach",
                                counted(devices.size(), "device"), fmt::join(ways, ", "))
                  : fmt::format("No longer public: {}", counted(section.lines.size(), "endpoint"));
        put(std::move(section));
    }

    // Lists what the side contains; nothing is compared.
    void add_alone(const Comparison& comparison, const ClusterComparison& cluster) {
        OutlineSection section;
        for (const DeviceChange& change : cluster.devices.changes) {
            section.lines.push_back(device_line(change));
            std::string& text = section.lines.back().text;
            text.erase(0, name_of(change.edit).size() + 1);
            section.lines.back().mark = '~';
        }
        section.title = fmt::format("Devices of {}{}: {}", comparison.alone,
                                    in_cluster(comparison, cluster), section.lines.size());
        put(std::move(section));
    }

    void add_access(const Comparison& comparison) {
        if (comparison.access) {
            put(access_notes(*comparison.access));
            put(lacking_section(*comparison.access));
        }
    }

    void add_cluster(const Comparison& comparison, const ClusterComparison& cluster) {
        suffix_ = in_cluster(comparison, cluster);
        put(access_section(cluster.access, suffix_));
        add_devices(cluster.devices);
        add_kept(cluster.kept, true);
        add_kept(cluster.kept, false);
        add_reach(cluster.devices, true);
        add_reach(cluster.devices, false);
        add_restarts(cluster.objects);
        add_objects(cluster.objects);
        add_generated(cluster.objects);
    }

private:
    static std::string in_cluster(const Comparison& comparison, const ClusterComparison& cluster) {
        return comparison.clusters.size() > 1 ? fmt::format(" in cluster {}", code(cluster.cluster))
                                              : "";
    }

    static bool does_restart(const ObjectChanges& objects, const ObjectChange& change) {
        return std::ranges::binary_search(objects.restarts, change.title, {}, &Restart::workload);
    }

    void put(OutlineSection section) {
        if (!section.lines.empty()) {
            outline_.sections.push_back(std::move(section));
        }
    }

    void add_devices(const DevicePlan& plan) {
        std::map<DeviceEdit, std::size_t> counts;
        OutlineSection section;
        for (const DeviceChange& change : plan.changes) {
            ++counts[change.edit];
            section.lines.push_back(device_line(change));
        }
        std::vector<std::string> words;
        words.reserve(counts.size());
        for (const auto& [edit, count] : counts) {
            words.push_back(fmt::format("{} {}", count, name_of(edit)));
        }
        section.title = fmt::format("Devices{}: {}", suffix_, fmt::join(words, ", "));
        put(std::move(section));
    }

    void add_kept(const std::vector<KeptChange>& changes, bool begins) {
        OutlineSection section;
        for (const KeptChange& change : changes) {
            if (change.begins == begins) {
                section.lines.push_back(
                    {'~',
                     fmt::format("{}: {}", code(change.hostname), code(change.parent)),
                     {safe(change.reason)}});
            }
        }
        section.title = fmt::format("{}{}: {}", begins ? "Kept as they are" : "Applied again",
                                    suffix_, counted(section.lines.size(), "device"));
        put(std::move(section));
    }

    void add_reach(const DevicePlan& plan, bool added) {
        OutlineSection section;
        for (const ReachChange& change : plan.reach) {
            if (!change.offer.is_public && change.added == added) {
                section.lines.push_back(reach_line(change, added ? '+' : '-'));
            }
        }
        section.title = fmt::format("{} from the tailnet{}: {}",
                                    added ? "Becomes reachable" : "No longer reachable", suffix_,
                                    counted(section.lines.size(), "endpoint"));
        put(std::move(section));
    }

    void add_restarts(const ObjectChanges& objects) {
        OutlineSection section;
        for (const Restart& restart : objects.restarts) {
            section.lines.push_back(restart_line(restart));
        }
        section.title = fmt::format("Pods that restart{}: those of {}", suffix_,
                                    counted(section.lines.size(), "workload"));
        section.lines = merged(section.lines);
        put(std::move(section));
    }

    // Adds the differences of objects that users wrote. add_generated adds the others.
    void add_objects(const ObjectChanges& objects) {
        OutlineSection section;
        for (const ObjectChange& change : objects.changes) {
            if (!change.generated) {
                section.lines.push_back(object_line(change, does_restart(objects, change)));
            }
        }
        section.title =
            fmt::format("Objects{}: {}", suffix_, counted(section.lines.size(), "difference"));
        section.lists_objects = true;
        put(std::move(section));
    }

    // Objects that are added or removed with a parent share one line.
    void add_generated(const ObjectChanges& objects) {
        OutlineSection section{.weight = Weight::Noise, .lists_generated = true};
        std::map<std::pair<std::string, ObjectEdit>, std::vector<std::string>> groups;
        std::size_t count = 0;
        for (const ObjectChange& change : objects.changes) {
            if (!change.generated) {
                continue;
            }
            ++count;
            if (change.parent.empty() || change.edit == ObjectEdit::Changed) {
                section.lines.push_back(object_line(change, does_restart(objects, change)));
                if (change.edit != ObjectEdit::Changed) {
                    section.weight = Weight::Normal;
                }
            } else {
                groups[{change.parent, change.edit}].push_back(code(change.title));
            }
        }
        section.lines = merged(section.lines);
        if (!groups.empty()) {
            section.weight = Weight::Normal;  // what is added or removed is never folded
        }
        for (auto& [group, titles] : groups) {
            section.lines.push_back(
                {.mark = group.second == ObjectEdit::Added ? '+' : '-',
                 .text =
                     fmt::format("{} of {}", counted(titles.size(), "object"), code(group.first)),
                 .details = {fmt::format("{}", fmt::join(titles, ", "))},
                 .names_in_details = true});
        }
        section.title =
            fmt::format("Generated objects{}: {}", suffix_, counted(count, "difference"));
        section.lists_objects = true;
        put(std::move(section));
    }

    Outline& outline_;
    std::string suffix_;
};

std::string summary_of(const Comparison& comparison) {
    std::size_t changed = 0;
    std::size_t unchanged = 0;
    std::size_t moved = 0;
    bool has_devices = false;  // any device changes
    for (const ClusterComparison& cluster : comparison.clusters) {
        has_devices = has_devices || !cluster.devices.changes.empty();
        changed += cluster.objects.changes.size();
        unchanged += cluster.objects.unchanged;
        moved += cluster.objects.moved;
    }
    std::string text = changed > 0 ? counted(changed, "object") + " differ"
                       : has_devices || !comparison.is_equal() ? "no object differs"
                                                               : "no difference";
    text += changed == 1 ? "s" : "";
    text += fmt::format("; {} unchanged", unchanged);
    return moved == 0 ? text : fmt::format("{}, {} of them in another file", text, moved);
}

}  // namespace

std::string code(std::string_view text) {
    return fmt::format("{}{}{}", kCode, safe(text), kCodeEnd);
}

std::string safe(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const CharacterAt character = character_at(text, at);
        if (character.printable) {
            out.append(text, at, character.size);
        } else if (!character.is_utf8) {
            out += '?';
        } else {
            fmt::format_to(std::back_inserter(out),
                           fmt::runtime(character.code < 0x80 ? "\\x{:02x}" : "\\u{:04x}"),
                           character.code);
        }
        at += character.size;
        if (out.size() > kMaxCode && at < text.size()) {
            return out + "…";
        }
    }
    return out;
}

Outline outline_of(const Comparison& comparison) {
    Outline outline;
    for (const bool is_hidden : {true, false}) {
        for (const std::string& warning : comparison.warnings) {
            if (warning.ends_with(kHiddenExposure) == is_hidden) {
                outline.warnings.push_back({'!', warning_text(warning, comparison), {}});
            }
        }
    }
    Writer writer(outline);
    if (!comparison.alone.empty()) {
        const bool is_head = comparison.alone == "HEAD";
        outline.note =
            fmt::format("{} {} cannot be rendered, so nothing is compared: this is {} alone",
                        is_head ? "BASE" : "HEAD",
                        code(is_head ? comparison.base : comparison.head), comparison.alone);
        outline.summary = "nothing is compared";
        writer.add_public(comparison, true);
        for (const ClusterComparison& cluster : comparison.clusters) {
            writer.add_alone(comparison, cluster);
        }
        return outline;
    }
    outline.summary = summary_of(comparison);
    outline.absences = absences_of(comparison);
    writer.add_public(comparison, true);
    writer.add_public(comparison, false);
    writer.add_access(comparison);
    for (const ClusterComparison& cluster : comparison.clusters) {
        writer.add_cluster(comparison, cluster);
    }
    return outline;
}

}  // namespace renderer::diff
