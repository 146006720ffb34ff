#include "runtime/base/jobs.h"

#include <memory>
#include <utility>

namespace runtime::inline base {

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

struct Lanes {
    std::vector<Job> jobs;
    std::size_t next = 0;
    std::size_t running = 0;
    std::string problem;
    Next done;
};

void advance_lane(const std::shared_ptr<Lanes>& lanes) {
    if (!lanes->problem.empty() || lanes->next == lanes->jobs.size()) {
        if (--lanes->running == 0) {
            lanes->done(lanes->problem);
        }
        return;
    }
    const Job& job = lanes->jobs[lanes->next++];
    job([lanes](std::string problem) {
        if (lanes->problem.empty()) {
            lanes->problem = std::move(problem);
        }
        advance_lane(lanes);
    });
}

}  // namespace

void run_in_order(std::vector<Job> jobs, Next done) {
    advance(std::make_shared<Chain>(Chain{std::move(jobs), 0, std::move(done)}), {});
}

Job in_order(std::vector<Job> jobs) {
    return [jobs = std::move(jobs)](Next next) { run_in_order(jobs, std::move(next)); };
}

void run_side_by_side(std::vector<Job> jobs, std::size_t width, Next done) {
    const auto lanes =
        std::make_shared<Lanes>(Lanes{std::move(jobs), 0, width, {}, std::move(done)});
    for (std::size_t i = 0; i < width; ++i) {
        advance_lane(lanes);
    }
}

}  // namespace runtime::inline base
