// Tailnet (tailscale.com/v1alpha1): where devices of another tailnet log in, and which Secret holds
// the credentials for it. Source: tailscale v1.96.5 k8s-operator/apis/v1alpha1/types_tailnet.go.
#pragma once

#include <string_view>

#include "renderer/classify/parent_input.h"
#include "renderer/core/pos.h"

namespace renderer {

struct TailnetInput : ParentInput {
    std::string_view login_url;  // "" = Tailscale's own
    Pos login_url_pos;
    std::string_view secret;  // "" when absent
    Pos secret_pos;           // of the name, else of what should hold it
};

TailnetInput decode_tailnet(const Document& doc);

}  // namespace renderer
