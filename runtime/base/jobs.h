// Asynchronous jobs on one thread. Each job calls its `Next` once when it has finished: with the
// problem, or with an empty string.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace runtime::inline base {

using Next = std::function<void(std::string problem)>;
using Job = std::function<void(Next)>;

// Runs the jobs one after another. Stops at the first problem: the remaining jobs do not run.
void run_in_order(std::vector<Job> jobs, Next done);
// Returns a job that runs the jobs in order. It may be run several times.
Job in_order(std::vector<Job> jobs);

// Runs up to `width` jobs at a time. After the first problem no job is started; `done` is called
// with that problem when the running jobs have finished.
void run_side_by_side(std::vector<Job> jobs, std::size_t width, Next done);

}  // namespace runtime::inline base
