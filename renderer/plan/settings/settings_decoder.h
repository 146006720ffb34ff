// The tree of settings before it is decoded: the chart's defaults, Helm's way of merging layers,
// and the check of keys by the tables of settings_fields.h. Refuses to guess: a key that is in no
// table is reported with the nearest one that is. Source of defaults: tailscale v1.96.5
// cmd/k8s-operator/deploy/chart/values.yaml; of merging: Helm's coalesceValues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/core/diagnostics.h"
#include "renderer/core/value.h"
#include "renderer/plan/settings/settings.h"

namespace renderer::plan {

// What the chart's values.yaml says, as far as it matters when a key is absent.
Value chart_defaults();

// Later layers win. Maps merge, everything else replaces; null removes the key, a default included.
Value merge_layers(Value defaults, const std::vector<const Value*>& layers);

// Reports `found` at `path` as a value with which nothing could work.
Finding report_unusable(std::string_view path, Pos pos, std::string_view found,
                        std::string_view expected, Diagnostics& diagnostics);

// Reports keys that the tables do not have (ours: error, the chart's: warning), values of the
// wrong type, texts of the wrong form, values outside a closed choice, and values that are not
// built yet.
void check_keys(const Value& settings, Diagnostics& diagnostics);

// Warns of keys of the operator's own release that its chart does not have.
void check_release_keys(const Value& values, Diagnostics& diagnostics);

// Warns of keys that the release's chart does not have yet.
void check_newer_keys(const Value& settings, const Release& release, Diagnostics& diagnostics);

// A string setting; `fallback` when it is absent, empty or (already reported) not a string.
std::string text_at(const Value& settings, std::initializer_list<std::string_view> path,
                    std::string_view fallback = "");
// Same for a flag. The strings "true" and "false" count, as they do in the chart's templates.
bool flag_at(const Value& settings, std::initializer_list<std::string_view> path);
Pos pos_at(const Value& settings, std::initializer_list<std::string_view> path);

// "30000-32767"; no value: not a range of ports.
std::optional<PortRange> parse_ports(std::string_view text);

constexpr std::int64_t kSecond = 1000;  // milliseconds
// "10m", "1h30m", "300s" in milliseconds, as Go's time.ParseDuration reads whole numbers; -1 if not
// a duration.
std::int64_t parse_duration(std::string_view text);

}  // namespace renderer::plan
