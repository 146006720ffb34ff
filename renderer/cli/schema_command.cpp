#include "renderer/cli/commands.h"
#include "renderer/cli/schemas.h"

namespace renderer::cli {

Result<int> run_schema(const Options& options, ClusterRuns& /*runs*/, Console& console) {
    return console.out(schema_text(options.schema)) ? 0 : 1;
}

}  // namespace renderer::cli
