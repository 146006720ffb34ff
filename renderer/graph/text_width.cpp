#include "renderer/graph/text_width.h"

#include <array>
#include <cstdint>

#include "renderer/base/printable.h"

namespace renderer::graph {
namespace {

constexpr std::uint32_t kFirst = 0x20;
constexpr std::size_t kCount = 95;
// In thousandths of the font's size, for " " to "~".
constexpr std::array<std::uint16_t, kCount> kRegular = {
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};
constexpr std::array<std::uint16_t, kCount> kBold = {
    349,  457, 521, 838, 696, 1002, 873, 307,  458, 458, 523, 838, 380, 416,  380, 366,
    696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 581,
    1000, 774, 763, 734, 831, 684,  684, 821,  837, 373, 373, 775, 638, 996,  837, 851,
    733,  851, 771, 721, 683, 813,  774, 1104, 771, 725, 726, 458, 366, 458,  838, 500,
    500,  675, 716, 593, 716, 679,  436, 716,  712, 343, 343, 666, 343, 1042, 712, 688,
    716,  716, 494, 596, 479, 712,  652, 924,  646, 652, 583, 712, 366, 712,  838};
// Of any other character: no letter is wider, and ideographs are as wide as high.
constexpr std::uint32_t kOther = 1'150;

}  // namespace

int text_width(std::string_view text, int size, bool is_bold) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < text.size();) {
        const CharacterAt character = character_at(text, at);
        const std::uint32_t code = character.code;
        sum += code < kFirst || code - kFirst >= kCount ? kOther
               : is_bold                                ? kBold[code - kFirst]
                                                        : kRegular[code - kFirst];
        at += character.size;
    }
    return static_cast<int>((sum * static_cast<std::uint64_t>(size) + 999) / 1000);
}

}  // namespace renderer::graph
