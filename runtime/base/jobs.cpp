#include "runtime/base/jobs.h"

#include <memory>
#include <utility>

namespace runtime {

namespace {

struct Chain {
    std::vector<Job> jobs;
    std::size_t next = 0;
    Next done;
};

void advance(const std::shared_ptr<Chain>& chain, std::string problem) {
    if (!problem.empty() || chain->next == chain->jobs.size()) {
        return chain->done(std::move(problem));
    }
    const Job& job = chain->jobs[chain->next++];
    job([chain](std::string its_problem) { advance(chain, std::move(its_problem)); });
}

}  // namespace

void run_in_order(std::vector<Job> jobs, Next done) {
    advance(std::make_shared<Chain>(Chain{std::move(jobs), 0, std::move(done)}), {});
}

}  // namespace runtime
