"use strict";
// Tables that can be sorted, searched and leafed through. Each holds its lines as numbers, and its labels once; only the
// lines of the page that is looked at become part of the document. All text is set as text, never as markup.

const PAGE = 100;
const PRINTED = 300;

const asCount = (value) => value.toLocaleString("en-US");
const asChange = (value) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + asCount(Math.abs(value));

function asShare(part, whole) {
  if (part === 0 || part === whole) return part ? "100 %" : "0 %";
  const value = (100 * part) / whole;
  if (value < 0.01) return "under 0.01 %";
  const text = String(Number(value.toPrecision(3)));
  return text === "100" && part < whole ? "over 99.9 %" : `${text} %`;
}

// What each kind of column shows in a line, and what it is sorted by.
const KINDS = {
  items: (column) => ({
    show: (cell, line, labels) => showItems(cell, itemsOf(column, line), labels),
    key: (line) => line, // lines come in the order of their items
  }),
  length: (column, columns) => {
    const lengths = columns[column.of].lengths;
    return { show: (cell, line) => (cell.textContent = asCount(lengths[line])), key: (line) => lengths[line] };
  },
  count: (column) => ({
    show: (cell, line) => (cell.textContent = asCount(column.values[line])),
    key: (line) => column.values[line],
  }),
  change: (column) => ({
    show: (cell, line) => (cell.textContent = asChange(column.values[line])),
    key: (line) => Math.abs(column.values[line]),
  }),
  share: (column, columns) => {
    const parts = columns[column.of].values;
    const whole = Array.isArray(column.wholes) ? (line) => column.wholes[line] : () => column.wholes;
    return {
      show: (cell, line) => (cell.textContent = asShare(Math.abs(parts[line]), whole(line))),
      key: (line) => Math.abs(parts[line]) / whole(line),
    };
  },
};

function itemsOf(column, line) {
  column.starts ??= column.lengths.reduce((starts, length, at) => ((starts[at + 1] = starts[at] + length), starts),
    new Uint32Array(column.lengths.length + 1));
  return column.items.slice(column.starts[line], column.starts[line + 1]);
}

function showItems(cell, items, labels) {
  items.forEach((item, place) => {
    if (place) {
      const comma = document.createElement("span");
      comma.className = "hidden";
      comma.textContent = ", ";
      cell.append(comma, " ");
    }
    const chip = document.createElement("span");
    chip.className = "item";
    chip.dir = "auto";
    chip.textContent = labels[item];
    cell.append(chip);
  });
}

function browse(box) {
  const data = JSON.parse(box.querySelector("script").textContent);
  const shown = data.columns.map((column) => KINDS[column.kind](column, data.columns));
  const total = data.columns[0].lengths.length;
  const body = box.querySelector("tbody");
  const heads = [...box.querySelectorAll("thead th")];
  const [search, length] = box.querySelectorAll(".controls input, .controls select");
  const said = box.querySelector("output");
  const pager = box.querySelector(".pager");
  const [first, previous, next, last] = pager.querySelectorAll("button");
  const sides = data.columns.filter((column) => column.kind === "items");
  const lowered = data.labels.map((label) => label.toLowerCase());
  const order = { column: data.by, up: data.by === 0 };
  let lines = [];
  let at = 0;

  function find() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const meets = words.map((word) => lowered.map((label) => label.includes(word)));
    const wanted = length && length.value ? Number(length.value) : 0;
    lines = [];
    for (let line = 0; line < total; line += 1) {
      if (wanted && sides[0].lengths[line] !== wanted) continue;
      if (meets.length) {
        const items = sides.flatMap((side) => [...itemsOf(side, line)]);
        if (!meets.every((met) => items.some((item) => met[item]))) continue;
      }
      lines.push(line);
    }
    sort();
  }

  function sort() {
    const key = shown[order.column].key;
    const sign = order.up ? 1 : -1;
    lines.sort((one, other) => sign * (key(one) - key(other)) || one - other);
    heads.forEach((head, column) => {
      const sorted = column === order.column;
      head.setAttribute("aria-sort", sorted ? (order.up ? "ascending" : "descending") : "none");
    });
    draw(0);
  }

  function draw(start, size = PAGE) {
    at = start;
    const rows = lines.slice(at, at + size).map((line) => {
      const row = document.createElement("tr");
      shown.forEach((column, place) => {
        const cell = document.createElement(place ? "td" : "th");
        if (!place) cell.scope = "row";
        if (data.columns[place].kind === "items") cell.className = "items";
        column.show(cell, line, data.labels);
        row.append(cell);
      });
      return row;
    });
    body.replaceChildren(...rows);
    const end = at + rows.length;
    const of = lines.length === total ? asCount(total) : `${asCount(lines.length)} found among ${asCount(total)}`;
    said.textContent = rows.length ? `${asCount(at + 1)} to ${asCount(end)} of ${of}` : `None of ${asCount(total)} found`;
    pager.hidden = lines.length <= PAGE;
    first.disabled = previous.disabled = at === 0;
    next.disabled = last.disabled = end >= lines.length;
  }

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      order.up = order.column === column ? !order.up : data.columns[column].kind === "items";
      order.column = column;
      sort();
    });
    head.replaceChildren(button);
  });
  search.addEventListener("input", find);
  if (length) length.addEventListener("change", find);
  first.addEventListener("click", () => draw(0));
  previous.addEventListener("click", () => draw(Math.max(0, at - PAGE)));
  next.addEventListener("click", () => draw(at + PAGE));
  last.addEventListener("click", () => draw(PAGE * Math.floor((lines.length - 1) / PAGE)));
  addEventListener("beforeprint", () => draw(at, PRINTED));
  addEventListener("afterprint", () => draw(at));
  box.querySelector(".controls").hidden = false;
  box.querySelector(".without-script").hidden = true;
  find();
}

document.querySelectorAll(".browse").forEach(browse);
