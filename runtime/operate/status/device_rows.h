// The rows of `status`: the lines of `tailrender-devices` (testdata/contract/controller.md),
// corrected by the present StatefulSets and pods. A pure function.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/operate/kube_jobs.h"

namespace runtime::operate {

struct StatusInputs {
    std::string_view table;  // the lines that the controller has written
    bool is_table_known;     // false: it may not be read
    bool is_apart_known;     // false: the API proxy's own namespace may not be read
    const Listed& sets;
    const Listed& pods;
    const Listed& secrets;  // empty unless the table is empty
};

// Returns the rows, sorted by pod. `problem` also has the reason why the pod does not run, and
// `created` is set if the pod exists.
std::vector<renderer::Value> device_rows(const StatusInputs& inputs);

// Parses one JSON object a line, and skips other lines.
std::vector<renderer::Value> read_lines(std::string_view lines);

}  // namespace runtime::operate
