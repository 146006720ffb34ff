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
// The same as one job, which can be run again.
Job in_order(std::vector<Job> jobs);

// As many at a time as `width`. Ends with the first problem, when those that ran then have ended;
// no others begin.
void run_side_by_side(std::vector<Job> jobs, std::size_t width, Next done);

}  // namespace runtime
