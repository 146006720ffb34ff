// Things that take time, one after the other, without a thread: each job calls what it is given
// when it is done, with what went wrong or with nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace runtime {

using Next = std::function<void(std::string problem)>;
using Job = std::function<void(Next)>;

// Ends with the first problem; the jobs behind it do not run.
void run_in_order(std::vector<Job> jobs, Next done);

}  // namespace runtime
