#include "runtime/nft/netlink.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <tuple>
#include <utility>

#include "runtime/nft/batch_message.h"
#include "runtime/nft/flow_table.h"
#include "runtime/nft/netlink_socket.h"
#include "runtime/nft/refusal.h"
#include "runtime/nft/table_reader.h"

namespace runtime::nft {

namespace {

// How often a read is repeated when others change the rules meanwhile.
constexpr int kAttempts = 20;

// Repeats `read` until no rule of the namespace changed while it ran. Returns an errno value.
template <typename Read>
int read_undisturbed(NetlinkSocket& socket, std::uint32_t& generation, Read read) {
    int code = EINTR;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::uint32_t before = 0;
        if ((code = read_generation(socket, before)) != 0) {
            continue;
        }
        code = read();
        if (code == 0 && (code = read_generation(socket, generation)) == 0 &&
            before == generation) {
            return 0;
        }
        if (code == EPERM) {
            break;
        }
        code = code == 0 ? EINTR : code;
    }
    return code;
}

class Kernel : public Dataplane {
public:
    int open() {
        if (const int code = socket_.open()) {
            return code;
        }
        std::uint32_t generation = 0;
        return read_generation(socket_, generation);
    }

    renderer::Result<Live> read() override {
        Live live;
        const int code = read_undisturbed(socket_, live.generation, [&] { return read_own(live); });
        if (code != 0) {
            return refusal("read the rules of table inet tailrender", code);
        }
        return live;
    }

    renderer::Result<renderer::Unit> apply(const Batch& batch, std::uint32_t generation) override {
        if (batch.empty()) {
            return renderer::Unit{};
        }
        const BatchMessage message = encode(batch, generation);
        std::uint32_t failed = 0;
        if (const int code = socket_.transact(message.bytes, failed)) {
            const bool is_known = failed > 0 && failed <= message.steps.size();
            return refusal(is_known ? message.steps[failed - 1] : "change the rules", code);
        }
        return renderer::Unit{};
    }

    renderer::Result<std::size_t> remove_stale_flows(const Forwarding& forwarding) override {
        return remove_flows(forwarding);
    }

private:
    int read_own(Live& live) {
        std::vector<Ruleset> tables;
        if (const int code = read_tables(socket_, tables)) {
            return code;
        }
        const Ruleset own;
        live.table.reset();
        for (const Ruleset& table : tables) {
            if (table.family == own.family && table.name == own.name) {
                live.table = table;
                return read_table(socket_, *live.table);
            }
        }
        return 0;
    }

    NetlinkSocket socket_;
};

}  // namespace

renderer::Result<std::unique_ptr<Dataplane>> open_kernel() {
    auto kernel = std::make_unique<Kernel>();
    if (const int code = kernel->open()) {
        return no_nftables(code);
    }
    return std::unique_ptr<Dataplane>(std::move(kernel));
}

renderer::Result<std::vector<Ruleset>> read_all_tables() {
    NetlinkSocket socket;
    if (const int code = socket.open()) {
        return no_nftables(code);
    }
    std::vector<Ruleset> tables;
    std::uint32_t generation = 0;
    if (const int code = read_generation(socket, generation)) {
        return no_nftables(code);
    }
    const int code = read_undisturbed(socket, generation, [&] {
        tables.clear();
        int result = read_tables(socket, tables);
        for (std::size_t i = 0; result == 0 && i < tables.size(); ++i) {
            result = read_table(socket, tables[i]);
        }
        return result;
    });
    if (code != 0) {
        return refusal("read the rules", code);
    }
    std::sort(tables.begin(), tables.end(), [](const Ruleset& a, const Ruleset& b) {
        return std::tie(a.family, a.name) < std::tie(b.family, b.name);
    });
    return tables;
}

}  // namespace runtime::nft
