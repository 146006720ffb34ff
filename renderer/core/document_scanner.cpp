#include "renderer/core/document_scanner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "renderer/base/ascii.h"
#include "renderer/base/utf8.h"
#include "renderer/core/block_columns.h"
#include "renderer/core/implicit_key.h"
#include "renderer/core/plain_scalar.h"

namespace renderer::inline core {

namespace {

enum LineByte : std::uint8_t { kOpens = 1, kBlockScalar = 2, kUnusual = 4, kLineFeed = 8 };

constexpr std::array<std::uint8_t, 256> kLineBytes = [] {
    std::array<std::uint8_t, 256> bytes{};
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
        bytes[byte] = (byte < 0x20 && byte != '\t') || byte >= 0x7F ? kUnusual : 0;
    }
    for (const char c : std::string_view("\"'[]{}")) {
        bytes[static_cast<unsigned char>(c)] = kOpens;
    }
    bytes['|'] = bytes['>'] = kBlockScalar;
    bytes['\n'] = kLineFeed;
    return bytes;
}();

struct Line {
    std::size_t begin = 0;   // offset in the source
    std::size_t next = 0;    // where the next line begins
    std::string_view text;   // without line end
    std::size_t indent = 0;  // leading blanks; text.size() for a blank line
    std::uint8_t seen = 0;   // LineByte of all its bytes; most lines have none

    [[nodiscard]] std::string_view content() const { return text.substr(indent); }
};

Line line_at(std::string_view text, std::size_t begin) {
    const char* const bytes = text.data();
    std::size_t end = begin;
    while (end < text.size() && bytes[end] == ' ') {
        ++end;
    }
    Line line;
    line.begin = begin;
    line.indent = end - begin;
    for (; end < text.size(); ++end) {
        const std::uint8_t kind = kLineBytes[static_cast<unsigned char>(bytes[end])];
        if (kind == kLineFeed) {
            break;
        }
        line.seen |= kind;
    }
    line.next = end + (end < text.size() ? 1 : 0);
    line.text = text.substr(begin, end - begin);
    if (line.text.ends_with('\r')) {
        line.text.remove_suffix(1);
    }
    return line;
}

bool is_blank_or_comment(std::string_view rest) {
    if (!rest.empty() && rest.front() > '#') {
        return false;
    }
    const std::size_t start = rest.find_first_not_of(" \t\r");
    return start == std::string_view::npos || rest[start] == '#';
}

// What a line at column 0 means for the stream. `content` is where the text of the next document
// begins.
struct Border {
    enum class Kind : std::uint8_t { None, Separator, Content, End } kind = Kind::None;
    std::size_t content = 0;
};

Border border_of(const Line& line) {
    if (line.text.empty() || (line.text.front() != '-' && line.text.front() != '.')) {
        return {};
    }
    if (line.text.starts_with("---")) {
        const std::string_view rest = line.text.substr(3);
        if (is_blank_or_comment(rest) && !rest.starts_with('#')) {
            return {Border::Kind::Separator, line.next};
        }
        const char next = rest.front();
        const bool glued = is_letter(next) || next == '"' || next == '{';
        if (glued || next == ' ' || next == '\t') {
            return {Border::Kind::Content, line.begin + 3};
        }
    } else if (line.text.starts_with("...") && is_blank_or_comment(line.text.substr(3))) {
        return {Border::Kind::End, line.next};
    }
    return {};
}

struct KeyLine {
    std::string_view key;
    std::string_view value;  // trimmed, without a trailing comment; "" if there is none
};

bool is_key_byte(char c) {
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '/';
}

// Parses `key: value` with a plain key; nothing otherwise.
std::optional<KeyLine> key_line(std::string_view content) {
    std::size_t end = 0;
    while (end < content.size() && is_key_byte(content[end])) {
        ++end;
    }
    if (end == 0 || end >= content.size() || content[end] != ':' || content.front() == '-') {
        return std::nullopt;
    }
    std::string_view value = content.substr(end + 1);
    if (!value.empty() && value.front() != ' ') {
        return std::nullopt;
    }
    if (const std::size_t comment = value.find(" #"); comment != std::string_view::npos) {
        value = value.substr(0, comment);
    }
    const std::size_t start = value.find_first_not_of(" \t");
    value = start == std::string_view::npos ? std::string_view() : value.substr(start);
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    return KeyLine{content.substr(0, end), value};
}

bool is_plain_text(std::string_view value) {
    constexpr std::string_view kIndicators = "\"'|>&*!{}[]%@`,?:-#";
    return !value.empty() && kIndicators.find(value.front()) == std::string_view::npos &&
           value.find(": ") == std::string_view::npos && !value.ends_with(':') &&
           value.find('\t') == std::string_view::npos && plain_kind(value) == Value::Kind::String;
}

// True for `key: |`, `- >-`, …: the deeper lines below are text.
bool opens_block_scalar(std::string_view content) {
    if (const std::size_t comment = content.find(" #"); comment != std::string_view::npos) {
        content = content.substr(0, comment);
    }
    const std::size_t last = content.find_last_not_of(" \t");
    if (last == std::string_view::npos) {
        return false;
    }
    std::size_t i = last;
    while (i > 0 &&
           (content[i] == '+' || content[i] == '-' || (content[i] >= '0' && content[i] <= '9')) &&
           last - i < 2) {
        --i;
    }
    if (content[i] != '|' && content[i] != '>') {
        return false;
    }
    const std::size_t before =
        i == 0 ? std::string_view::npos : content.find_last_not_of(' ', i - 1);
    if (before == std::string_view::npos || before + 1 == i) {
        return false;
    }
    // A dash after other text belongs to that text.
    const std::string_view dashes = content.substr(0, before + 1);
    return content[before] == ':' || (dashes.find_first_not_of("- ") == std::string_view::npos &&
                                      dashes.find("--") == std::string_view::npos);
}

// Whether a quoted or flow value of a line may continue on the next line, where indentation means
// nothing. Follows one line from value to value. A quote or bracket inside plain text is text.
class OpenValue {
public:
    explicit OpenValue(std::string_view content) : content_(content) {}

    // Also returns true when in doubt.
    bool may_continue() {
        while (at_ < content_.size() && !doubt_ && !is_comment()) {
            const char c = content_[at_];
            if (c == ' ' || c == '\t') {
                ++at_;
            } else if (value_starts_) {
                start_value(c);
            } else {
                go_on(c);
            }
        }
        return doubt_ || depth_ > 0;
    }

private:
    [[nodiscard]] bool blank_at(std::size_t at) const {
        return at >= content_.size() || content_[at] == ' ' || content_[at] == '\t';
    }

    [[nodiscard]] bool is_comment() const {
        return content_[at_] == '#' && (at_ == 0 || blank_at(at_ - 1));
    }

    void start_value(char c) {
        if (c == '\'' || c == '"') {
            skip_quoted();
        } else if (c == '[' || c == '{') {
            ++depth_;
            ++at_;
            only_dashes_ = false;
        } else if (c == '&' || c == '!' || c == '?') {
            doubt_ = true;  // a value may follow
        } else if (c == '-' && blank_at(at_ + 1) && only_dashes_) {
            ++at_;
        } else {
            only_dashes_ = value_starts_ = false;
            go_on(c);
        }
    }

    void go_on(char c) {
        const bool in_flow = depth_ > 0;
        const bool ends_key = c == ':' && (blank_at(at_ + 1) || after_quoted_);
        if (ends_key || (in_flow && c == ',')) {
            value_starts_ = true;
        } else if (in_flow && (c == ']' || c == '}')) {
            --depth_;
            after_quoted_ = value_starts_ = false;
            ++at_;
            return;
        } else if (after_quoted_ || (in_flow && (c == '[' || c == '{'))) {
            doubt_ = true;
        }
        after_quoted_ = false;
        ++at_;
    }

    void skip_quoted() {
        only_dashes_ = value_starts_ = false;
        const std::size_t size = quoted_size(content_.substr(at_));
        doubt_ = size == std::string_view::npos;
        after_quoted_ = !doubt_;
        at_ = doubt_ ? content_.size() : at_ + size;
    }

    std::string_view content_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool value_starts_ = true;
    bool only_dashes_ = true;    // so far, so a dash begins an item
    bool after_quoted_ = false;  // only the end of the value may follow
    bool doubt_ = false;
};

// Takes one document line by line. In any doubt the document is not plain.
class DocumentScan {
public:
    DocumentScan(const SourceMap& sources, SourceId source, std::size_t begin, bool may_be_plain)
        : sources_(sources), source_(source), plain_(may_be_plain) {
        doc_.range.begin = begin;
    }

    void take_line(const Line& line) {
        seen_ |= line.seen;
        if (!plain_ && content_) {
            return;
        }
        if (is_blank_or_comment(line.content())) {
            plain_ = plain_ && line.content().find('\t') == std::string_view::npos;
            return;
        }
        if (!content_ && line.indent == 0 && line.text.front() == '%') {
            plain_ = false;
            return;
        }
        content_ = true;
        plain_ = plain_ && accept(line);
    }

    ScannedDocument finish(std::size_t end) {
        doc_.range.end = end;
        doc_.blank = !content_;
        const std::string_view all =
            sources_.get().text(source_).substr(doc_.range.begin, end - doc_.range.begin);
        const bool may_be_bad = (seen_ & kUnusual) != 0;
        doc_.plain = plain_ && content_ &&
                     (!may_be_bad || find_bad_character(all) == std::string_view::npos);
        if (!doc_.plain) {
            forget();
        }
        doc_.mentions_tailscale =
            ::memmem(all.data(), all.size(), "tailscale", std::strlen("tailscale")) != nullptr;
        return std::move(doc_);
    }

private:
    // Returns false if the document is not plain.
    bool accept(const Line& line) {
        if (skip_deeper_ && line.indent > *skip_deeper_) {
            return true;
        }
        skip_deeper_.reset();
        const std::string_view content = line.content();
        if (content.front() == '\t' ||
            ((line.seen & kOpens) != 0 && OpenValue(content).may_continue())) {
            return false;
        }
        if ((line.seen & kBlockScalar) != 0 && opens_block_scalar(content)) {
            skip_deeper_ = line.indent;
        }
        doc_.oddly_indented = doc_.oddly_indented || !columns_.accept(line.indent, content);
        if (line.indent == 0) {
            return accept_top(line);
        }
        return accept_nested(line);
    }

    bool accept_top(const Line& line) {
        const std::string_view content = line.content();
        if (content == "-" || content.starts_with("- ")) {
            return top_value_empty_ && !in_metadata_;
        }
        const std::optional<KeyLine> parsed = key_line(content);
        if (!parsed) {
            return false;
        }
        top_seen_ = true;
        in_metadata_ = false;
        top_value_empty_ = parsed->value.empty();
        scalar_indent_.reset();
        if (parsed->key == "apiVersion") {
            return take(doc_.api_version, *parsed, line);
        }
        if (parsed->key == "kind") {
            return take(doc_.kind, *parsed, line);
        }
        if (parsed->key == "metadata") {
            if (metadata_seen_ || !parsed->value.empty()) {
                return false;
            }
            metadata_seen_ = in_metadata_ = true;
            metadata_next_ = line.next;
        }
        return true;
    }

    bool accept_nested(const Line& line) {
        if (scalar_indent_ && line.indent > *scalar_indent_) {
            return false;  // the scalar continues on this line
        }
        scalar_indent_.reset();
        if (!in_metadata_) {
            return top_seen_;  // the outermost map may be indented as well
        }
        if (doc_.metadata_indent == 0) {
            doc_.metadata_indent = line.indent;
            doc_.metadata_insert = metadata_next_;
        }
        if (line.indent != doc_.metadata_indent) {
            return line.indent > doc_.metadata_indent;
        }
        const std::string_view content = line.content();
        if (content == "-" || content.starts_with("- ")) {
            return metadata_value_empty_;
        }
        const std::optional<KeyLine> parsed = key_line(content);
        if (!parsed) {
            return false;
        }
        metadata_value_empty_ = parsed->value.empty();
        if (parsed->key == "name") {
            return take(doc_.name, *parsed, line);
        }
        if (parsed->key == "namespace") {
            return take(doc_.ns, *parsed, line);
        }
        return true;
    }

    bool take(Value& field, const KeyLine& parsed, const Line& line) {
        if (!field.is_null() || !is_plain_text(parsed.value)) {
            return false;
        }
        const std::string_view text = sources_.get().text(source_);
        field = Value::borrowed(parsed.value);
        const auto offset = static_cast<std::size_t>(parsed.value.data() - text.data());
        field.set_pos(sources_.get().pos(source_, offset));
        scalar_indent_ = line.indent;
        return true;
    }

    void forget() {
        for (Value* field : {&doc_.api_version, &doc_.kind, &doc_.name, &doc_.ns}) {
            *field = Value();
        }
        doc_.metadata_insert = doc_.metadata_indent = 0;
        doc_.oddly_indented = false;
    }

    std::reference_wrapper<const SourceMap> sources_;
    SourceId source_;
    ScannedDocument doc_;
    bool plain_;
    std::uint8_t seen_ = 0;  // LineByte of all lines
    bool content_ = false;   // a line that is not only a comment or directive was seen
    std::optional<std::size_t> skip_deeper_;
    BlockColumns columns_;
    std::size_t metadata_next_ = 0;
    bool top_seen_ = false;
    bool metadata_seen_ = false;
    bool in_metadata_ = false;
    bool top_value_empty_ = false;
    bool metadata_value_empty_ = false;
    std::optional<std::size_t> scalar_indent_;  // the last key line held one of the four scalars
};

}  // namespace

std::vector<ScannedDocument> scan_documents(const SourceMap& sources, SourceId source) {
    return scan_documents(sources, source, {0, sources.text(source).size()});
}

std::vector<RawDocument> split_stream(std::string_view text, std::size_t count) {
    constexpr std::string_view kSeparator = "\n---\n";
    std::vector<RawDocument> pieces;
    std::size_t begin = 0;
    for (std::size_t i = 1; i < count; ++i) {
        const std::size_t at = text.find(kSeparator, std::max(begin, text.size() / count * i));
        if (at == std::string_view::npos) {
            break;
        }
        pieces.push_back({begin, at + 1});
        begin = at + kSeparator.size();
    }
    pieces.push_back({begin, text.size()});
    return pieces;
}

std::vector<ScannedDocument> scan_documents(const SourceMap& sources, SourceId source,
                                            RawDocument piece) {
    const std::string_view text = sources.text(source).substr(0, piece.end);
    std::vector<ScannedDocument> documents;
    const bool marked = piece.begin == 0 && text.starts_with(kByteOrderMark);
    const std::size_t first = piece.begin + (marked ? kByteOrderMark.size() : 0);
    DocumentScan document(sources, source, first, true);
    for (std::size_t at = first; at < text.size();) {
        Line line = line_at(text, at);
        at = line.next;
        const Border border = border_of(line);
        if (border.kind != Border::Kind::None) {
            documents.push_back(document.finish(line.begin));
            const bool glued = border.kind == Border::Kind::Content;
            document = DocumentScan(sources, source, border.content,
                                    !glued || text[border.content] != ' ');
            if (!glued) {
                continue;
            }
            line = line_at(text, border.content);
        }
        document.take_line(line);
    }
    documents.push_back(document.finish(text.size()));
    return documents;
}

}  // namespace renderer::inline core
