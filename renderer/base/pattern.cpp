#include "renderer/base/pattern.h"

#include <charconv>
#include <cstdint>
#include <functional>

namespace renderer {

namespace {

constexpr std::size_t kMaxRepeat = 1000;
constexpr std::string_view kSpecial = "\\^$.|?*+()[]{}";

std::size_t byte_of(char c) {
    return static_cast<unsigned char>(c);
}

}  // namespace

// Builds steps from the back: each part is made for the step that follows it, so that a repeated
// part is simply made again.
struct Pattern::Parser {
    using Part = std::function<std::size_t(std::size_t)>;  // next -> start

    std::string_view text;
    Pattern& out;

    std::size_t add(Step step) {
        out.steps_.push_back(step);
        return out.steps_.size() - 1;
    }

    bool take(char c) {
        const bool there = text.starts_with(c);
        text.remove_prefix(there ? 1 : 0);
        return there;
    }

    Part bytes(const std::bitset<256>& set) {
        return [this, set](std::size_t next) {
            return add({.op = Op::Bytes, .next = next, .bytes = set});
        };
    }

    Part anchor(Op op) {
        return [this, op](std::size_t next) { return add({.op = op, .next = next}); };
    }

    std::optional<Part> alternatives() {
        std::optional<Part> left = sequence();
        while (left && take('|')) {
            std::optional<Part> right = sequence();
            if (!right) {
                return std::nullopt;
            }
            left = [this, first = std::move(*left), second = std::move(*right)](std::size_t next) {
                const std::size_t one = first(next);
                return add({.op = Op::Split, .next = one, .other = second(next)});
            };
        }
        return left;
    }

    std::optional<Part> sequence() {
        std::vector<Part> parts;
        while (!text.empty() && !text.starts_with('|') && !text.starts_with(')')) {
            std::optional<Part> part = atom();
            if (part) {
                part = repeated(std::move(*part));
            }
            if (!part) {
                return std::nullopt;
            }
            parts.push_back(std::move(*part));
        }
        return [parts = std::move(parts)](std::size_t next) {
            for (std::size_t i = parts.size(); i-- > 0;) {
                next = parts[i](next);
            }
            return next;
        };
    }

    std::optional<Part> atom() {
        if (take('(')) {
            if (text.starts_with('?')) {
                return std::nullopt;
            }
            std::optional<Part> inner = alternatives();
            return inner && take(')') ? std::move(inner) : std::nullopt;
        }
        if (take('^')) {
            return anchor(Op::Begin);
        }
        if (take('$')) {
            return anchor(Op::End);
        }
        if (take('.')) {
            return bytes(~std::bitset<256>().set(byte_of('\n')));
        }
        if (take('[')) {
            return byte_class();
        }
        const std::optional<char> literal = one_byte(kSpecial);
        return literal ? std::optional(bytes(std::bitset<256>().set(byte_of(*literal))))
                       : std::nullopt;
    }

    // A byte that stands for itself, or an escaped one.
    std::optional<char> one_byte(std::string_view special) {
        const bool escaped = take('\\');
        if (text.empty()) {
            return std::nullopt;
        }
        const char c = text.front();
        const bool plain = special.find(c) == std::string_view::npos;
        if (byte_of(c) >= 0x80 ||
            (escaped ? kSpecial.find(c) == std::string_view::npos && c != '-' : !plain)) {
            return std::nullopt;
        }
        text.remove_prefix(1);
        return c;
    }

    std::optional<Part> byte_class() {
        std::bitset<256> set;
        const bool negated = take('^');
        while (!take(']')) {
            const std::optional<char> first = one_byte("\\[]");
            if (!first) {
                return std::nullopt;
            }
            std::optional<char> last = first;
            if (text.size() > 1 && text[0] == '-' && text[1] != ']') {
                text.remove_prefix(1);
                last = one_byte("\\[]");
            }
            if (!last || *last < *first) {
                return std::nullopt;
            }
            for (std::size_t c = byte_of(*first); c <= byte_of(*last); ++c) {
                set.set(c);
            }
        }
        return bytes(negated ? ~set : set);
    }

    std::optional<Part> repeated(Part part) {
        std::size_t least = 1;
        std::optional<std::size_t> most = 1;
        if (take('*')) {
            least = 0;
            most.reset();
        } else if (take('+')) {
            most.reset();
        } else if (take('?')) {
            least = 0;
        } else if (take('{')) {
            if (!bounds(least, most)) {
                return std::nullopt;
            }
        } else {
            return part;
        }
        if (text.starts_with('?') || text.starts_with('*') || text.starts_with('+')) {
            return std::nullopt;
        }
        return [this, part = std::move(part), least, most](std::size_t next) {
            return repeat(part, least, most, next);
        };
    }

    std::size_t repeat(const Part& part, std::size_t least, std::optional<std::size_t> most,
                       std::size_t next) {
        const std::size_t end = next;
        if (!most) {
            const std::size_t loop = add({.op = Op::Split, .next = 0, .other = end});
            out.steps_[loop].next = part(loop);
            next = loop;
        }
        for (std::size_t i = least; most && i < *most; ++i) {
            next = add({.op = Op::Split, .next = part(next), .other = end});
        }
        for (std::size_t i = 0; i < least; ++i) {
            next = part(next);
        }
        return next;
    }

    bool number(std::size_t& value) {
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
        return error == std::errc() && value <= kMaxRepeat;
    }

    bool bounds(std::size_t& least, std::optional<std::size_t>& most) {
        if (!number(least)) {
            return false;
        }
        most = least;
        if (take(',')) {
            most.reset();
            if (!text.starts_with('}')) {
                std::size_t last = 0;
                if (!number(last) || last < least) {
                    return false;
                }
                most = last;
            }
        }
        return take('}');
    }
};

std::optional<Pattern> Pattern::parse(std::string_view text) {
    Pattern pattern;
    Parser parser{text, pattern};
    const std::optional<Parser::Part> whole = parser.alternatives();
    if (!whole || !parser.text.empty()) {
        return std::nullopt;
    }
    pattern.start_ = (*whole)(parser.add({.op = Op::Match}));
    return pattern;
}

// Adds all steps that read a byte, or end the match, and can be reached without reading one.
void Pattern::follow(std::size_t step, std::size_t at, std::size_t size,
                     std::vector<std::size_t>& set, std::vector<std::size_t>& seen) const {
    std::vector<std::size_t> todo = {step};
    while (!todo.empty()) {
        const std::size_t index = todo.back();
        todo.pop_back();
        if (seen[index] == at + 1) {
            continue;
        }
        seen[index] = at + 1;
        const Step& here = steps_[index];
        if (here.op == Op::Bytes || here.op == Op::Match) {
            set.push_back(index);
        } else if (here.op == Op::Split) {
            todo.push_back(here.other);
            todo.push_back(here.next);
        } else if (here.op == Op::Begin ? at == 0 : at == size) {
            todo.push_back(here.next);
        }
    }
}

bool Pattern::matches(std::string_view text) const {
    std::vector<std::size_t> now;
    std::vector<std::size_t> later;
    std::vector<std::size_t> seen(steps_.size(), 0);
    for (std::size_t at = 0;; ++at) {
        follow(start_, at, text.size(), now, seen);
        for (const std::size_t index : now) {
            if (steps_[index].op == Op::Match) {
                return true;
            }
        }
        if (at == text.size()) {
            return false;
        }
        std::swap(now, later);
        now.clear();
        for (const std::size_t index : later) {
            if (steps_[index].bytes[byte_of(text[at])]) {
                follow(steps_[index].next, at + 1, text.size(), now, seen);
            }
        }
    }
}

}  // namespace renderer
