// Fuzz target: any input from tailscaled results in the same view of the tailnet however it is
// split.
#include <cstdint>
#include <string>

#include "renderer/base/check.h"
#include "runtime/localapi/tailnet_view.h"

namespace {

using namespace runtime::localapi;

class View : public TailnetView {
public:
    void end_message(const BusMessage& message) override {
        said += message.version;
        said += message.error;
        said += message.state ? name_of(*message.state) : "-";
        said += message.is_snapshot ? 's' : ' ';
        said += self() == nullptr ? "none" : self()->name + self()->stable_id;
        auto addresses = resolve("db.t.ts.net");
        said += addresses ? addresses->front().text() : std::string();
    }
    std::string said;
};

std::string read(std::string_view bytes, std::size_t piece) {
    View view;
    view.want({"db.t.ts.net", "10-1-0-5-via-7.t.ts.net"});
    BusReader reader(view);
    bool is_json = true;
    for (std::size_t at = 0; at < bytes.size() && is_json; at += piece) {
        is_json = reader.take(bytes.substr(at, piece));
    }
    return view.said + (is_json ? "ok" : "failed");
}

}  // namespace

extern "C" int fuzz_bus_reader(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    CHECK(read(bytes, 1) == read(bytes, 4096));
    return 0;
}
