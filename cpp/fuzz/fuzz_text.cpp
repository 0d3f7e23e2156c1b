// libFuzzer harness for the text parser: `make fuzz` (needs clang). Any input gives either valid rows, the same for any
// chunking of the bytes, or a ParseError.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../text.hpp"

namespace {

using namespace discreet;

struct Outcome {
    bool refused = false;
    std::size_t line = 0;
    std::string rows;
    std::vector<std::string> labels;
};

Outcome parse(const char* data, std::size_t size, std::size_t chunk, bool headers) {
    Outcome outcome;
    TextParser parser(headers);
    try {
        for (std::size_t at = 0; at < size; at += chunk) parser.feed(data + at, std::min(chunk, size - at));
        parser.finish();
    } catch (const ParseError&) {
        outcome.refused = true;
        outcome.line = parser.line();
        return outcome;
    }
    const Rows rows{{parser.rows().offsets.data(), parser.rows().offsets.size()},
                    {parser.rows().items.data(), parser.rows().items.size()}};
    if (find_fault(rows, static_cast<std::int64_t>(parser.labels().size()))) std::abort();
    outcome.labels = parser.labels();
    outcome.rows = format_text(rows, outcome.labels, 0, rows.count());
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (size < 2) return 0;
    const bool headers = bytes[0] & 1;
    const std::size_t chunk = bytes[1] + 1;
    const char* data = reinterpret_cast<const char*>(bytes + 2);
    const Outcome whole = parse(data, size - 2, size, headers);
    const Outcome pieces = parse(data, size - 2, chunk, headers);
    if (whole.refused != pieces.refused || whole.line != pieces.line || whole.rows != pieces.rows ||
        whole.labels != pieces.labels)
        std::abort();
    if (!whole.refused && !headers) {  // a round trip gives the same
        const Outcome again = parse(whole.rows.data(), whole.rows.size(), chunk, false);
        if (again.refused || again.rows != whole.rows) std::abort();
    }
    return 0;
}
