// Shows an LSTM over an input: the cells over time, the gates of one of them, and how the next state comes about.
"use strict";
const data = JSON.parse(document.getElementById("weightsmith-lstm").textContent);
const PARTS = ["input gate", "forget gate", "candidate", "cell", "output gate", "hidden"];
const sigmoid = (z) => 0.5 * (1 + Math.tanh(0.5 * z));
const dot = (row, x) => row.reduce((sum, w, j) => sum + w * x[j], 0);
const byId = (id) => document.getElementById(id);
const state = { tokens: data.input, step: data.input.length - 1, cell: data.first, values: [], outputs: [] };

function run(tokens) {
  const n = data.cells.length, place = new Map(data.vocabulary.map((token, i) => [token, i]));
  let cell = new Array(n).fill(0), hidden = new Array(n).fill(0);
  const values = [], outputs = [];
  for (const token of tokens) {
    const x = data.embedding[place.get(token)];
    const z = data.W_x.map((row, k) => dot(row, x) + dot(data.W_h[k], hidden) + data.b[k]);
    const i = cell.map((_, m) => sigmoid(z[m])), f = cell.map((_, m) => sigmoid(z[n + m]));
    const g = cell.map((_, m) => Math.tanh(z[2 * n + m])), o = cell.map((_, m) => sigmoid(z[3 * n + m]));
    cell = cell.map((c, m) => f[m] * c + i[m] * g[m]);
    hidden = cell.map((c, m) => o[m] * Math.tanh(c));
    values.push([i, f, g, cell, o, hidden]);
    const logits = data.output.map((row, c) => dot(row, hidden) + data.output_bias[c]);
    outputs.push(data.classes[logits.indexOf(Math.max(...logits))]);
  }
  return { values, outputs };
}

function text(x) {
  const rounded = Math.abs(x) < 5e-4 ? 0 : x;
  return String(Number(rounded.toPrecision(3))).replace("-", "−");
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function numberCell(x, most, here) {
  const strength = Math.min(4, Math.ceil((4 * Math.abs(x)) / most - 1e-9));
  const kind = Math.abs(x) < 5e-4 ? "zero" : x > 0 ? `up${strength}` : `down${strength}`;
  return element("td", { class: here ? `${kind} here` : kind }, text(x));
}

function largest(rows) {
  return Math.max(1e-9, ...rows.flat().map(Math.abs));
}

function header(first, names, here, press) {
  const row = element("tr", {}, element("th", { scope: "col" }, first));
  names.forEach((name, t) => {
    const label = press ? element("button", { type: "button" }, name) : name;
    if (press) label.addEventListener("click", () => press(t));
    row.append(element("th", { scope: "col", class: t === here ? "here" : "" }, label));
  });
  return row;
}

function fill(table, ...rows) {
  table.replaceChildren(...rows);
}

function drawCells() {
  const rows = data.shown.map((m) => state.values.map((step) => step[3][m]));
  const most = largest(rows);
  fill(
    byId("cells"),
    header("cell state", state.tokens, state.step, go),
    ...data.shown.map((m, k) => {
      const button = element("button", { type: "button", "aria-pressed": String(m === state.cell) }, data.cells[m]);
      button.addEventListener("click", () => { state.cell = m; draw(); });
      return element("tr", {}, element("th", { scope: "row" }, button),
        ...rows[k].map((x, t) => numberCell(x, most, t === state.step)));
    }),
    element("tr", {}, element("th", { scope: "row" }, "output"),
      ...state.outputs.map((said, t) => element("td", { class: t === state.step ? "here" : "" }, said))),
  );
}

function drawGates() {
  fill(
    byId("gates"),
    header(data.cells[state.cell], state.tokens, state.step, go),
    ...PARTS.map((part, p) => {
      const row = state.values.map((step) => step[p][state.cell]);
      return element("tr", { class: part === "cell" ? "strong" : "" }, element("th", { scope: "row" }, part),
        ...row.map((x, t) => numberCell(x, Math.max(1, largest([row])), t === state.step)));
    }),
  );
  const [i, f, g, c, o, h] = state.values[state.step].map((part) => part[state.cell]);
  const before = state.step > 0 ? state.values[state.step - 1][3][state.cell] : 0;
  byId("sum").textContent =
    `cell = ${text(f)} × ${text(before)} + ${text(i)} × ${text(g)} = ${text(c)}   (forget × before + input × candidate)\n` +
    `hidden = ${text(o)} × tanh(${text(c)}) = ${text(h)}   (output gate × tanh of the cell)`;
}

function drawStream() {
  const beside = data.beside;
  if (!beside) return;
  byId("beside").hidden = false;
  const same = beside.tokens.join("\n") === state.tokens.join("\n");
  byId("other").hidden = same;
  const position = same ? state.step : beside.tokens.length - 1;
  const rows = beside.lanes.map((_, lane) => beside.stream.map((stage) => stage[position][lane]));
  const most = largest(rows);
  byId("token").textContent = `${beside.tokens[position]} (position ${position})`;
  fill(byId("stream"), header("lane", beside.stages, -1, null),
    ...rows.map((row, lane) => element("tr", {}, element("th", { scope: "row" }, beside.lanes[lane]),
      ...row.map((x) => numberCell(x, most, false)))));
}

function draw() {
  byId("step").max = String(state.tokens.length - 1);
  byId("step").value = String(state.step);
  byId("now").textContent = `after ${state.tokens[state.step]}: ${state.outputs[state.step]}`;
  drawCells();
  drawGates();
  drawStream();
}

function go(step) {
  state.step = Math.max(0, Math.min(state.tokens.length - 1, step));
  draw();
}

function read(line) {
  const tokens = data.separator ? line.split(/\s+/).filter(Boolean) : [...line];
  const unknown = tokens.find((token) => !data.vocabulary.includes(token));
  const known = data.vocabulary.slice(0, 40).join(" ");
  byId("problem").textContent =
    tokens.length === 0 ? `Type some of: ${known}` : unknown === undefined ? "" : `${unknown} is not known. Write: ${known}`;
  if (byId("problem").textContent || tokens.length > data.longest) return;
  Object.assign(state, { tokens, step: tokens.length - 1 }, run(tokens));
  draw();
}

byId("input").value = data.input.join(data.separator);
byId("input").addEventListener("input", (event) => read(event.target.value));
byId("step").addEventListener("input", (event) => go(Number(event.target.value)));
byId("back").addEventListener("click", () => go(state.step - 1));
byId("forth").addEventListener("click", () => go(state.step + 1));
document.addEventListener("keydown", (event) => {
  if (event.target === byId("input") || event.target === byId("step")) return;
  const by = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  go(state.step + by);
});
Object.assign(state, run(state.tokens));
draw();
