// Parts of a ChartRelease that the objects of several engines declare in the same way.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/pos.h"
#include "renderer/core/source_map.h"
#include "renderer/core/value.h"
#include "renderer/engines/helm/chart_release.h"
#include "renderer/repo/fetch/chart_address.h"

namespace renderer::engines {

// Returns the first text that is not empty, or "".
std::string first_text(std::initializer_list<std::string_view> texts);

// Returns a release without a chart, with the position and the name of the object.
ChartRelease start_release(const Value& object, std::string_view ns);

// Returns where to fetch the chart of the release from.
repo::ChartAddress chart_address(std::string_view repository, const ChartRelease& release);

// Each adds values above those that the release has. Values that helm refuses are added to
// `ChartRelease::unread`.
void add_value_map(const Value* values, ChartRelease& release);
void add_value_text(const Value* text, SourceMap& sources, ChartRelease& release);
// `sets`: as `helm --set` takes them.
void add_value_sets(const std::vector<std::string>& sets, Pos pos, SourceMap& sources,
                    ChartRelease& release);

}  // namespace renderer::engines
