#include "renderer/plan/workload/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/ascii.h"
#include "renderer/contract/auth_secret.h"
#include "renderer/contract/config_secret.h"
#include "renderer/contract/environment.h"
#include "renderer/contract/state_secret.h"
#include "renderer/kube/name_grammar.h"
#include "renderer/plan/checks/metadata_checks.h"
#include "renderer/plan/custom_resources.h"
#include "renderer/plan/dataplanes.h"
#include "renderer/plan/device_tags.h"
#include "renderer/plan/grammar.h"
#include "renderer/plan/parents.h"
#include "renderer/plan/start_workload.h"
#include "renderer/plan/tailnets.h"

namespace renderer::plan {

namespace {

constexpr std::string_view kRecorderRule = "recorder: a Recorder";
constexpr std::string_view kRecorderTag = "tag:k8s";  // independent of proxyConfig.defaultTags
constexpr std::string_view kLocalRecordings = "/data/recordings";
// The limit of a StatefulSet's name: the label controller-revision-hash adds up to eleven bytes to
// it.
constexpr std::size_t kMaxStatefulSet = 52;
constexpr std::size_t kMaxAccount = 63;

// Matches the CRD's pattern: dots are allowed anywhere inside, unlike in a DNS name.
bool is_account_name(std::string_view name) {
    return name.size() <= kMaxAccount && is_lower_or_digit(name.front()) &&
           is_lower_or_digit(name.back()) && std::ranges::all_of(name, [](char c) {
               return is_lower_or_digit(c) || c == '-' || c == '.';
           });
}

class RecorderPlanner {
public:
    RecorderPlanner(const classify::CustomResource& recorder, const ProxyInputs& inputs,
                    Diagnostics& diagnostics)
        : recorder_(recorder),
          inputs_(inputs),
          out_(diagnostics),
          spec_(recorder.fields()),
          pod_(recorder.fields_at({"statefulSet", "pod"})),
          container_(pod_.map("container")),
          account_(pod_.map("serviceAccount")),
          s3_(recorder.fields_at({"storage", "s3"})) {}

    Workload run() {
        check_custom_resource(recorder_, out_);
        check_name();
        check_storage();
        check_pod();
        refuse_native(recorder_, "pods of a Recorder", out_);
        Workload made = start_workload(recorder_, kRecorderRule, inputs_);
        made.labels = {{"app.kubernetes.io/name", "recorder"},
                       {"app.kubernetes.io/instance", made.name}};
        if (const std::string_view account = account_.text("name"); !account.empty()) {
            made.account = account;
        }
        claim_names(made);
        name_hosts(made);
        made.tags = device_tags(tags(), inputs_.settings);
        made.tailnet = spec_.text("tailnet");
        made.server_url =
            inputs_.tailnets.server_url(recorder_, {made.tailnet, spec_.pos("tailnet")}, out_);
        made.image = container_.text("image");
        if (made.image.empty()) {
            made.image = fmt::format("tailscale/tsrecorder:{}", inputs_.settings.release.tag);
        }
        made.pull_policy = container_.text("imagePullPolicy");
        made.target_text = s3_.exists() ? fmt::format("s3://{}", s3_.text("endpoint"))
                                        : std::string(kLocalRecordings);
        made.volumes = {{kAuthDatum, "auth", kAuthDatum, kServeFolder}};
        fill_environment(made);
        made.feature = RecorderPlan{&recorder_};
        return made;
    }

private:
    void refuse(std::string_view rule, Pos pos, std::string message, std::string_view expected,
                std::string_view hint) {
        classify::about(recorder_, out_)
            .error(rule, pos.known() ? pos : recorder_.pos(), std::move(message))
            .expected(expected)
            .hint(hint);
    }

    // The names of its pods, "<name>-0", must be DNS labels.
    void check_name() {
        const bool is_name = is_dns1123_subdomain(recorder_.name);
        if (is_name && recorder_.name.size() > kMaxStatefulSet) {
            refuse("name-too-long", recorder_.name_pos(), "the name is too long for a StatefulSet",
                   fmt::format("at most {} bytes", kMaxStatefulSet), "choose a shorter name");
        } else if (is_name && recorder_.name.find('.') != std::string_view::npos) {
            refuse("invalid-object", recorder_.name_pos(),
                   "a name with dots cannot be the hostname of a pod",
                   "lower-case letters, digits and \"-\"", "");
        }
    }

    [[nodiscard]] std::int64_t replicas() const { return spec_.number("replicas").value_or(1); }

    void check_storage() {
        if (replicas() < 0 || replicas() > kMaxReplicas) {
            report_invalid(recorder_, spec_.pos("replicas"), "spec.replicas is out of range",
                           fmt::format("{}", replicas()),
                           fmt::format("a number from 0 to {}", kMaxReplicas), out_);
        }
        if (replicas() > 1 && !s3_.exists()) {
            refuse("recorder-storage", spec_.pos("replicas"),
                   "several replicas must store recordings in S3",
                   "spec.storage.s3, or one replica", "");
        } else if (!spec_.flag("enableUI") && !s3_.exists() && recorder_.faults.empty()) {
            refuse("recorder-storage", recorder_.pos(), "no one could access the recordings",
                   "\"enableUI: true\" or \"storage.s3\" in spec", "");
        }
        for (const std::string_view field : {"endpoint", "bucket"}) {
            if (s3_.exists() && s3_.text(field).empty() && recorder_.faults.empty()) {
                classify::about(recorder_, out_)
                    .warning("recorder-storage", recorder_.pos(),
                             fmt::format("recordings cannot be stored in S3: spec.storage.s3.{} is "
                                         "missing",
                                         field))
                    .expected(field == "bucket"
                                  ? "the name of a bucket"
                                  : "a host, such as \"s3.eu-central-1.amazonaws.com\"")
                    .hint(fmt::format("set spec.storage.s3.{}", field));
            }
        }
    }

    void check_pod() {
        const classify::Fields set = recorder_.fields_at({"statefulSet"});
        check_labels(recorder_, set.map("labels"), out_);
        check_labels(recorder_, pod_.map("labels"), out_);
        check_annotations(recorder_, set.map("annotations"), out_);
        check_annotations(recorder_, pod_.map("annotations"), out_);
        check_annotations(recorder_, account_.map("annotations"), out_);
        for (const classify::EnvInput& env : container_.env("env")) {
            if (env.name == variable::kPodName) {
                refuse("reserved-env", env.pos, "other variables of the container use \"POD_NAME\"",
                       "a variable that no other variable refers to", "remove it");
            } else if (!is_env_name(env.name)) {
                report_invalid(recorder_, env.pos,
                               fmt::format("invalid environment variable name \"{}\"", env.name),
                               "", "letters, digits, \"-\", \"_\" and \".\", no digit first", out_);
            }
        }
        const std::string_view account = account_.text("name");
        if (!account.empty() && !is_account_name(account)) {
            report_invalid(recorder_, account_.pos("name"),
                           fmt::format("invalid ServiceAccount name \"{}\"", account), "",
                           "lower-case letters, digits, \"-\" and \".\", at most 63", out_);
        }
    }

    void claim_names(Workload& made) {
        made.claim({"Role", "RoleBinding", "StatefulSet"}, made.name);
        made.claims.push_back({"ServiceAccount", made.account,
                               made.account == made.name ? made.origin.pos : account_.pos("name")});
    }

    void name_hosts(Workload& made) {
        made.hostname_pos = recorder_.name_pos();
        made.hostname_advice = "rename the Recorder";
        const auto count = std::clamp<std::int64_t>(replicas(), 0, kMaxReplicas);
        for (std::int64_t i = 0; i < count; ++i) {
            made.hostnames.push_back(fmt::format("{}-{}{}", made.name, i, hostname_end()));
        }
        if (!made.hostnames.empty() && made.hostnames.back().size() > kMaxLabel) {
            refuse("invalid-hostname", recorder_.name_pos(),
                   fmt::format("invalid hostname \"{}\": {}", made.hostnames.back(),
                               dns_label_error(made.hostnames.back())),
                   "1 to 63 letters, digits and dashes, no dash at either end",
                   "choose a shorter name");
        }
    }

    [[nodiscard]] std::string hostname_end() const {
        const std::string& suffix = inputs_.settings.hostname_suffix;
        return suffix.empty() ? "" : "-" + suffix;
    }

    // Variables refer to $(POD_NAME), which the kubelet replaces with the pod's name.
    void fill_environment(Workload& made) {
        made.env = {
            {variable::kAuthKeyFile,
             fmt::format("{}/{}/{}", kServeFolder, variable::kPodNameValue, kAuthDatum)},
            {variable::kState, std::string(kStateOfPod)},
            {"TSRECORDER_HOSTNAME", fmt::format("{}{}", variable::kPodNameValue, hostname_end())},
            {"TSRECORDER_LOGIN_SERVER",
             std::string(spelled_server(made.release, made.server_url))}};
        for (const classify::EnvInput& users : container_.env("env")) {
            made.env.push_back({users.name, std::string(users.value)});
        }
        made.env.push_back({"TSRECORDER_DST", made.target_text});
        if (s3_.exists()) {
            made.env.push_back({"TSRECORDER_BUCKET", std::string(s3_.text("bucket"))});
        }
        if (spec_.flag("enableUI")) {
            made.env.push_back({"TSRECORDER_UI", "true"});
        }
    }

    std::vector<std::string> tags() {
        const std::vector<classify::TextInput> wanted = spec_.texts("tags");
        check_tags(recorder_, wanted, "tag:recorder", out_);
        return spec_tags(wanted, {std::string(kRecorderTag)});
    }

    const classify::CustomResource& recorder_;
    const ProxyInputs& inputs_;
    Diagnostics& out_;
    classify::Fields spec_, pod_, container_, account_, s3_;
};

}  // namespace

std::vector<Workload> plan_recorders(const classify::Inventory& inventory,
                                     const ProxyInputs& inputs, Diagnostics& diagnostics) {
    std::vector<Workload> recorders;
    for (const classify::CustomResource& recorder : inventory.of(kind_of("Recorder"))) {
        if (is_rendered(inputs.loaded, *recorder.doc)) {
            recorders.push_back(RecorderPlanner(recorder, inputs, diagnostics).run());
        }
    }
    std::ranges::stable_sort(recorders, {}, &Workload::name);
    return recorders;
}

}  // namespace renderer::plan
