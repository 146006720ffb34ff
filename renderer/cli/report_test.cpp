#include "renderer/cli/report.h"

#include <gtest/gtest.h>

namespace renderer {
namespace {

TEST(Report, AlignsDevicesAndShowsWhatIsPublic) {
    SourceMap sources;
    const SourceId source = sources.add("apps/web.yaml", "a\nb\nc\n");
    Plan plan;
    plan.devices.push_back(
        {"shop-web", "Service", "tag:k8s", "shop/web", false, sources.pos(source, 0)});
    plan.devices.push_back(
        {"münchen", "Ingress", "tag:a,tag:b", "shop/a, shop/b", true, sources.pos(source, 4)});
    plan.devices.push_back(
        {"nas", "Connector", "tag:k8s", "exit node", false, sources.pos(source, 2), "partner"});
    EXPECT_EQ(
        device_table(plan, sources, false),
        "HOSTNAME  KIND       TAGS         TAILNET  TARGET          EXPOSED  SOURCE\n"
        "shop-web  Service    tag:k8s               shop/web                 apps/web.yaml:1\n"
        "münchen   Ingress    tag:a,tag:b           shop/a, shop/b  PUBLIC   apps/web.yaml:3\n"
        "nas       Connector  tag:k8s      partner  exit node                apps/web.yaml:2\n"
        "PUBLIC: anyone on the internet can reach 1 device: münchen\n");
    const std::string colored = device_table(plan, sources, true);
    EXPECT_NE(colored.find("\033[1;37;41mPUBLIC\033[0m"), std::string::npos);
    EXPECT_NE(colored.find("\033[1mHOSTNAME\033[0m  "), std::string::npos);
}

TEST(Report, HasNoColumnForWhatDoesNotOccur) {
    SourceMap sources;
    const SourceId source = sources.add("a.yaml", "a\n");
    Plan plan;
    EXPECT_EQ(device_table(plan, sources, false), "no devices\n");
    plan.devices.push_back(
        {"web", "Service", "tag:k8s", "shop/web", false, sources.pos(source, 0)});
    EXPECT_EQ(device_table(plan, sources, false),
              "HOSTNAME  KIND     TAGS     TARGET    SOURCE\n"
              "web       Service  tag:k8s  shop/web  a.yaml:1\n");
}

TEST(Report, CountsObjectsDocumentsAndSkippedFiles) {
    Loaded loaded;
    loaded.skipped_files = 2;
    loaded.documents.resize(3);
    loaded.documents[0].kind = "Service";
    loaded.documents[1].kind = "ConfigMap";
    loaded.documents[1].reachable = false;
    Plan plan;
    plan.edits.resize(1);
    plan.summary.emplace_back("not rendered: traefik (chart traefik)");
    EXPECT_EQ(totals(loaded, plan, Objects(1)),
              "1 object generated; 1 document read, 1 edit in them\n"
              "skipped 2 files without Kubernetes documents\n"
              "not rendered: traefik (chart traefik)\n");
}

TEST(Report, ListsWhatWasWritten) {
    WriteReport report;
    report.created = {"a.yaml"};
    for (int i = 10; i < 40; ++i) {
        report.changed.push_back(std::to_string(i));
    }
    report.removed = {"z.yaml"};
    report.unchanged = 7;
    EXPECT_EQ(gone_summary("out/lab", {.created = {}, .changed = {}, .removed = {"a"}}),
              "out/lab: 1 removed, the cluster is no longer in .tailrender.yaml\n  removed  a\n");
    const std::string text = write_summary("out/home", report);
    EXPECT_TRUE(
        text.starts_with("out/home: 1 created, 30 changed, 1 removed, 7 unchanged\n"
                         "  created  a.yaml\n"
                         "  changed  10\n"))
        << text;
    EXPECT_TRUE(
        text.ends_with("  changed  34\n"
                       "  changed  … and 5 more\n"
                       "  removed  z.yaml\n"))
        << text;
}

}  // namespace
}  // namespace renderer
