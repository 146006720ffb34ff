#include "renderer/generate/substitution.h"

#include <gtest/gtest.h>

#include "renderer/core/json.h"

namespace renderer::generate {
namespace {

std::string kept(Value text, Value annotations = Value::map()) {
    Value object = Value::map({{"kind", "ConfigMap"}, {"metadata", Value::map({{"name", "a"}})}});
    object.find("metadata")->add("annotations", std::move(annotations));
    object.add("data", Value::map({{"b", Value::list({std::move(text)})}}));
    keep_from_substitution(object);
    return write_json(*object.at({"metadata", "annotations"}));
}

constexpr const char* kDisabled = R"({"kustomize.toolkit.fluxcd.io/substitute":"disabled"})";

TEST(Substitution, WhatFluxWouldFillInIsMarked) {
    for (const std::string_view text :
         {"${VAR}", "a$${VAR}b", "${VAR:=x}", "${", "x${not closed"}) {
        EXPECT_EQ(kept(text), kDisabled) << text;
    }
}

TEST(Substitution, WhatFluxLeavesAloneIsNot) {
    for (const std::string_view text : {"$VAR", "$(VAR)", "{VAR}", "$$", "$ {VAR}", ""}) {
        EXPECT_EQ(kept(text), "{}") << text;
    }
    EXPECT_EQ(kept(80), "{}");
}

TEST(Substitution, AnObjectWithoutAnnotationsGetsThem) {
    Value object = Value::map({{"metadata", Value::map({{"name", "a"}})}, {"data", "${A}"}});
    keep_from_substitution(object);
    EXPECT_EQ(write_json(*object.at({"metadata", "annotations"})), kDisabled);
}

TEST(Substitution, OtherAnnotationsStay) {
    EXPECT_EQ(kept("${A}", Value::map({{"a", "b"}})),
              R"({"a":"b","kustomize.toolkit.fluxcd.io/substitute":"disabled"})");
    EXPECT_EQ(kept("a", Value::map({{"b", "${A}"}})),
              R"({"b":"${A}","kustomize.toolkit.fluxcd.io/substitute":"disabled"})");
    EXPECT_EQ(kept("${A}", Value::map({{"kustomize.toolkit.fluxcd.io/substitute", "enabled"}})),
              R"({"kustomize.toolkit.fluxcd.io/substitute":"enabled"})");
}

}  // namespace
}  // namespace renderer::generate
