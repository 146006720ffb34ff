// Reads tables from the kernel. Results are errno values, or 0 for success. EINTR and ENOENT mean
// that the rules changed during the read, and that the caller has to repeat it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/nft/netlink_socket.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

// Reads the generation, which grows with every change of any rule in the namespace.
int read_generation(NetlinkSocket& socket, std::uint32_t& number);
// Appends all tables, with family and name only.
int read_tables(NetlinkSocket& socket, std::vector<Ruleset>& found);
// Fills a table whose family and name are set.
int read_table(NetlinkSocket& socket, Ruleset& table);

}  // namespace runtime::nft
