#include "renderer/plan/checks/own_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "renderer/plan/dataplanes.h"

namespace renderer::plan {

namespace {

// An image of ours: its setting, and how plugins/image/README.md says that it is made.
struct OwnImage {
    std::string_view key, name, target;
    const Image& image;
};

// An input whose pods need the image.
struct ImageNeed {
    Pos pos;
    std::string object, text;
    Pos chosen = {};          // of what chose the dataplane
    bool has_choice = false;  // the stock image would do
};

using ImageNeeds = std::map<std::uint32_t, std::vector<ImageNeed>>;  // by bundle

std::string build_commands(const OwnImage& own, bool has_choice) {
    const std::string name = fmt::format("registry.example.com/{}:{}", own.name, own.image.tag);
    return fmt::format(
        "build it in a clone of tailrender, push it to a registry of yours, and name it{}\n"
        "    buildah build --file plugins/image/Containerfile --target {} --timestamp 0 --tag {} "
        ".\n"
        "    buildah push {}\n"
        "    --set tailrender.{}.repository=registry.example.com/{} (or the same in the values)",
        has_choice ? ", or choose \"containerboot\" for Tailscale's own:" : ":", own.target, name,
        name, own.key, own.name);
}

void report(const OwnImage& own, std::vector<ImageNeed> needs, Diagnostics& diagnostics) {
    std::ranges::sort(needs, {}, &ImageNeed::pos);
    const std::string setting = fmt::format("tailrender.{}", own.key);
    const ImageNeed& first = needs.front();
    std::vector<Note> notes;
    Pos last_chosen;
    bool has_choice = false;
    for (const ImageNeed& need : needs) {
        if (&need != &first) {
            notes.push_back({.pos = need.pos, .object = need.object, .text = need.text});
        }
        has_choice = has_choice || need.has_choice;
        if (need.chosen.known() && need.chosen != last_chosen) {
            notes.push_back({.pos = need.chosen, .text = "\"native\" is chosen here"});
            last_chosen = need.chosen;
        }
    }
    diagnostics
        .error("missing-image", first.pos,
               fmt::format("{}, and \"{}\" has no repository", first.text, setting))
        .object(first.object)
        .where(first.pos.known() ? "" : setting)
        .expected(fmt::format("the image of {} in a registry that the cluster can reach", own.name))
        .hint(build_commands(own, has_choice))
        .notes(std::move(notes));
}

void report_all(const OwnImage& own, const ImageNeeds& needs, Diagnostics& diagnostics) {
    if (own.image.is_named()) {
        return;
    }
    for (const auto& [bundle, of_bundle] : needs) {
        report(own, of_bundle, diagnostics);
    }
}

}  // namespace

void check_own_images(const classify::OperatorInput& stock, const load::Loaded& loaded,
                      const Plan& plan, Diagnostics& diagnostics) {
    ImageNeeds runtime, native;
    const std::string controller = "the controller runs tailrender-runtime";
    if (plan.install) {
        const Origin& origin = plan.install->origin;
        runtime[plan.install->bundle].push_back({origin.pos, origin.parent, controller});
    } else if (stock.deployment != nullptr && loaded.is_stream) {
        runtime[stock.deployment->bundle].push_back(
            {stock.deployment->kind.pos(), stock.deployment->object_name(), controller});
    }
    for (const Workload& one : plan.workloads) {
        if (one.as<NameserverPlan>() != nullptr) {
            runtime[one.bundle].push_back(
                {one.origin.pos, one.origin.parent, "its pods run tailrender-runtime"});
        } else if (one.dataplane == Dataplane::Native) {
            native[one.bundle].push_back({one.origin.pos, one.origin.parent, user_of(one).text,
                                          one.dataplane_pos, one.as<ApiProxyPlan>() == nullptr});
        }
    }
    report_all({"image", "tailrender-runtime", "runtime", plan.settings.image}, runtime,
               diagnostics);
    report_all({"proxyImage", kOwnImageName, "proxy", plan.settings.native_image}, native,
               diagnostics);
}

}  // namespace renderer::plan
