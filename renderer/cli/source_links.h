// Links of a Markdown report to the sources of HEAD.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "renderer/pipeline.h"

namespace renderer::cli {

// Maps names of objects ("Service/shop/web") and the places that warnings begin with
// ("shop/web.yaml:2:3") to addresses below `base`, such as "https://…/blob/REV". Left out are files
// outside of the working directory, and names that several clusters have at different places.
std::map<std::string, std::string> source_links(const std::string& base,
                                                const std::deque<Run>& runs,
                                                const std::vector<std::string>& warnings);

}  // namespace renderer::cli
