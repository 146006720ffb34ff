// The rows of `status`: the lines of `tailrender-devices` (testdata/contract/controller.md), set
// right by what StatefulSets and pods say now. A pure function.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/operate/kube_jobs.h"

namespace runtime {

struct StatusInputs {
    std::string_view table;  // what the controller has written down
    bool is_table_known;     // else it may not be read
    const Listed& sets;
    const Listed& pods;
    const Listed& secrets;  // empty unless the table is
};

// Sorted by pod. `problem` has what keeps the pod from running
// as well, and `created` is there when its pod is.
std::vector<renderer::Value> device_rows(const StatusInputs& inputs);

// One JSON object a line.
std::vector<renderer::Value> read_lines(std::string_view lines);

}  // namespace runtime
