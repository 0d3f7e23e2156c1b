// Bindings for discreet.transactions: rows, and the text they are read from.
#include "bindings.hpp"
#include "cells.hpp"
#include "edit.hpp"
#include "python_arrays.hpp"
#include "rows.hpp"
#include "text.hpp"

namespace discreet {

namespace {

nb::bytes bytes_of(const std::string& text) {
    return nb::bytes(text.data(), text.size());
}

void bind_rows(nb::module_& m) {
    m.def(
        "check_rows",
        [](const Rows& rows, std::int64_t labels) {
            const char* fault = released([&] { return find_fault(rows, labels); });
            if (fault) throw nb::value_error(fault);
        },
        "rows"_a, "labels"_a);
    m.def(
        "canonical_rows",
        [](const Rows& codes, std::optional<In<std::int32_t>> renumber) {
            return give(released([&] {
                OwnedRows rows{copy(codes.offsets), copy(codes.items)};
                make_canonical(rows, view(renumber));
                return rows;
            }));
        },
        "codes"_a, "renumber"_a.none());
    m.def(
        "item_supports",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights, std::size_t labels) {
            return give(released([&] {
                Buffer<std::int64_t> supports(labels);
                std::fill(supports.begin(), supports.end(), 0);
                item_supports(rows, view(weights), 0, rows.count(), {supports.data(), labels});
                return supports;
            }));
        },
        "rows"_a, "weights"_a.none(), "labels"_a);
    m.def(
        "fold_rows",
        [](const Rows& rows, std::optional<In<std::int64_t>> weights) {
            Folded folded = released([&] { return fold(rows, view(weights)); });
            return nb::make_tuple(give(std::move(folded.firsts)), give(std::move(folded.weights)));
        },
        "rows"_a, "weights"_a.none());
    m.def(
        "select_rows",
        [](const Rows& rows, In<std::int64_t> chosen) {
            return give(released([&] { return select(rows, view(chosen)); }));
        },
        "rows"_a, "chosen"_a);
}

void bind_text(nb::module_& m) {
    nb::exception<ParseError>(m, "ParseError", PyExc_ValueError);
    nb::class_<TextParser>(m, "TextParser")
        .def(nb::init<bool, std::size_t>(), "headers"_a, "expected"_a)
        .def(
            "feed",
            [](TextParser& parser, nb::bytes chunk) {
                const std::string_view data{chunk.c_str(), chunk.size()};
                released([&] { parser.feed(data.data(), data.size()); });
            },
            "chunk"_a)
        .def("finish",
             [](TextParser& parser) {
                 released([&] { parser.finish(); });
                 return nb::make_tuple(give(std::move(parser.rows())), parser.labels());
             })
        .def("take", [](TextParser& parser) { return give(parser.take()); })
        .def("take_last",
             [](TextParser& parser) {
                 OwnedRows rows = released([&] { return parser.take_last(); });
                 return nb::make_tuple(give(std::move(rows)), parser.labels(), give(parser.numbers()));
             })
        .def_prop_ro("line", &TextParser::line)
        .def_prop_ro("header", [](const TextParser& parser) { return parser.header(); });
    m.def(
        "format_text",
        [](const Rows& rows, const std::vector<std::string>& labels, std::size_t first, std::size_t last) {
            return bytes_of(released([&] { return format_text(rows, labels, first, last); }));
        },
        "rows"_a, "labels"_a, "first"_a, "last"_a);
}

// Returns the codes of texts with a prefix; -1 for those that are missing.
Buffer<std::int32_t> codes_of(LabelTable& table, std::span<const std::uint8_t> text,
                              std::span<const std::int64_t> offsets, const std::string& prefix,
                              const std::vector<std::string>& missing) {
    Buffer<std::int32_t> codes(offsets.size() - 1);
    std::string label = prefix;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::string_view cell{reinterpret_cast<const char*>(text.data()) + offsets[i],
                                    static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
        label.resize(prefix.size());
        codes[i] = std::ranges::find(missing, cell) != missing.end() ? -1 : table.code(label.append(cell));
    }
    return codes;
}

nb::str python_text(std::string_view text) {
    return nb::str(text.data(), text.size());
}

void bind_labels(nb::module_& m) {
    nb::class_<LabelTable>(m, "LabelTable")
        .def("__init__", [](LabelTable* table) { new (table) LabelTable(LabelTable::Of::texts); })
        .def("__len__", &LabelTable::size)
        .def(
            "code", [](LabelTable& table, const std::string& label) { return table.code(label); }, "label"_a)
        .def(
            "codes",
            [](LabelTable& table, In<std::uint8_t> text, In<std::int64_t> offsets, const std::string& prefix,
               const std::vector<std::string>& missing) {
                return give(released([&] { return codes_of(table, view(text), view(offsets), prefix, missing); }));
            },
            "text"_a, "offsets"_a, "prefix"_a, "missing"_a)
        .def("texts", [](const LabelTable& table) {
            nb::list texts;
            for (std::size_t i = 0; i < table.size(); ++i) texts.append(python_text(table.text(i)));
            return texts;
        });
}

void bind_cells(nb::module_& m) {
    m.def(
        "cut_cells",
        [](nb::bytes block, char delimiter, bool last, std::size_t longest_line) {
            const std::string_view text{block.c_str(), block.size()};
            Cells cells = released([&] { return cut_cells(text, delimiter, last, longest_line); });
            constexpr const char* faults[] = {"", "quote", "long line"};
            return nb::make_tuple(give(std::move(cells.text)), give(std::move(cells.offsets)),
                                  give(std::move(cells.lengths)), give(std::move(cells.starts)), cells.used,
                                  cells.lines, faults[static_cast<int>(cells.fault)]);
        },
        "block"_a, "delimiter"_a, "last"_a, "longest_line"_a);
}

void bind_edit(nb::module_& m) {
    nb::class_<TextEditor>(m, "TextEditor")
        .def(
            "__init__",
            [](TextEditor* editor, bool headers, std::vector<std::string> tokens, In<std::int32_t> rows,
               In<std::int32_t> items, const std::vector<std::string>& unnamed) {
                new (editor) TextEditor(headers, std::move(tokens), {rows.data(), rows.data() + rows.size()},
                                        {items.data(), items.data() + items.size()}, unnamed);
            },
            "headers"_a, "tokens"_a, "rows"_a, "items"_a, "unnamed"_a)
        .def(
            "feed",
            [](TextEditor& editor, nb::bytes chunk) {
                const std::string_view data{chunk.c_str(), chunk.size()};
                return bytes_of(released([&] { return editor.feed(data); }));
            },
            "chunk"_a)
        .def("finish", [](TextEditor& editor) { return bytes_of(released([&] { return editor.finish(); })); })
        .def_prop_ro("rows", &TextEditor::rows)
        .def_prop_ro("matched", &TextEditor::matched);
}

}  // namespace

void bind_transactions(nb::module_& m) {
    bind_rows(m);
    bind_text(m);
    bind_labels(m);
    bind_cells(m);
    bind_edit(m);
}

}  // namespace discreet
