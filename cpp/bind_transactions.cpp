// What discreet.transactions calls: rows, and the text they are read from.
#include "bindings.hpp"
#include "cells.hpp"
#include "edit.hpp"
#include "python_arrays.hpp"
#include "rows.hpp"
#include "text.hpp"

namespace discreet {

namespace {

void bind_rows(nb::module_& m) {
    m.def(
        "check_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::int64_t labels) {
            const char* fault;
            {
                nb::gil_scoped_release release;
                fault = find_fault(rows_of(offsets, items), labels);
            }
            if (fault) throw nb::value_error(fault);
        },
        "offsets"_a, "items"_a, "labels"_a);

    m.def(
        "canonical_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> codes, std::optional<In<std::int32_t>> renumber) {
            OwnedRows rows;
            {
                nb::gil_scoped_release release;
                rows = {copy(view(offsets)), copy(view(codes))};
                make_canonical(rows, view(renumber));
            }
            return give(rows);
        },
        "offsets"_a, "codes"_a, "renumber"_a.none());

    m.def(
        "item_supports",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights,
           std::size_t labels) {
            Buffer<std::int64_t> supports(labels);
            {
                nb::gil_scoped_release release;
                std::fill(supports.begin(), supports.end(), 0);
                item_supports(rows_of(offsets, items), view(weights), {supports.data(), labels});
            }
            return give(supports);
        },
        "offsets"_a, "items"_a, "weights"_a.none(), "labels"_a);

    m.def(
        "fold_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, std::optional<In<std::int64_t>> weights) {
            Folded folded;
            {
                nb::gil_scoped_release release;
                folded = fold(rows_of(offsets, items), view(weights));
            }
            return nb::make_tuple(give(folded.firsts), give(folded.weights));
        },
        "offsets"_a, "items"_a, "weights"_a.none());

    m.def(
        "select_rows",
        [](In<std::int64_t> offsets, In<std::int32_t> items, In<std::int64_t> chosen) {
            OwnedRows rows;
            {
                nb::gil_scoped_release release;
                rows = select(rows_of(offsets, items), view(chosen));
            }
            return give(rows);
        },
        "offsets"_a, "items"_a, "chosen"_a);
}

void bind_text(nb::module_& m) {
    nb::exception<ParseError>(m, "ParseError", PyExc_ValueError);
    nb::class_<TextParser>(m, "TextParser")
        .def(nb::init<bool, std::size_t>(), "headers"_a, "expected"_a)
        .def(
            "feed",
            [](TextParser& parser, nb::bytes chunk) {
                const char* data = chunk.c_str();
                const std::size_t size = chunk.size();
                nb::gil_scoped_release release;
                parser.feed(data, size);
            },
            "chunk"_a)
        .def("finish",
             [](TextParser& parser) {
                 {
                     nb::gil_scoped_release release;
                     parser.finish();
                 }
                 return nb::make_tuple(give(parser.rows().offsets), give(parser.rows().items), parser.labels());
             })
        .def_prop_ro("line", &TextParser::line)
        .def_prop_ro("header", [](const TextParser& parser) { return parser.header(); });
    m.def(
        "format_text",
        [](In<std::int64_t> offsets, In<std::int32_t> items, const std::vector<std::string>& labels, std::size_t first,
           std::size_t last) {
            std::string text;
            {
                nb::gil_scoped_release release;
                text = format_text(rows_of(offsets, items), labels, first, last);
            }
            return nb::bytes(text.data(), text.size());
        },
        "offsets"_a, "items"_a, "labels"_a, "first"_a, "last"_a);
}

void bind_cells(nb::module_& m) {
    m.def(
        "cut_cells",
        [](nb::bytes block, char delimiter, bool last, std::size_t longest_line) {
            const std::string_view text{block.c_str(), block.size()};
            Cells cells;
            {
                nb::gil_scoped_release release;
                cells = cut_cells(text, delimiter, last, longest_line);
            }
            constexpr const char* faults[] = {"", "quote", "long line"};
            return nb::make_tuple(give(cells.text), give(cells.offsets), give(cells.lengths), give(cells.starts),
                                  cells.used, cells.lines, faults[static_cast<int>(cells.fault)]);
        },
        "block"_a, "delimiter"_a, "last"_a, "longest_line"_a);
}

void bind_edit(nb::module_& m) {
    const auto text_of = [](TextEditor& editor, auto step) {
        std::string text;
        {
            nb::gil_scoped_release release;
            text = step(editor);
        }
        return nb::bytes(text.data(), text.size());
    };
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
            [text_of](TextEditor& editor, nb::bytes chunk) {
                const std::string_view data{chunk.c_str(), chunk.size()};
                return text_of(editor, [data](TextEditor& each) { return each.feed(data); });
            },
            "chunk"_a)
        .def("finish",
             [text_of](TextEditor& editor) { return text_of(editor, [](TextEditor& each) { return each.finish(); }); })
        .def_prop_ro("rows", &TextEditor::rows)
        .def_prop_ro("matched", &TextEditor::matched);
}

}  // namespace

void bind_transactions(nb::module_& m) {
    bind_rows(m);
    bind_text(m);
    bind_cells(m);
    bind_edit(m);
}

}  // namespace discreet
