// The table of Tailscale Services in `tailrender-devices`, for people and for `tailrender-runtime
// status`. Shape: testdata/contract/controller.md. Pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/controller/object_status/group_status.h"

namespace runtime::controller {

inline constexpr std::size_t kServicesLimit = 100'000;  // bytes, beside the table of devices

// As many lines as there is room for, and if that is not all of them a last one that says how many
// are left out.
std::string lines_that_fit(std::string table, std::size_t limit);

struct ToldService {
    OfferedState state;
    std::string problem = {};  // why what is to be done for it has failed again and again
};

// One JSON object a line, by the keys of their records: those that are offered, and those that are
// only remembered.
std::string services_table(const ServiceRecords& records,
                           const std::map<std::string, ToldService>& offered);

// Of one that nothing else is known of yet.
renderer::Value waiting_service(const Offer& offer, std::string_view group);

}  // namespace runtime::controller
