// The fields of fleet.yaml. Fleet itself ignores what it does not know; we do not. Source: Fleet
// schemas/fleet.yaml.json.
#pragma once

#include "renderer/load/values/schema.h"

namespace renderer {

Schema fleet_schema();

}  // namespace renderer
