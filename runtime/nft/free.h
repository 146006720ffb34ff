// A deleter for objects of C libraries: std::unique_ptr<nftnl_set, Free<nftnl_set_free>>.
#pragma once

namespace runtime::nft {

template <auto Function>
struct Free {
    template <typename T>
    void operator()(T* object) const {
        Function(object);
    }
};

}  // namespace runtime::nft
