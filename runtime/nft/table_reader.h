// Reads tables from the kernel. Results are errno values, 0 for success; EINTR and ENOENT mean that
// the rules changed while they were read: read again.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/nft/netlink_socket.h"
#include "runtime/nft/ruleset.h"

namespace runtime::nft {

// Grows with every change of any rule of the namespace.
int read_generation(NetlinkSocket& socket, std::uint32_t& number);
// Family and name of all tables.
int read_tables(NetlinkSocket& socket, std::vector<Ruleset>& found);
// The rest of a table of which family and name are known.
int read_table(NetlinkSocket& socket, Ruleset& table);

}  // namespace runtime::nft
