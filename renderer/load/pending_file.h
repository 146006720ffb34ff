// The documents of a file before they become documents of the input.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/document_scanner.h"
#include "renderer/core/value.h"
#include "renderer/engines/selection.h"
#include "renderer/load/loaded.h"

namespace renderer::load {

inline bool is_list_kind(std::string_view kind) {
    return kind.ends_with("List");
}

// A document that was scanned, and parsed if needed.
struct Pending {
    ScannedDocument scanned = {};
    Value root = {};
    Diagnostics diagnostics = {};
    Diagnostics of_variables = {};  // of variables of Flux, apart from what the file says
    std::vector<engines::UsedVariable> undecided = {};  // by these variables: if it is an input
    bool has_tree = false;
};

// A file of the input that was read.
struct PendingFile {
    SourceId source = 0;
    const engines::InputFile* file = nullptr;
    std::vector<Pending> documents = {};
    bool is_judged = true;    // false: mistakes in it are not reported
    bool no_objects = false;  // the text cannot have objects
};

// Adds the documents of a file to `loaded`, or reports what is wrong with them. Returns the number
// of documents that were added.
std::size_t add_documents_of(PendingFile& pending, Loaded& loaded, Diagnostics& diagnostics);

}  // namespace renderer::load
