#include "runtime/recording/acks.h"

#include <gtest/gtest.h>

namespace runtime::recording {
namespace {

TEST(Acks, AreReadInAnyPieces) {
    const std::string_view said =
        "{}\n{\"ack\":3}\n{\"ack\":7,\"more\":{\"ack\":99,\"error\":\"x\"}}{\"ack\":5}\n";
    for (std::size_t cut = 0; cut <= said.size(); ++cut) {
        AckReader acks;
        EXPECT_EQ(acks.take(said.substr(0, cut), 7), std::nullopt);
        EXPECT_EQ(acks.take(said.substr(cut), 7), std::nullopt);
        EXPECT_EQ(acks.acknowledged(), 7U);
        EXPECT_EQ(acks.frames(), 4U);
        EXPECT_TRUE(acks.is_between());
    }
}

TEST(Acks, AnErrorIsAProblem) {
    AckReader acks;
    EXPECT_EQ(acks.take("{\"ack\":1}{\"error\":\"disk full\"}", 1), "it says \"disk full\"");
    EXPECT_EQ(acks.take("{\"ack\":1}", 1), "it says \"disk full\"");
    EXPECT_EQ(acks.acknowledged(), 1U);
}

TEST(Acks, WhatFollowsAnErrorTakesNothingBack) {
    AckReader acks;
    EXPECT_EQ(acks.take("{\"error\":\"disk full\"}{\"error\":\"\"", 1), "it says \"disk full\"");
    AckReader none;
    EXPECT_EQ(none.take("{\"error\":\"\"}", 1), std::nullopt);
}

TEST(Acks, NoOneHasMoreThanWasSent) {
    AckReader acks;
    EXPECT_EQ(acks.take("{\"ack\":2}", 1), "it acknowledges 2 bytes of 1");
}

TEST(Acks, OtherInputIsMalformed) {
    for (const std::string_view said :
         {"[]", "1 ", "\"x\"", "{\"ack\":-1}", "{\"ack\":1.5}", "{\"ack\":\"1\"}", "{\"ack\":1e3}",
          "{\"ack\":18446744073709551616}", "{\"ack\":true}", "{\"error\":1}", "x ", "{\"ack\"}",
          "null "}) {
        AckReader acks;
        EXPECT_EQ(acks.take(said, 100), "its acknowledgements are malformed") << said;
        EXPECT_EQ(acks.take("{\"ack\":1}", 100), "its acknowledgements are malformed") << said;
        EXPECT_EQ(acks.acknowledged(), 0U) << said;
    }
}

}  // namespace
}  // namespace runtime::recording
