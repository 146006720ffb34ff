#include "renderer/classify/tailnet.h"

#include "renderer/classify/fields.h"
#include "renderer/classify/parent.h"

namespace renderer {

TailnetInput decode_tailnet(const Document& doc) {
    TailnetInput tailnet;
    decode_metadata(doc, tailnet);
    const Fields spec(doc.root.find("spec"));
    tailnet.login_url = spec.text("loginUrl");
    tailnet.login_url_pos = spec.pos("loginUrl");
    const Fields credentials(spec.map("credentials"));
    tailnet.secret = credentials.text("secretName");
    tailnet.secret_pos = known_or(credentials.pos("secretName"), spec.pos("credentials"));
    return tailnet;
}

}  // namespace renderer
