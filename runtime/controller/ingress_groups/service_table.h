// The table of Tailscale Services in `tailrender-devices`, for people and for `tailrender-runtime
// status`. Shape: testdata/contract/controller.md. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/controller/object_status/group_status.h"

namespace runtime::controller {

inline constexpr std::size_t kServicesLimit = 100'000;  // bytes, beside the table of devices

// Returns as many lines as fit. If that is not all of them, the last line says how many are left
// out.
std::string lines_that_fit(std::string table, std::size_t limit);

struct ToldService {
    OfferedState state;
    std::string problem = {};  // why its step has failed again and again
};

// Returns one JSON object a line, by key of the record: the offered services, and those that are
// only recorded.
std::string services_table(const ServiceRecords& records,
                           const std::map<std::string, ToldService>& offered);

// The entry of a service of which nothing else is known yet.
renderer::Value waiting_service(const Offer& offer, std::string_view group);

}  // namespace runtime::controller
