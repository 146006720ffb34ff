#include "renderer/kube/label_value.h"

#include <gtest/gtest.h>

namespace renderer::inline kube {
namespace {

// The hashes are from sha256sum.
TEST(ShortenedLabel, CutsWhatIsTooLong) {
    EXPECT_EQ(shortened_label(std::string(63, 'a')), std::string(63, 'a'));
    EXPECT_EQ(shortened_label(std::string(64, 'a')), std::string(54, 'a') + "-ffe054fe");
}

}  // namespace
}  // namespace renderer::inline kube
