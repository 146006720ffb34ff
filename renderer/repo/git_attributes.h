// How a checkout converts the bytes of a file, by the .gitattributes of its revision. Line endings
// are converted here. Conversions that need a program or another encoding are only reported, and
// refused by GitTree. Source: gitattributes(5), git convert.c.
#pragma once

#include <string>

#include "renderer/core/result.h"
#include "renderer/git/git.h"

namespace renderer::repo {

// How a file of a revision is checked out.
struct Checkout {
    enum class LineEnds { Keep, Crlf, CrlfUnlessMixed };  // the last is `text=auto`
    LineEnds line_ends = LineEnds::Keep;
    std::string filter = {};    // `filter=NAME`, a program that the user configured
    std::string encoding = {};  // `working-tree-encoding=NAME`
    bool ident = false;         // a checkout expands `$Id$`
};

// Reads the attributes of a file. `path` is relative to the top of the tree.
Result<Checkout> checkout_of(git_repository* repository, const git_oid& commit,
                             const std::string& path);

// Converts LF to CRLF where a checkout would.
std::string with_line_ends(std::string text, Checkout::LineEnds line_ends);

}  // namespace renderer::repo
