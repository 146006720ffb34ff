#include "renderer/kube/metadata_rules.h"

#include "renderer/base/ascii.h"
#include "renderer/core/text_of.h"
#include "renderer/kube/name_grammar.h"

namespace renderer::inline kube {

namespace {

void check_prefix(std::string_view prefix, std::vector<KeyFault>& faults) {
    if (prefix.empty()) {
        faults.push_back(KeyFault::NoPrefix);
        return;
    }
    if (prefix.size() > kMaxSubdomain) {
        faults.push_back(KeyFault::LongPrefix);
    }
    if (!is_dotted_name(prefix)) {
        faults.push_back(KeyFault::BadPrefix);
    }
}

}  // namespace

std::vector<KeyFault> key_faults(std::string_view key) {
    std::vector<KeyFault> faults;
    std::string_view name = key;
    if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
        name.remove_prefix(slash + 1);
        if (name.find('/') != std::string_view::npos) {
            return {KeyFault::ManySlashes};
        }
        check_prefix(key.substr(0, slash), faults);
    }
    if (name.empty()) {
        faults.push_back(KeyFault::NoName);
    } else if (name.size() > kMaxLabel) {
        faults.push_back(KeyFault::LongName);
    }
    if (!is_name_of(name, is_alphanumeric, "-_.")) {
        faults.push_back(KeyFault::BadName);
    }
    return faults;
}

std::vector<KeyFault> annotation_key_faults(std::string_view key) {
    return key_faults(lower_case(key));
}

std::size_t annotations_size(const Value& annotations) {
    std::size_t size = 0;
    for (const Member& annotation : annotations.members()) {
        size += annotation.name().size() + text_of(annotation.value).size();
    }
    return size;
}

}  // namespace renderer::inline kube
