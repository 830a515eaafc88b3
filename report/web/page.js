"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const view = document.getElementById("view");
const S = data.strings;

// make returns an element; what is given as text stays text.
function make(tag, attrs, ...children) {
  const svg = ["svg", "g", "rect", "path", "text", "title", "circle", "line"].includes(tag);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v);
  }
  for (const c of children.flat()) if (c !== null && c !== undefined) e.append(c);
  return e;
}

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const percent = x => (100 * x).toFixed(2) + " %";
// download has the browser save rows as CSV (RFC 4180).
function download(name, rows) {
  const text = rows.map(row => row.map(v => /[",\n\r]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v).join(",")).join("\r\n") + "\r\n";
  const a = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  a.click();
  URL.revokeObjectURL(a.href);
}
const base = path => path.slice(path.lastIndexOf("/") + 1);
// brief is a function's or type's name without the path of its package.
const brief = name => { const end = name.search(/[[(]/), head = end < 0 ? name : name.slice(0, end); return name.slice(head.lastIndexOf("/") + 1); };

// The tables: rows are arrays of numbers, a count and the key's parts.
class Profile {
  constructor(t) {
    const { interval, ...rest } = t;
    Object.assign(this, rest);
    this.setting = interval;
    this.width = t.parts.length + 1;
    this.size = t.parts.length ? t.rows.length / this.width : 0;
    this.column = Object.fromEntries(t.parts.map((p, i) => [p, i]));
  }
  count(row) { return this.rows[row * this.width]; }
  // moments are the estimate of the true count, and its variance: events of one sample say as much
  // together as one does.
  moments(row) {
    if (this.weights) return [this.weights[2 * row], this.weights[2 * row + 1]];
    const n = this.count(row) * this.scale;
    return [n, this.scale === 1 ? 0 : n * this.scale * this.together];
  }
  estimate(row) { return this.moments(row)[0]; }
  part(row, name) {
    const i = this.column[name], v = this.rows[row * this.width + 1 + i];
    return this.numbers[i] ? v : S[v];
  }
  // interval is the score interval of a Poisson count with those moments, scaled.
  interval(row) {
    const [n, variance] = this.moments(row);
    if (!variance) return [n, n];
    const x = n * n / variance, z = 1.959964, half = z * Math.sqrt(x + z * z / 4);
    return [x + z * z / 2 - half, x + z * z / 2 + half].map(y => Math.max(0, y) * variance / n);
  }
  key(row) { return this.parts.map(p => this.part(row, p)).join(" "); }
  about() {
    if (this.variant === "exhaustive") return "every event counted";
    if (this.variant === "once" && this.samples && this.began) return `counted once a round: ${this.began}`;
    if (this.variant === "once") return this.samples ? "counted the first time alone" : "nothing was entered, or no traps were laid";
    if (this.began) return `${this.variant}, ${this.began}`;
    if (this.intervals) return `${this.variant}, intervals ${this.intervals.map(n => number.format(n)).join(", ")}`;
    if (!this.setting) return "sampling was off";
    if (!this.samples) return `${this.variant}, interval ${number.format(this.setting)}; no sample was taken`;
    const governed = this.governed ? `; ${this.governed}` : "";
    return `${this.variant}, interval ${number.format(this.setting)}${governed}`;
  }
}
const profiles = data.profiles.map(t => new Profile(t));
const find = name => profiles.find(p => p.name === name);
const calls = find("calledge"), fields = find("fieldaccess"), blocks = find("block"), contexts = profiles.find(p => p.flame);
const others = profiles.filter(p => ![calls, fields, blocks].includes(p));
const functions = new Map(data.functions.map(([f, file, line]) => [S[f], { file: S[file], line }]));

// Rows of call edges by caller and by callee.
const from = new Map(), to = new Map();
if (calls) {
  const enter = (m, k, row) => m.has(k) ? m.get(k).push(row) : m.set(k, [row]);
  for (let i = 0; i < calls.size; i++) { enter(from, calls.part(i, "caller"), i); enter(to, calls.part(i, "callee"), i); }
}

// A grid shows rows as a table that can be sorted and searched, and draws only
// those in sight. Columns have a heading, a width, a value to sort by, and a cell.
let grid = null; // that has the keyboard
function table(columns, rows, options = {}) {
  const height = 26, widths = columns.map(c => c.width).join(" ");
  const box = make("div", { class: "grid" + (options.short ? " short" : ""), tabindex: 0, role: "grid", "aria-label": options.file || "table", "aria-rowcount": rows.length });
  const head = make("div", { class: "head", role: "row", style: `grid-template-columns:${widths}` });
  const body = make("div", { role: "rowgroup", style: "position:relative" });
  const tally = make("span", { class: "note", role: "status" });
  const g = { shown: rows, picked: -1, text: null, sort: options.sort ?? 0, down: true };
  columns.forEach((c, i) => head.append(make("button", { class: c.number ? "n" : "", onclick: () => { g.down = g.sort === i ? !g.down : !!c.number; g.sort = i; arrange(); } }, c.name)));
  function arrange() {
    const words = (g.query || "").toLowerCase().split(/\s+/).filter(Boolean);
    g.text ||= words.length ? rows.map(r => options.text(r).toLowerCase()) : null;
    g.shown = words.length ? rows.filter((_, i) => words.every(w => g.text[i].includes(w))) : rows.slice();
    const value = columns[g.sort].value, sign = g.down ? -1 : 1;
    g.shown.sort((a, b) => { const x = value(a), y = value(b); return x < y ? -sign : x > y ? sign : 0; });
    [...head.children].forEach((b, i) => i === g.sort ? b.setAttribute("aria-sort", g.down ? "descending" : "ascending") : b.removeAttribute("aria-sort"));
    g.picked = -1;
    body.style.height = g.shown.length * height + "px";
    box.scrollTop = 0;
    tally.textContent = `${number.format(g.shown.length)} of ${number.format(rows.length)}`;
    draw();
  }
  // sight is what to draw: the rows in view, and some above and below.
  const sight = () => { const first = Math.max(0, Math.floor(box.scrollTop / height) - 20); return [first, Math.min(g.shown.length, first + Math.ceil((box.clientHeight || 800) / height) + 40)]; };
  function draw() {
    const [first, last] = g.drawn = sight();
    body.replaceChildren(...g.shown.slice(first, last).map((r, i) => make("div", {
      class: "row" + (first + i === g.picked ? " picked" : ""), role: "row", "aria-rowindex": first + i + 1,
      style: `grid-template-columns:${widths};top:${(first + i) * height}px`, onclick: e => { g.picked = first + i; if (e.target.tagName !== "A") draw(); },
    }, columns.map(c => make("span", { class: c.number ? "n" : "", title: c.title ? c.title(r) : null }, c.cell(r))))));
  }
  g.move = by => {
    if (!g.shown.length) return;
    g.picked = Math.min(g.shown.length - 1, Math.max(0, g.picked + by));
    const top = g.picked * height, room = box.clientHeight - 2 * height;
    if (top < box.scrollTop) box.scrollTop = top; else if (top > box.scrollTop + room) box.scrollTop = top - room;
    draw();
  };
  g.open = () => { if (g.picked >= 0 && options.open) options.open(g.shown[g.picked]); };
  g.search = text => { g.query = text; arrange(); };
  box.append(head, body);
  box.addEventListener("scroll", () => { const top = box.scrollTop / height; if (top < g.drawn[0] || top + box.clientHeight / height > g.drawn[1]) draw(); });
  box.addEventListener("focusin", () => { grid = g; });
  if (!options.short) grid = g;
  const search = make("input", { type: "search", placeholder: "Search: all of these words", "aria-label": "Search", oninput: e => g.search(e.target.value) });
  const save = make("button", { title: "Download these rows", onclick: () => download(`${options.file || "table"}.csv`, [columns.map(c => c.name), ...g.shown.map(r => columns.map(c => c.value(r)))]) }, "CSV");
  const whole = make("div", {}, options.short ? null : make("div", { class: "search" }, search, tally, save), box);
  queueMicrotask(arrange);
  return whole;
}

// ends is a text that is cut in its middle where there is no room for it: names differ at their ends.
const ends = text => text.length <= 28 ? text : make("span", { class: "ends" }, make("span", {}, text.slice(0, -20)), make("span", {}, text.slice(-20)));
const link = (name, text) => make("a", { href: "#function/" + encodeURIComponent(name), title: name }, ends(text ?? brief(name)));
const share = (x, most) => { const s = make("span", { class: "share", style: "display:block" }, make("i", { style: `width:${100 * x / (most || 1)}%` }), make("span", {}, percent(x))); return s; };
function counted(p) {
  const most = p.size ? p.estimate(0) / p.events : 1;
  return [
    { name: p.scale === 1 ? "count" : "estimate", width: "8rem", number: true, value: r => p.estimate(r), cell: r => number.format(p.estimate(r)), title: r => `${number.format(p.count(r))} counted; 95 %: ${p.interval(r).map(x => number.format(x)).join(" to ")}` },
    { name: "share", width: "9rem", number: true, value: r => p.estimate(r), cell: r => share(p.estimate(r) / p.events, most) },
  ];
}
const all = p => Array.from({ length: p.size }, (_, i) => i);
function callColumns() {
  const at = r => `${base(calls.part(r, "file"))}:${calls.part(r, "line")}`;
  return {
    caller: { name: "caller", width: "minmax(10rem,1fr)", value: r => calls.part(r, "caller"), cell: r => link(calls.part(r, "caller")) },
    callee: { name: "callee", width: "minmax(10rem,1fr)", value: r => calls.part(r, "callee"), cell: r => link(calls.part(r, "callee")) },
    op: { name: "kind", width: "3.5rem", value: r => calls.part(r, "op"), cell: r => calls.part(r, "op") },
    at: { name: "at", width: "minmax(7rem,14rem)", value: at, cell: at, title: r => `${calls.part(r, "file")}:${calls.part(r, "line")}:${calls.part(r, "col")}` },
  };
}
function callTable(rows, columns, options) {
  const c = callColumns();
  return table([...counted(calls), ...columns.map(n => c[n])], rows, { text: r => calls.key(r), file: "calls", ...options });
}

// fieldsByStruct adds up reads, writes and taken addresses.
function fieldsByStruct() {
  const structs = new Map();
  for (let i = 0; i < fields.size; i++) {
    const t = fields.part(i, "type"), name = fields.part(i, "field");
    if (!structs.has(t)) structs.set(t, { name: t, total: 0, fields: new Map() });
    const s = structs.get(t);
    if (!s.fields.has(name)) s.fields.set(name, { name, total: 0, read: 0, write: 0, addr: 0 });
    const f = s.fields.get(name), n = fields.estimate(i);
    f[fields.part(i, "access")] += n; f.total += n; s.total += n;
  }
  return [...structs.values()].sort((a, b) => b.total - a.total);
}
// orders are how the fields of structs lie, by the struct's name.
const orders = new Map(data.structs.map(s => [s.name, s]));
// lines draws fields as they lie in cache lines of 64 bytes.
function lines(o, title) {
  const per = 64, rows = [];
  for (let at = 0; at < o.size; at += per) {
    const here = Math.min(per, o.size - at);
    const parts = o.fields.filter(f => f.size && f.offset < at + per && f.offset + f.size > at).map(f => {
      const from = Math.max(f.offset, at), to = Math.min(f.offset + f.size, at + per);
      return make("i", { class: f.hot ? "hot" : null, title: `${f.name}: ${f.size} bytes at ${f.offset}`, style: `left:${100 * (from - at) / here}%;width:${100 * (to - from) / here}%` }, f.name);
    });
    rows.push(make("div", { class: "line", style: `width:min(${100 * here / per}%,${here}rem)` }, parts));
  }
  return make("div", { class: "order" }, make("p", { class: "note" }, `${title}: ${number.format(o.size)} bytes, hot fields on ${o.lines} of ${rows.length} cache lines`), rows);
}
function orderView(s) {
  const o = orders.get(s.name);
  if (!o) return [];
  return [lines(o.now, "now"), o.proposed ? lines(o.proposed, "proposed") : make("p", { class: "note" }, "no better order is known")];
}
function structView(s, open) {
  const list = [...s.fields.values()].sort((a, b) => b.total - a.total), most = list[0].total;
  const width = n => `width:${100 * n / most}%`;
  return make("details", { class: "struct", open: open ? "" : null },
    make("summary", { title: s.name }, `${brief(s.name)} — ${short.format(s.total)} accesses, ${percent(s.total / fields.events)}`),
    list.map(f => make("div", { class: "field" }, make("span", {}, f.name),
      make("span", { class: "meter" }, make("i", { style: width(f.read) }), make("i", { class: "write", style: width(f.write) }), make("i", { class: "addr", style: width(f.addr) })),
      make("span", { class: "n" }, number.format(f.total)),
      make("span", { class: "note" }, ["read", "write", "addr"].filter(k => f[k]).map(k => `${k} ${short.format(f[k])}`).join(", ")))), orderView(s));
}

// heatOf shows how a struct's fields are used, as they lie: how often, by how many goroutines, and, darker the more often, which
// were near each other.
function heatOf(t, events, open) {
  const most = Math.max(...t.fields.map(f => f.loads + f.stores)), width = n => `width:${100 * n / most}%`;
  const near = (f, g) => (f.together || {})[g.name] || 0;
  const company = f => t.fields.filter(g => near(f, g) >= .1).sort((a, b) => near(f, b) - near(f, a)).slice(0, 3).map(g => `${g.name} ${Math.round(100 * near(f, g))} %`).join(", ");
  const cells = f => t.fields.length > 40 ? null : make("span", { class: "near", title: company(f) && `of the references to ${f.name}, so many were near one of the same object's: ${company(f)}` },
    t.fields.map(g => make("i", { style: f === g ? null : `opacity:${near(f, g)}` })));
  return make("details", { class: "struct", open: open ? "" : null },
    make("summary", { title: t.type }, `${brief(t.type)} — ${short.format(t.references)} references, ${percent(t.references / events)}`),
    t.fields.map(f => make("div", { class: "field heat" }, make("span", { title: `${number.format(f.size)} bytes at ${number.format(f.offset)}` }, f.name),
      make("span", { class: "meter" }, make("i", { style: width(f.loads) }), make("i", { class: "write", style: width(f.stores) })),
      make("span", { class: "n" }, number.format(f.loads + f.stores)), cells(f),
      make("span", { class: "note" }, `${f.goroutines} goroutine${f.goroutines === 1 ? "" : "s"}${company(f) && ", with " + company(f)}`))),
    t.made ? make("p", { class: "note" }, `Put on the heap: ${t.made.slice(0, 4).map(p => `${percent(p.share)} in ${brief(p.function)} at ${base(p.file)}:${p.line} (${p.by})`).join(", ")}`) : null);
}

// otherView is the table of an instrumentation that is not dupinst's own: a column for each part of
// its key, but for what says where.
function otherView(p) {
  const where = ["file", "line", "col", "endline", "endcol"], placed = p.column.file !== undefined;
  const at = r => base(p.part(r, "file")) + (p.column.line !== undefined ? ":" + p.part(r, "line") : "");
  if (p.size < p.keys) view.append(make("p", { class: "note" }, `The hottest ${number.format(p.size)} of ${number.format(p.keys)} keys are on this page.`));
  view.append(table([...counted(p),
    ...p.parts.filter(name => !where.includes(name) || !placed).map(name => ({ name, width: "minmax(8rem,1fr)", number: p.numbers[p.column[name]], value: r => p.part(r, name), cell: r => ends(String(p.part(r, name))) })),
    ...(placed ? [{ name: "at", width: "minmax(8rem,16rem)", value: at, cell: at, title: r => p.part(r, "file") }] : [])], all(p),
    { text: r => p.key(r), file: p.name }));
}

// own is what the view of such an instrumentation is called: none of the others, whatever the instrumentation's name is.
const own = p => "profile:" + p.name;

const views = {
  flame: node => flameView(Number(node)),
  overview() {
    view.append(make("div", { class: "cards" }, profiles.map(p => {
      const facts = { "events counted": number.format(p.total), "at keys": number.format(p.keys), how: p.about() };
      if (p.variant !== "exhaustive" && p.variant !== "once") Object.assign(facts, {
        checks: number.format(p.checks), samples: number.format(p.samples), "an event stands for": p.scale.toFixed(p.scale === 1 ? 0 : 1),
        "overlap with the truth": p.setting === 1 ? "exact" : `${p.expected.toFixed(1)} % to be expected of as many independent samples`,
      });
      if (p.dropped) facts.dropped = `${number.format(p.dropped)} events, for want of room for callees`;
      return make("div", { class: "card" }, make("h2", {}, p.name), make("dl", {}, Object.entries(facts).flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)])));
    })));
    if (calls && calls.size) view.append(make("h2", {}, "Hottest calls"), callTable(all(calls).slice(0, 12), ["caller", "callee", "at"], { short: true, open: r => go("function", calls.part(r, "callee")) }));
    if (fields && fields.size) view.append(make("h2", {}, "Hottest structs"), make("div", {}, fieldsByStruct().slice(0, 4).map((s, i) => structView(s, i === 0))));
  },
  calls() {
    view.append(callTable(all(calls), ["caller", "callee", "op", "at"], { open: r => go("function", calls.part(r, "callee")) }));
  },
  graph() {
    const many = make("input", { type: "range", min: 5, max: 80, value: 20, "aria-label": "Edges", oninput: () => draw() }), box = make("div", { class: "drawing" });
    const draw = () => { box.replaceChildren(callGraph(+many.value)); box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2; };
    view.append(make("div", { class: "search" }, make("label", {}, "Hottest edges "), many, make("span", { class: "note" }, "a line's width is its share; a click opens the function")), box);
    queueMicrotask(draw);
  },
  fields() {
    const list = fieldsByStruct(), box = make("div", {});
    const show = text => {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const some = list.filter(s => words.every(w => (s.name + " " + [...s.fields.keys()].join(" ")).toLowerCase().includes(w)));
      box.replaceChildren(...some.slice(0, 200).map((s, i) => structView(s, i < 5)), make("p", { class: "note" }, `${Math.min(200, some.length)} of ${number.format(list.length)} structs`));
    };
    view.append(make("div", { class: "search" }, make("input", { type: "search", placeholder: "Search structs and fields", "aria-label": "Search", oninput: e => show(e.target.value) }),
      make("span", { class: "note" }, "reads, then writes, then addresses taken; the bar is the share of the struct's hottest field")), box);
    show("");
  },
  heat() {
    const h = data.heat, box = make("div", {}), events = h.structs.reduce((s, t) => s + t.references, 0);
    const show = text => {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const some = h.structs.filter(t => words.every(w => (t.type + " " + t.fields.map(f => f.name).join(" ")).toLowerCase().includes(w)));
      box.replaceChildren(...some.slice(0, 200).map((t, i) => heatOf(t, events, i < 3)), make("p", { class: "note" }, `${Math.min(200, some.length)} of ${number.format(h.structs.length)} structs`));
    };
    view.append(make("div", { class: "search" }, make("input", { type: "search", placeholder: "Search structs and fields", "aria-label": "Search", oninput: e => show(e.target.value) }),
      make("span", { class: "note" }, `${number.format(h.seen)} references with their addresses, in ${number.format(h.bursts)} windows; loads, then stores`)), box);
    show("");
    if (!h.handovers) return;
    view.append(make("h2", {}, "Cache lines that go from one goroutine to another"), make("p", { class: "note" }, "Falsely: they had no word in common, and fields apart would let each goroutine have its own line."));
    const names = v => [...new Set(v.fields.map((f, i) => brief(f) + (v.stores[i] ? " (stored)" : "")))].join(", ");
    const count = name => ({ name: name === "false" ? "falsely" : name, width: "6rem", number: true, value: v => v[name], cell: v => number.format(v[name]) });
    view.append(table([count("times"), count("false"), count("lines"), { name: "fields", width: "minmax(16rem,1fr)", value: names, cell: names, title: v => v.fields.join(", ") }], h.handovers, { text: names, file: "handovers", short: true }));
  },
  blocks() {
    const at = r => `${base(blocks.part(r, "file"))}:${blocks.part(r, "line")}`;
    view.append(table([...counted(blocks),
      { name: "function", width: "minmax(10rem,1fr)", value: r => blocks.part(r, "function"), cell: r => link(blocks.part(r, "function")) },
      { name: "at", width: "minmax(8rem,16rem)", value: at, cell: at, title: r => blocks.part(r, "file") }], all(blocks),
      { text: r => blocks.key(r), file: "blocks", open: r => go("function", blocks.part(r, "function")) }));
  },
  ...Object.fromEntries(others.map(p => [own(p), () => otherView(p)])),
  packages() {
    const sums = new Map();
    const add = (p, name, what) => { for (let i = 0; i < p.size; i++) { const k = packageOf(p.part(i, name)); if (!sums.has(k)) sums.set(k, { k, calls: 0, accesses: 0, entries: 0 }); sums.get(k)[what] += p.estimate(i); } };
    if (calls) add(calls, "caller", "calls");
    if (fields) add(fields, "type", "accesses");
    if (blocks) add(blocks, "function", "entries");
    const list = [...sums.values()].sort((a, b) => b.calls - a.calls || b.accesses - a.accesses || b.entries - a.entries);
    const column = (name, of, p) => p ? [{ name, width: "8rem", number: true, value: i => list[i][of], cell: i => number.format(list[i][of]) },
      { name: "share", width: "8rem", number: true, value: i => list[i][of], cell: i => share(list[i][of] / (p.events || 1), Math.max(...list.map(x => x[of])) / (p.events || 1)) }] : [];
    view.append(make("p", { class: "note" }, "Calls that the package's functions make, accesses to fields of its structs, entries of its blocks."),
      table([...column("calls", "calls", calls), ...column("accesses", "accesses", fields), ...column("entries", "entries", blocks),
        { name: "package", width: "minmax(14rem,1fr)", value: i => list[i].k, cell: i => ends(list[i].k), title: i => list[i].k }],
      list.map((_, i) => i), { text: i => list[i].k, file: "packages" }));
  },
  compare() {
    for (const c of data.against) {
      view.append(make("h2", {}, c.instrumentation), make("dl", {}, Object.entries({
        overlap: `${c.overlap.toFixed(2)} %`, "to be expected": !c.trueSampled ? `${c.expected.toFixed(2)} %, of as many independent samples` : `${c.chance.toFixed(2)} %, of two samples of one program`,
        "differ by more than chance": `${number.format(c.significant)} keys`,
        against: `${c.variant}${c.interval ? `, interval ${number.format(c.interval)}` : ""}: ${number.format(c.trueTotal)} events at ${number.format(c.trueKeys)} keys`, own: `${number.format(c.sampledTotal)} events at ${number.format(c.sampledKeys)} keys`,
      }).flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)])), differences(c), figure(c.shares || []));
    }
    view.append(make("p", { class: "note" }, "Bars are the other profile's shares of its hottest keys, circles this one's (Figure 7 of Arnold and Ryder)."));
  },
};

// packageOf is the path of a function's or type's package.
function packageOf(name) {
  const end = name.search(/[[(]/), head = end < 0 ? name : name.slice(0, end), slash = head.lastIndexOf("/"), dot = head.indexOf(".", slash);
  return (dot < 0 ? head : head.slice(0, dot)).replaceAll("%2e", ".");
}

// differences is a table of what changed, the most significant first.
function differences(c) {
  const list = c.differences, pair = s => `${percent(s.low)} to ${percent(s.high)}`;
  const side = (name, of) => ({ name, width: "6rem", number: true, value: i => of(list[i]).share, cell: i => percent(of(list[i]).share), title: i => `95 %: ${pair(of(list[i]))}` });
  const signed = x => (x < 0 ? "" : "+") + percent(x);
  return table([
    { name: "significance", width: "6.5rem", number: true, value: i => Math.abs(list[i].z), cell: i => list[i].significant ? Math.abs(list[i].z) >= 1000 ? "certain" : `${Math.abs(list[i].z).toFixed(1)} σ` : "chance?", title: i => `as large a difference by chance: ${list[i].p.toPrecision(2)}` },
    side("there", d => d.before), side("here", d => d.after),
    { name: "change", width: "6rem", number: true, value: i => list[i].difference, cell: i => signed(list[i].difference), title: i => `95 %: ${signed(list[i].low)} to ${signed(list[i].high)}` },
    { name: "95 %", width: "11rem", number: true, value: i => list[i].high - list[i].low, cell: i => `${signed(list[i].low)} to ${signed(list[i].high)}` },
    { name: "key", width: "minmax(16rem,1fr)", value: i => list[i].key, cell: i => ends(list[i].key), title: i => list[i].key },
  ], list.map((_, i) => i), { text: i => list[i].key, file: `${c.instrumentation}-differences` });
}

// figure draws bars and circles.
function figure(shares) {
  const w = 900, h = 240, most = Math.max(1e-9, ...shares.flatMap(s => [s.other, s.own])), step = w / Math.max(1, shares.length);
  const svg = make("svg", { viewBox: `-40 -10 ${w + 50} ${h + 20}`, width: "100%", role: "img", "aria-label": "Shares of the hottest keys, there and here" });
  for (let i = 0; i <= 4; i++) svg.append(make("line", { class: "axis", x1: 0, x2: w, y1: h - h * i / 4, y2: h - h * i / 4 }), make("text", { x: -6, y: h - h * i / 4 + 4, "text-anchor": "end" }, (most * i / 4).toFixed(1)));
  shares.forEach((s, i) => svg.append(make("g", {}, make("title", {}, `${s.key}: ${s.other.toFixed(2)} % there, ${s.own.toFixed(2)} % here`),
    make("rect", { class: "true", x: i * step, width: step * .8, y: h - h * s.other / most, height: h * s.other / most }),
    make("circle", { class: "sampled", cx: i * step + step * .4, cy: h - h * s.own / most, r: 4 }))));
  return make("div", { class: "drawing" }, svg);
}

// callGraph draws the hottest edges between functions in layers, callers above
// callees: a function is one layer below the lowest that calls it, edges that
// close a cycle aside.
function callGraph(many) {
  const sums = new Map();
  for (let i = 0; i < calls.size; i++) { const k = calls.part(i, "caller") + "\n" + calls.part(i, "callee"); sums.set(k, (sums.get(k) || 0) + calls.estimate(i)); }
  const edges = [...sums].sort((a, b) => b[1] - a[1]).slice(0, many).map(([k, n]) => { const [a, b] = k.split("\n"); return { a, b, n }; });
  const nodes = new Map(), out = new Map();
  for (const e of edges) { for (const f of [e.a, e.b]) if (!nodes.has(f)) { nodes.set(f, { name: f, layer: 0 }); out.set(f, []); } out.get(e.a).push(e); }
  const state = new Map(), order = [];
  const visit = f => { state.set(f, 1); for (const e of out.get(f)) { e.back = state.get(e.b) === 1; if (!state.has(e.b)) visit(e.b); } state.set(f, 2); order.unshift(f); };
  for (const f of nodes.keys()) if (!state.has(f)) visit(f);
  for (const f of order) for (const e of out.get(f)) if (!e.back) nodes.get(e.b).layer = Math.max(nodes.get(e.b).layer, nodes.get(f).layer + 1);
  const layers = [];
  for (const f of order) { const n = nodes.get(f); (layers[n.layer] ||= []).push(n); }
  const wide = 200, high = 28, gapX = 24, gapY = 64;
  for (let pass = 0; pass < 4; pass++) for (const layer of layers) {
    if (pass) for (const n of layer) { const near = edges.flatMap(e => e.a === n.name ? [nodes.get(e.b).x] : e.b === n.name ? [nodes.get(e.a).x] : []); n.pull = near.reduce((s, x) => s + x, 0) / (near.length || 1); }
    if (pass) layer.sort((a, b) => a.pull - b.pull);
    layer.forEach((n, i) => { n.x = (i - (layer.length - 1) / 2) * (wide + gapX); n.y = n.layer * (high + gapY); });
  }
  const widest = Math.max(1, ...layers.map(l => l.length)) * (wide + gapX), most = Math.max(1, ...edges.map(e => e.n));
  const svg = make("svg", { viewBox: `${-widest / 2 - 20} -20 ${widest + 40} ${layers.length * (high + gapY) + 20}`, width: Math.max(600, widest + 40), role: "img", "aria-label": "Call graph" });
  for (const e of edges) {
    const a = nodes.get(e.a), b = nodes.get(e.b), w = 1 + 9 * Math.sqrt(e.n / most), ay = a.y + high, bend = gapY * .6;
    const d = a === b ? `M${a.x + wide / 2} ${a.y + 8} c30 -20 30 40 0 14` : e.back || b.y <= a.y ? `M${a.x + wide / 2} ${a.y + high / 2} C${a.x + wide} ${a.y} ${b.x + wide} ${b.y} ${b.x + wide / 2} ${b.y + high / 2}` : `M${a.x} ${ay} C${a.x} ${ay + bend} ${b.x} ${b.y - bend} ${b.x} ${b.y}`;
    svg.append(make("path", { class: "edge", d, "stroke-width": w.toFixed(1) }, make("title", {}, `${e.a} calls ${e.b}: ${number.format(e.n)}, ${percent(e.n / calls.events)}`)));
  }
  for (const n of nodes.values()) {
    const text = brief(n.name), fits = text.length > 28 ? "…" + text.slice(-27) : text;
    svg.append(make("g", { class: "node", onclick: () => go("function", n.name) }, make("title", {}, n.name), make("rect", { x: n.x - wide / 2, y: n.y, width: wide, height: high, rx: 6 }), make("text", { x: n.x, y: n.y + 18, "text-anchor": "middle" }, fits)));
  }
  return svg;
}

// flameView shows contexts as a flame graph, the root on top: what is called lies under its caller, as wide as its share, the widest first.
// A click has what is under it fill the width.
function flameView(root) {
  const { callers, names, events, colder } = contexts.flame, high = 22, least = 3;
  const callees = callers.map(() => []);
  for (let i = 1; i < callers.length; i++) callees[callers[i]].push(i);
  for (const list of callees) list.sort((a, b) => events[b] - events[a]);
  if (!(root > 0 && root < callers.length)) root = 0;
  const name = node => S[names[node]];
  // hue is the same for all functions of a package.
  const hue = node => { let h = 0; const s = name(node), path = s.slice(0, s.length - brief(s).length) + brief(s).split(".")[0]; for (let i = 0; i < path.length; i++) h = (h * 31 + path.charCodeAt(i)) % 360; return h; };
  const box = make("div", { class: "flame" }), tally = make("span", { class: "note", role: "status" });
  const frames = new Map();
  let deepest = 0;
  function place(node, left, width, depth) {
    deepest = Math.max(deepest, depth);
    const text = `${name(node)}: ${number.format(events[node])}, ${percent(events[node] / events[0])} of all, ${percent(events[node] / events[callers[node]])} of its caller's`;
    const frame = make("button", { title: text, "aria-label": text, style: `left:${left}%;width:${width}%;top:${depth * high}px;background:hsl(${hue(node)} 45% var(--flame))`, onclick: () => go("flame", node) }, brief(name(node)));
    frames.set(node, frame);
    box.append(frame);
  }
  function placeAll(node, left, width, depth) {
    place(node, left, width, depth);
    for (const callee of callees[node]) {
      const share = width * events[callee] / events[node];
      if (share / 100 * (box.clientWidth || 1000) < least) break;
      placeAll(callee, left, share, depth + 1);
      left += share;
    }
  }
  const above = [];
  for (let node = root; node; node = callers[node]) above.unshift(callers[node]);
  // search marks the functions that have all words in their names, and says what share of the events is in them or in what they call.
  function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = node => words.length > 0 && words.every(w => name(node).toLowerCase().includes(w));
    const within = [];
    let sum = 0;
    for (let i = 0; i < callers.length; i++) {
      const is = found(i), inside = i > 0 && within[callers[i]];
      if (is && !inside) sum += events[i];
      within.push(is || inside);
      frames.get(i)?.classList.toggle("found", is);
    }
    tally.textContent = words.length ? `${percent(sum / events[0])} of the events are in these, or in what they call` : `${number.format(callers.length - 1)} contexts${colder ? `, without ${number.format(colder)} of fewer events` : ""}; a click has one fill the width`;
  }
  view.append(make("div", { class: "search" }, make("input", { type: "search", placeholder: "Mark functions: all of these words", "aria-label": "Search", oninput: e => search(e.target.value) }), tally,
    root ? make("button", { onclick: () => go("function", name(root)) }, "its callers, callees and source") : null), make("h2", {}, root ? name(root) : "Events by calling context"), box);
  above.forEach((node, depth) => place(node, 0, 100, depth));
  placeAll(root, 0, 100, above.length);
  box.style.height = (deepest + 1) * high + "px";
  search("");
}

// functionView shows who calls a function, what it calls, and its source.
function functionView(name) {
  const callers = to.get(name) || [], callees = from.get(name) || [], at = functions.get(name);
  const sum = rows => rows.reduce((s, r) => s + calls.estimate(r), 0);
  view.append(make("h2", {}, name));
  if (name.includes("[...]")) view.append(make("p", { class: "note" }, "All instances of this generic function are counted together."));
  if (calls) view.append(make("p", { class: "note" }, `called ${number.format(sum(callers))} times, calls ${number.format(sum(callees))} times`),
    make("div", { class: "both" },
      make("div", {}, make("h2", {}, "Callers"), callTable(callers, ["caller", "at"], { short: true, open: r => go("function", calls.part(r, "caller")) })),
      make("div", {}, make("h2", {}, "Callees"), callTable(callees, ["callee", "at"], { short: true, open: r => go("function", calls.part(r, "callee")) }))));
  const file = at ? at.file : callees.length ? calls.part(callees[0], "file") : "";
  view.append(make("h2", {}, file ? `${file}:${at ? at.line : ""}` : "Source"), source(file, at ? at.line : 0));
}

// source shows a file with counts in the margin: calls from each line and, if there
// are blocks, how often the one that begins in the line was entered.
function source(file, line) {
  const text = data.sources[file];
  if (text === undefined) return make("p", { class: "note" }, "The source is not on this page: it was not there when the page was made, or is not instrumented.");
  const made = new Map(), entered = new Map();
  const add = (m, p, r) => { const l = p.part(r, "line"); m.set(l, (m.get(l) || 0) + p.estimate(r)); };
  if (calls) for (let i = 0; i < calls.size; i++) if (calls.part(i, "file") === file) add(made, calls, i);
  if (blocks) for (let i = 0; i < blocks.size; i++) if (blocks.part(i, "file") === file) add(entered, blocks, i);
  const rows = text.split("\n").map((code, i) => {
    const n = made.get(i + 1), m = entered.get(i + 1);
    return make("tr", { class: (n || m ? "hot" : "") + (i + 1 === line ? " at" : "") }, blocks ? make("td", { class: "n" }, m ? short.format(m) : "") : null, make("td", { class: "n" }, n ? short.format(n) : ""), make("td", { class: "n" }, String(i + 1)), make("td", {}, code));
  });
  const box = make("div", { class: "source" }, make("table", {}, make("tbody", {}, rows)));
  if (line) queueMicrotask(() => { box.scrollTop = Math.max(0, rows[Math.min(line, rows.length) - 1].offsetTop - 60); });
  return box;
}

// The tabs, the address and the keyboard.
const tabs = [["overview", "Overview", true], ["calls", "Calls", calls], ["graph", "Graph", calls], ["fields", "Fields", fields], ["heat", "Heat", data.heat], ["blocks", "Blocks", blocks], ["flame", "Flame graph", contexts], ...others.map(p => [own(p), p.name, true]), ["packages", "Packages", true], ["compare", "Compare", data.against.length]].filter(t => t[2]);
function go(name, what) { location.hash = what === undefined ? name : name + "/" + encodeURIComponent(what); }
function show() {
  const [name, what] = (location.hash.slice(1) || "overview").split("/", 2);
  view.replaceChildren();
  grid = null;
  document.getElementById("tabs").replaceChildren(...tabs.map(([id, text]) => make("a", { href: "#" + id, "aria-current": id === name ? "page" : null }, text)));
  if (name === "function") functionView(decodeURIComponent(what || "")); else (views[tabs.some(t => t[0] === name) ? name : "overview"])(what);
  window.scrollTo(0, 0);
}
const help = document.getElementById("help");
const root = document.documentElement.classList;
function theme() { const dark = root.contains("dark") || !root.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches; root.remove("light", "dark"); root.add(dark ? "light" : "dark"); }
document.getElementById("theme").addEventListener("click", theme);
document.getElementById("keys").addEventListener("click", () => help.showModal());
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || help.open) return;
  const typing = e.target.tagName === "INPUT" && e.target.type === "search";
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, ...(typing ? {} : { j: 1, k: -1 }) };
  if (moves[e.key] && grid) grid.move(moves[e.key]);
  else if (e.key === "Enter" && grid && e.target.tagName !== "A" && e.target.tagName !== "BUTTON") grid.open();
  else if (typing && e.key === "Escape") e.target.blur();
  else if (typing) return;
  else if (e.key === "/") view.querySelector("input[type=search]")?.focus();
  else if (e.key === "Backspace") history.back();
  else if (e.key === "t") theme();
  else if (e.key === "?") help.showModal();
  else if (/^[1-9]$/.test(e.key) && tabs[e.key - 1]) go(tabs[e.key - 1][0]);
  else return;
  e.preventDefault();
});
addEventListener("hashchange", show);
show();

// A page that is served is loaded again when there is something else to show; the view stays.
const stamp = document.querySelector("meta[name=stamp]");
if (stamp) setInterval(async () => {
  if (document.hidden) return;
  try {
    const r = await fetch("stamp");
    if (!r.ok || await r.text() === stamp.content) return;
    if (![...document.querySelectorAll("input[type=search]")].some(i => i.value)) location.reload();
    else if (!document.getElementById("newer")) document.querySelector(".tools").prepend(make("button", { id: "newer", onclick: () => location.reload() }, "newer counts"));
  } catch { /* the server has ended: what is shown stays */ }
}, 3000);
