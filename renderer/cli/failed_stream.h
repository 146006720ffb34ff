// What `post-render --on-error annotate` prints in place of nothing: the stream as it came, behind
// a document that says what is wrong. No cluster takes that document: its kind exists nowhere, so
// helm refuses to install it. For `helm template` of helm 4, which drops standard error.
#pragma once

#include <string>
#include <string_view>

#include "renderer/pipeline.h"

namespace renderer {

std::string failed_stream(const Run& run, std::string_view stream);

}  // namespace renderer
