#include "renderer/engines/kustomize/generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/base64.h"
#include "renderer/base/sha256.h"
#include "renderer/base/utf8.h"
#include "renderer/core/json.h"

namespace renderer::engines {

namespace {

bool is_text(std::string_view bytes) {
    return find_bad_utf8(bytes) == std::string_view::npos;
}

// kustomize breaks long base64 into lines of 70 columns and hashes it in that form.
std::string wrapped_base64(std::string_view bytes) {
    constexpr std::size_t kColumns = 70;
    std::string encoded = encode_base64(bytes);
    if (encoded.size() < kColumns) {
        return encoded;
    }
    std::string wrapped;
    for (std::size_t at = 0; at < encoded.size(); at += kColumns) {
        wrapped += encoded.substr(at, kColumns);
        wrapped += '\n';
    }
    return wrapped;
}

std::vector<const KeyValue*> sorted(const std::vector<KeyValue>& pairs) {
    std::vector<const KeyValue*> result;
    result.reserve(pairs.size());
    for (const KeyValue& pair : pairs) {
        result.push_back(&pair);
    }
    std::ranges::sort(result, {}, [](const KeyValue* pair) { return std::string_view(pair->key); });
    return result;
}

using Encode = std::string (*)(std::string_view);

struct Data {
    Value data = Value::map();
    Value binary = Value::map();
    bool has_data = false;
    bool has_binary = false;
};

Data data_of(const GeneratorInput& input, Encode encode) {
    Data result;
    for (const KeyValue* pair : sorted(input.pairs)) {
        if (input.is_secret) {
            result.data.add(Value(pair->key), Value(encode(pair->value)));
        } else if (is_text(pair->value)) {
            result.data.add(Value(pair->key), Value(pair->value));
        } else {
            result.binary.add(Value(pair->key), Value(encode(pair->value)));
        }
    }
    result.has_data = input.is_secret || result.data.size() > 0;  // a Secret has an empty map
    result.has_binary = result.binary.size() > 0;
    return result;
}

std::string type_of(const GeneratorInput& input) {
    return input.type.empty() ? "Opaque" : input.type;
}

Value text_map(const std::vector<KeyValue>& pairs) {
    Value map = Value::map();
    for (const KeyValue* pair : sorted(pairs)) {
        map.add(Value(pair->key), Value(pair->value));
    }
    return map;
}

Value metadata_of(const GeneratorInput& input) {
    const bool plain = input.options.disable_name_suffix_hash;
    const std::string name =
        plain ? input.name : fmt::format("{}-{}", input.name, name_suffix(input));
    Value metadata = Value::map({{"name", name}});
    put_if(metadata, !input.ns.empty(), "namespace", input.ns);
    put_if(metadata, !input.options.labels.empty(), "labels", text_map(input.options.labels));
    put_if(metadata, !input.options.annotations.empty(), "annotations",
           text_map(input.options.annotations));
    return metadata;
}

}  // namespace

Value make_generated(const GeneratorInput& input) {
    Data data = data_of(input, encode_base64);
    Value object = Value::map({{"apiVersion", "v1"}});
    object.add("kind", input.is_secret ? Value("Secret") : Value("ConfigMap"));
    object.add("metadata", metadata_of(input));
    put_if(object, input.is_secret, "type", type_of(input));
    put_if(object, data.has_data, "data", std::move(data.data));
    put_if(object, data.has_binary, "binaryData", std::move(data.binary));
    put_if(object, input.options.immutable, "immutable", true);
    return object;
}

// The suffix does not depend on the name. The member `name` is always empty, since kustomize looks
// up a field that is literally called "metadata/name".
std::string name_suffix(const GeneratorInput& input) {
    Data data = data_of(input, wrapped_base64);
    Value hashed = Value::map({{"name", ""}});
    hashed.add("kind", input.is_secret ? Value("Secret") : Value("ConfigMap"));
    hashed.add("data", data.has_data ? std::move(data.data) : Value(""));
    put_if(hashed, input.is_secret, "type", type_of(input));
    put_if(hashed, data.has_binary, "binaryData", std::move(data.binary));
    std::string suffix = sha256_hex(write_json_sorted(hashed)).substr(0, 10);
    constexpr std::string_view kFrom = "013ae";  // avoids vowels and digits that look like them
    constexpr std::string_view kTo = "ghkmt";
    for (char& c : suffix) {
        const std::size_t at = kFrom.find(c);
        c = at == std::string_view::npos ? c : kTo[at];
    }
    return suffix;
}

}  // namespace renderer::engines
