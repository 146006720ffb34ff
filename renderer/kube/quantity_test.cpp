#include "renderer/kube/quantity.h"

#include <gtest/gtest.h>

#include <utility>

namespace renderer::inline kube {
namespace {

TEST(Quantity, HasOneSpelling) {
    for (const auto& [text, canonical] : {std::pair<std::string_view, std::string_view>{"1", "1"},
                                          {"0.5", "500m"},
                                          {".5", "500m"},
                                          {"1.", "1."},
                                          {"+100m", "+100m"},
                                          {"1000m", "1"},
                                          {"1500m", "1500m"},
                                          {"1000M", "1G"},
                                          {"010", "010"},
                                          {"01000", "1k"},
                                          {"0", "0"},
                                          {"0.0Gi", "0"},
                                          {"-2", "-2"},
                                          {"1024Mi", "1Gi"},
                                          {"1.5Gi", "1536Mi"},
                                          {"0.5Gi", "512Mi"},
                                          {"0.5Ki", "512"},
                                          {"0.1Ki", "102400m"},
                                          {"1000Ki", "1000Ki"},
                                          {"1e3", "1e3"},
                                          {"10e2", "1e3"},
                                          {"5E0", "5E0"},
                                          {"1E3", "1E3"},
                                          {"1.5e3", "1500"},
                                          {"1.500", "1.500"},
                                          {"2.25", "2250m"},
                                          {"0.250", "250m"},
                                          {"1e-3", "1e-3"},
                                          {"1E", "1E"},
                                          {"0.0000000001", "1n"},
                                          {"1.9999999999", "2"},
                                          {"0.0000000011", "2n"},
                                          {"1.0001Mi", "1048680857600u"},
                                          {"1.1Gi", "1181116006400m"},
                                          {"1.25Gi", "1280Mi"},
                                          {"2050Mi", "2050Mi"},
                                          {"02050Mi", "02050Mi"},
                                          {"02048Mi", "2Gi"},
                                          {"7Ei", "7Ei"},
                                          {"8Ei", "9223372036854775807"},
                                          {"-17Ei", "-9223372036854775807"},
                                          {"1000E", "1000E"}}) {
        EXPECT_EQ(canonical_quantity(text), canonical) << text;
    }
}

TEST(Quantity, IsANumberAndASuffix) {
    for (const std::string_view text :
         {"", "-", ".", "m", "1x", "1 Gi", "1KI", "1ki", "1e", "1e+", "1ee3", "1.2.3", "0x10"}) {
        EXPECT_EQ(canonical_quantity(text), std::nullopt) << text;
    }
}

TEST(Quantity, ANumberIsWhatItsSpellingMeans) {
    for (const auto& [spelling, canonical] :
         {std::pair<std::string_view, std::string_view>{"1", "1"},
          {"1000", "1k"},
          {"1e3", "1k"},
          {"1.5E3", "1500"},
          {"2.0", "2"},
          {"+2", "2"},
          {"-2e0", "-2"},
          {"1_000", "1k"},
          {"0x10", "16"}}) {
        EXPECT_EQ(canonical_amount(Value::number(spelling)), canonical) << spelling;
    }
    for (const std::string_view spelling : {"0.5", "1e-3", "1e30", ".inf", ".nan"}) {
        EXPECT_EQ(canonical_amount(Value::number(spelling)), std::nullopt) << spelling;
    }
    EXPECT_EQ(canonical_amount("1e3"), "1e3");
    EXPECT_EQ(canonical_amount(Value(true)), std::nullopt);
    EXPECT_EQ(canonical_amount({}), std::nullopt);
}

}  // namespace
}  // namespace renderer::inline kube
