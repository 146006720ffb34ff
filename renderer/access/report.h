// Prints who may reach what: a table for people, JSON for programs (docs/formats.md).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/access/evaluate.h"
#include "renderer/core/json.h"
#include "renderer/core/source_map.h"

namespace renderer::access {

// The devices of one cluster that are in the tailnet of the policy.
struct Cluster {
    std::string name;  // "" if it has none
    std::vector<Device> devices;
    std::vector<Egress> egress;
};

struct Question {
    std::vector<Selector> from = {};  // none: whoever the rules name
    std::string device = {};          // "": all
    int port = -1;                    // -1: all
    bool why = false;                 // name the rules

    [[nodiscard]] bool asks(const Device& one) const {
        return device.empty() || one.name == device;
    }
    [[nodiscard]] bool asks(const Endpoint& one) const {
        return port < 0 || one.kind != Endpoint::Kind::Port || one.port == port;
    }
};

// Rules of which it is unknown whether they mean a device, in the order of the file.
class UnknownRules {
public:
    // `rules` is one of the evaluator's lists.
    void add(const std::vector<const Rule*>& rules) {
        if (lists_.insert(&rules).second) {
            all_.insert(rules.begin(), rules.end());
        }
    }
    void add(const Access& access) { all_.insert(access.rules.begin(), access.rules.end()); }
    [[nodiscard]] const std::set<const Rule*>& all() const { return all_; }

private:
    std::set<const std::vector<const Rule*>*> lists_;
    std::set<const Rule*> all_;  // of one vector
};

// Returns "policy.hujson:7 (grants)". The sources are those of the policy file.
std::string rule_text(const Rule& rule, const SourceMap& sources);

// Returns "no", "unknown", "part" or "yes".
std::string_view word_of(Match match);

// A report, in pieces that follow each other, so that one cluster at a time is in memory. What it
// is made from must outlive it; the sources are those of the policy file.
class TextReport {
public:
    TextReport(const Question& question, Evaluator& evaluator, const SourceMap& sources)
        : question_(question), evaluator_(evaluator), sources_(sources) {}
    std::string add(const Cluster& cluster);
    [[nodiscard]] std::string end() const;

private:
    const Question& question_;
    Evaluator& evaluator_;
    const SourceMap& sources_;
    UnknownRules unknown_;
    bool is_empty_ = true;
};

class JsonReport {
public:
    JsonReport(const Question& question, const Policy& policy, Evaluator& evaluator,
               const SourceMap& sources)
        : question_(question), policy_(policy), evaluator_(evaluator), sources_(sources) {}
    std::string begin();
    std::string add(const Cluster& cluster);
    std::string end();

private:
    const Question& question_;
    const Policy& policy_;
    Evaluator& evaluator_;
    const SourceMap& sources_;
    UnknownRules unknown_;
    JsonPieces pieces_;
};

}  // namespace renderer::access
