// The checks of object_checks that are the same for every kind: namespace, labels, annotations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "renderer/classify/classify.h"
#include "renderer/core/diagnostics.h"

namespace renderer::plan {

// True if the parent has no name. A name that is not a string is reported by load.
bool lacks_name(const classify::ParentInput& parent);

void check_metadata(const classify::ParentInput& parent, Diagnostics& diagnostics);

// Check maps of labels or annotations anywhere in the parent; null if there is none.
void check_labels(const classify::ParentInput& parent, const Value* labels,
                  Diagnostics& diagnostics);
void check_label_values(const classify::ParentInput& parent, const Value* labels,
                        Diagnostics& diagnostics);
void check_annotations(const classify::ParentInput& parent, const Value* annotations,
                       Diagnostics& diagnostics);

// Report the errors of the checks above. `what` is "label" or "annotation".
void report_key(const classify::ParentInput& parent, std::string_view what, const Value& key,
                Diagnostics& diagnostics);
void report_size(const classify::ParentInput& parent, const Value& annotations,
                 Diagnostics& diagnostics);

// Checks tags of devices; `example` is a valid one.
void check_tags(const classify::ParentInput& parent, const std::vector<classify::TextInput>& tags,
                std::string_view example, Diagnostics& diagnostics);

// Reports the error `invalid-object` at a position in the parent.
void report_invalid(const classify::ParentInput& parent, Pos pos, std::string message,
                    std::string_view found, std::string_view expected, Diagnostics& diagnostics);

}  // namespace renderer::plan
