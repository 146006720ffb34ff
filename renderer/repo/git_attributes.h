// What a checkout does to the bytes of a file, by the .gitattributes of its revision: line ends,
// and conversions that take a program or another encoding and are refused. Source:
// gitattributes(5), git convert.c.
#pragma once

#include <string>

#include "renderer/core/result.h"
#include "renderer/git/git.h"

namespace renderer {

// How a file of a revision is checked out.
struct Checkout {
    enum class LineEnds { Keep, Crlf, CrlfUnlessMixed };  // the last: `text=auto`
    LineEnds line_ends = LineEnds::Keep;
    std::string filter = {};    // `filter=NAME`, a program of the user
    std::string encoding = {};  // `working-tree-encoding=NAME`
    bool ident = false;         // `$Id$` is filled in
};

// `path` is relative to the top of the tree.
Result<Checkout> checkout_of(git_repository* repository, const git_oid& commit,
                             const std::string& path);

// Line feeds become CRLF where a checkout would have them.
std::string with_line_ends(std::string text, Checkout::LineEnds line_ends);

}  // namespace renderer
