// Functions for tests of this stage. They load a tree from memory, and return texts to compare.
#pragma once

#include <map>
#include <string>

#include "renderer/load/loaded.h"
#include "renderer/repo/load_options.h"

namespace renderer::load {

struct LoadedText {
    std::string files;        // bundles and files, one per line
    std::string documents;    // one per line
    std::string objects;      // generated inputs as YAML
    std::string diagnostics;  // as printed
};

using Files = std::map<std::string, std::string>;

repo::LoadOptions in_namespace(std::string ns);  // as --namespace

LoadedText load_text(Files files, repo::LoadOptions options = {});

// Returns the text of a file with the edits of the run.
std::string edited(Files files, const std::string& path, repo::LoadOptions options = {});

}  // namespace renderer::load
