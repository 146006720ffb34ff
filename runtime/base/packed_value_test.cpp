#include "runtime/base/packed_value.h"

#include <gtest/gtest.h>

namespace runtime::inline base {
namespace {

using renderer::Value;

Value tree() {
    return Value::map({{"conditions", Value::list({Value::map({{"type", "Ready<1>"}, {"n", 7}})})},
                       {"empty", Value::map()},
                       {"null", Value()}});
}

TEST(PackedValue, IsUnpackedAsItWas) {
    EXPECT_EQ(PackedValue(tree()).unpack(), tree());
    EXPECT_EQ(PackedValue(Value::map()).unpack(), Value::map());
    EXPECT_TRUE(PackedValue().unpack().is_null());
    EXPECT_EQ(PackedValue(Value()), PackedValue());
}

TEST(PackedValue, DiffersWhereItsTreeDoes) {
    Value other = tree();
    EXPECT_EQ(PackedValue(other), PackedValue(tree()));
    other.put("null", 1);
    EXPECT_NE(PackedValue(other), PackedValue(tree()));
}

TEST(PackedValue, KnowsWordsThatItCannotHold) {
    EXPECT_TRUE(PackedValue(tree()).may_say("Ready"));
    EXPECT_FALSE(PackedValue(tree()).may_say("Absent"));
    EXPECT_FALSE(PackedValue().may_say("Ready"));
}

}  // namespace
}  // namespace runtime::inline base
