// src/engine/words.ts
var e = class extends Error {}, t = 80, n = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u, r = (e) => !n.test(e);
function i(e) {
	let t = e.length;
	for (let n = 0; n + 1 < e.length; n++) (e.charCodeAt(n) & 64512) == 55296 && (e.charCodeAt(n + 1) & 64512) == 56320 && t--;
	return t;
}
var a = (e, t) => Array.from(e.slice(0, 2 * t)).slice(0, t).join("");
function o(e) {
	let t = e.includes("'") && !e.includes("\"") ? "\"" : "'", n = {
		"\n": "\\n",
		"\r": "\\r",
		"	": "\\t",
		"\\": "\\\\",
		[t]: "\\" + t
	};
	return t + Array.from(e, (e) => {
		if (Object.hasOwn(n, e)) return n[e];
		if (r(e)) return e;
		let t = e.codePointAt(0) ?? 0, [i, a] = t < 256 ? ["\\x", 2] : t < 65536 ? ["\\u", 4] : ["\\U", 8];
		return i + t.toString(16).padStart(a, "0");
	}).join("") + t;
}
function s(e, n = t) {
	return a(c(e, n, 0), n);
}
function c(e, t, n) {
	if (e == null) return "None";
	if (typeof e == "string") return o(a(e, t));
	if (typeof e == "boolean") return e ? "True" : "False";
	if (typeof e == "number") return l(e);
	if (typeof e == "bigint") return e > 1n << 10000n ? "a huge number" : String(e);
	let r = e instanceof Map, i = r ? "{}" : "[]";
	if (n > 8) return i[0] + "…" + i[1];
	let s = i[0];
	for (let i of e) {
		if (s.length > t) return s;
		s += s.length > 1 ? ", " : "", s += (r ? i : [i]).map((e) => c(e, t, n + 1)).join(": ");
	}
	return s + i[1];
}
function l(e) {
	let t = Math.abs(e);
	if (e === 0) return Object.is(e, -0) ? "-0.0" : "0.0";
	let n = t >= 1e-4 && t < 0x2386f26fc10000, r = n ? String(e) : e.toExponential();
	return n ? Number.isInteger(e) ? r + ".0" : r : r.replace(/e([+-])(\d)$/, "e$10$2");
}
function u(e) {
	if (e === 0) return Object.is(e, -0) ? "-0" : "0";
	let [t, n] = e.toExponential(5).split("e");
	if (Number(n) >= -4 && Number(n) < 6) return String(Number(e.toPrecision(6)));
	let r = n[0] === "-" ? "-" : "+";
	return `${Number(t)}e${r}${n.slice(1).padStart(2, "0")}`;
}
var d = (e) => e.toLocaleString("en-US");
function f(e) {
	let n = a(e, 81), s = r(n) && n.trim() === n && n !== "" ? n : o(n);
	return i(s) <= t ? s : a(s, 79) + "…";
}
function p(e) {
	let t = [];
	for (let n of e.slice(0, 12)) {
		if (t.length && i([...t, f(n)].join(", ")) > 176) break;
		t.push(f(n));
	}
	return t.join(", ") + (t.length === e.length ? "" : `, … (${e.length} in all)`);
}
// src/engine/arithmetic.ts
var m = 25, h = 10, g = /* @__PURE__ */ new Map([
	["float16", {
		precision: 11,
		least: -14,
		infinity: 65504,
		fixed: !1
	}],
	["bfloat16", {
		precision: 8,
		least: -126,
		infinity: 255 * 2 ** 120,
		fixed: !1
	}],
	["e4m3", {
		precision: 4,
		least: -6,
		infinity: 448,
		fixed: !1
	}],
	["e5m2", {
		precision: 3,
		least: -14,
		infinity: 57344,
		fixed: !1
	}]
]), _ = /* @__PURE__ */ new Float64Array(1), ee = new Uint32Array(_.buffer), v = class {
	text;
	infinity;
	smallest;
	native;
	fixed;
	mode;
	halves;
	magics;
	settled = /* @__PURE__ */ new Map();
	constructor(e, t, n = "zero") {
		if (this.text = e, this.native = typeof t == "number" ? t : 0, this.mode = [
			"zero",
			"even",
			"away"
		].indexOf(n), this.halves = new Float64Array(this.native ? 0 : 2048), this.magics = new Float64Array(this.native ? 0 : 2048), typeof t == "number") this.infinity = t === 64 ? Number.MAX_VALUE : (2 - 2 ** -23) * 2 ** 127, this.smallest = t === 64 ? Number.MIN_VALUE : 2 ** -149, this.fixed = !1;
		else {
			this.infinity = t.infinity, this.smallest = 2 ** (t.least - t.precision + 1), this.fixed = t.fixed;
			for (let e = 0; e < 2048; e++) {
				let n = Math.min(Math.max(e - 1023, t.least), 600) - t.precision + 1, r = t.fixed ? this.smallest : 2 ** n;
				this.halves[e] = r / 2, this.magics[e] = r * te;
			}
		}
	}
	nearest(e) {
		if (this.native) return (this.native === 32 ? Math.fround(e) : e) + 0;
		if (e >= this.infinity) return this.infinity;
		if (e <= -this.infinity) return -this.infinity;
		_[0] = e;
		let t = ee[1] >>> 20 & 2047, n = this.magics[t], r = e + n - n, i = e - r, a = this.halves[t];
		return (i === a || i === -a ? y(e, r, a, this.mode) : r) + 0;
	}
	nearestSum(e) {
		return this.fixed ? e > this.infinity ? this.infinity : e < -this.infinity ? -this.infinity : e : this.nearest(e);
	}
	round(e) {
		return this.nearest(Math.min(Math.max(e, -this.infinity), this.infinity));
	}
	contains(e) {
		return Number.isFinite(e) && this.nearest(e) === e;
	}
	dot(e, t, n, r, i, a) {
		return this.native ? this.machineDot(e, t, n, r, i, a) : this.fixed ? this.fixedDot(e, t, n, r, i, a) : this.floatDot(e, t, n, r, i, a);
	}
	machineDot(e, t, n, r, i, a) {
		let o = 0;
		if (this.native === 64) for (let s = 0; s < a; s++) o += e[t + i[s]] * n[r + i[s]];
		else for (let s = 0; s < a; s++) o = Math.fround(o + Math.fround(e[t + i[s]] * n[r + i[s]]));
		return o + 0;
	}
	fixedDot(e, t, n, r, i, a) {
		let { infinity: o, mode: s } = this, c = this.magics[0], l = this.halves[0], u = 0;
		for (let d = 0; d < a; d++) {
			let a = e[t + i[d]] * n[r + i[d]], f = a + c - c, p = a - f;
			(p === l || p === -l) && (f = y(a, f, l, s)), u += f > o ? o : f < -o ? -o : f, u > o ? u = o : u < -o && (u = -o);
		}
		return u + 0;
	}
	floatDot(e, t, n, r, i, a) {
		let { infinity: o, mode: s, magics: c, halves: l } = this, u = 0;
		for (let d = 0; d < a; d++) {
			let a = e[t + i[d]] * n[r + i[d]];
			if (a !== 0) {
				for (let e = 0; e < 2; e++) {
					if (a >= o) a = o;
					else if (a <= -o) a = -o;
					else {
						_[0] = a;
						let e = ee[1] >>> 20 & 2047, t = c[e], n = a + t - t, r = a - n;
						a = r === l[e] || r === -l[e] ? y(a, n, l[e], s) : n;
					}
					e === 0 && (a += u);
				}
				u = a;
			}
		}
		return u + 0;
	}
}, te = 1.5 * 2 ** 52;
function y(e, t, n, r) {
	return r === 1 ? t : e > 0 == (r === 2) ? e + n : e - n;
}
var ne = /^\s*([a-z0-9]+)\s*(?:\(\s*(?:([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*)?(?:(?:,|(?<=\())\s*ties\s*=\s*([a-z]+)\s*)?\)\s*)?$/, b = /* @__PURE__ */ new Map();
function x(t) {
	let n = typeof t == "string" && t.length <= 100 ? ne.exec(t.toLowerCase()) : null, r = n && re(n, t.includes("("));
	if (!r) {
		let n = [...g.keys()].join(", ");
		throw new e(`${s(t, 120)} is not an arithmetic: write fixed(4,4), float(4,3), one of ${n} (each also with ties=even or ties=away, as in fixed(4,4,ties=even)), float32 or float64`);
	}
	return b.has(r.text) || b.set(r.text, r), b.get(r.text) ?? r;
}
function re([, t, n, r, i], a) {
	let o = i ?? "zero", c = Number(n), l = Number(r), u = n !== void 0, d = o === "zero" ? "" : `ties=${o}`;
	if ((u && [
		"fixed",
		"float",
		"twos"
	].includes(t) || !u && g.has(t)) && ![
		"zero",
		"even",
		"away"
	].includes(o)) throw new e(`ties=${s(o)} is not a tie rule: write one of zero, even, away`);
	let f = `${t}(${[
		String(c),
		String(l),
		d
	].filter(Boolean).join(",")})`;
	if (u && t === "float") {
		S("exponent_bits", c, "Float", 1, h), S("significand_bits", l, "Float", 2, m);
		let e = (2 ** l - 1) * 2 ** (2 ** (c - 1) - l);
		return new v(f, {
			precision: l,
			least: -(2 ** (c - 1)),
			infinity: e,
			fixed: !1
		}, o);
	}
	if (u && (t === "fixed" || t === "twos")) {
		let n = t === "fixed" ? "Fixed" : "TwosComplement";
		if (S("integer_bits", c, n, 0, m), S("fraction_bits", l, n, 0, m), c + l < 1 || c + l > m) throw new e(`${f} has ${c + l} bits besides the sign: between 1 and ${m} are exact in a float64 carrier, wider systems are not`);
		if (t === "twos") throw new e(`${f} is not symmetric about 0, so no transformer runs in it: write Fixed(…)`);
		let r = (2 ** (c + l) - 1) * 2 ** -l;
		return new v(f, {
			precision: c + l,
			least: c - 1,
			infinity: r,
			fixed: !0
		}, o);
	}
	let p = g.get(t);
	return p && !u ? new v(t + (d && `(${d})`), p, o) : t === "float32" && !a ? new v(t, 32) : t === "float64" && !a ? new v(t, 64) : null;
}
function S(t, n, r, i, a) {
	if (!(n >= i && n <= a)) throw new e(`${t}=${n} of ${r} must be a whole number from ${i} to ${a}: only that many bits are exact in a float64 carrier`);
}
// src/engine/checks.ts
function ie(t, n, r) {
	let i = t.lanes.length, { added_positions: a, attention_positions: o } = t;
	if (a?.kind === "Table") {
		let { rows: t, columns: n } = a.values;
		if (n !== i) throw new e(`positions has shape (${t}, ${n}), and it must be (any, ${i}): (max_length, lanes)`);
		if (t === 0) throw new e("positions is a table without rows: at least one position is needed");
	}
	C("embedding", t.embedding, t.vocabulary.length, i), C("output", t.output, t.classes.length, i), w("output_bias", t.output_bias, t.classes.length), o && se(o, t.mask), t.blocks.forEach((e, n) => ae(t, e, `blocks.${n}`)), T("final_norm", t.final_norm, t.lanes), le(t);
	for (let [i, { shape: a, values: o }] of r) {
		let r = o.findIndex((e) => !n.contains(e));
		if (r >= 0 && !(t.tied && i === "output")) throw new e(`${i}${Ne(r, a)} = ${l(o[r])} is not a member of ${n.text}; the nearest member is ${l(n.round(o[r]))}: write arithmetic.round(…) around the array`);
	}
}
function C(t, n, r, i) {
	if (n && (n.rows !== r || n.columns !== i)) throw new e(`${t} has shape (${n.rows}, ${n.columns}), and it must be (${r}, ${i})`);
}
function w(t, n, r) {
	if (n && n.length !== r) throw new e(`${t} has shape (${n.length},), and it must be (${r})`);
}
function ae(e, t, n) {
	let r = e.lanes.length, { attention: i, feed_forward: a } = t;
	if (i && (w(`${n}.attention.b_O`, i.b_O, r), oe(e, i, `${n}.attention`)), a) {
		let e = a.W_1.rows, t = `${n}.feed_forward`;
		C(`${t}.W_1`, a.W_1, e, r), w(`${t}.b_1`, a.b_1, e), C(`${t}.W_2`, a.W_2, r, e), w(`${t}.b_2`, a.b_2, r), C(`${t}.W_3`, a.W_3, e, r), w(`${t}.b_3`, a.b_3, e);
	}
	T(`${n}.attention_norm`, t.attention_norm, e.lanes), T(`${n}.feed_forward_norm`, t.feed_forward_norm, e.lanes);
}
function oe(t, n, r) {
	let { attention_positions: i, mask: a } = t, o = t.lanes.length;
	if (i?.kind === "Alibi" && i.slopes && i.slopes.length !== n.heads.length) throw new e(`positions has ${i.slopes.length} slopes, and ${r} has ${n.heads.length} heads: write a slope for each head, or Alibi()`);
	n.heads.forEach((e, t) => {
		let n = `${r}.heads.${t}`, [s, c] = [e.W_Q.rows, e.W_V.rows];
		C(`${n}.W_Q`, e.W_Q, s, o), C(`${n}.W_K`, e.W_K, s, o), C(`${n}.W_V`, e.W_V, c, o), C(`${n}.W_O`, e.W_O, o, c), w(`${n}.b_Q`, e.b_Q, s), w(`${n}.b_K`, e.b_K, s), w(`${n}.b_V`, e.b_V, c);
		let l = e.positions ?? i;
		l && (se(l, a), ce(l, n, s, c));
	});
}
function se(t, n) {
	if (t.kind === "Relative" && n !== "causal") throw new e("relative positions need mask='causal': only there is every distance i − j at least 0");
}
function ce(t, n, r, i) {
	if (t.kind === "Relative") {
		if (t.keys.columns !== r) throw new e(`${n}.W_K gives keys of size ${r}, positions.keys has ${t.keys.columns}`);
		if (t.values && t.values.columns !== i) throw new e(`${n}.W_V gives values of size ${i}, positions.values has ${t.values.columns}`);
	} else if (t.kind === "Rotary") {
		if (t.size === null && r % 2) throw new e(`${n}.W_K gives keys of size ${r}, and rotary positions turn pairs: write an even key size${r > 1 ? `, or Rotary(size=${r - 1})` : ""}`);
		if (t.size !== null && t.size > r) throw new e(`${n}.W_K gives keys of size ${r}, and Rotary(size=${t.size}) turns more than that`);
	}
}
function T(t, n, r) {
	if (n === null) return;
	let i = n.lanes ?? r;
	w(`${t}.gain`, n.gain, i.length), w(`${t}.bias`, n.bias, i.length);
	let a = new Map(r.map((e, t) => [e, t])), o = i.find((e) => !a.has(e));
	if (o !== void 0) throw new e(`${t} is limited to the lane ${f(o)}, which is not one of ${p(r)}`);
	let c = i.map((e) => a.get(e));
	if (c.some((e, t) => t > 0 && e < c[t - 1])) {
		let n = new Set(i);
		throw new e(`${t} has its lanes out of order, and their order is the order of sums: write ${s(r.filter((e) => n.has(e)), 200)}`);
	}
}
function le(t) {
	if (!t.flags.length) return;
	let n = new Map(t.lanes.map((e, t) => [e, t])), r = t.flags.map((r) => {
		let i = n.get(r);
		if (i !== void 0) return i;
		throw new e(`there is no lane ${f(r)}: the lanes are ${p(t.lanes)}`);
	}), i = t.added_positions?.kind === "Table" ? t.added_positions.values : null, a = ue(t.embedding, (e) => e !== 0), o = i ? ue(i, (e) => e !== 0 && e !== 1) : null;
	for (let n of r) if (a[n] || o === null || o[n]) throw new e(`the lane ${f(t.lanes[n])} is no flag: it must be 0 or 1 in a position table, 0 in the embedding`);
	t.blocks.forEach((i, a) => {
		let o = de(t, i, n), s = r.find((e) => o[e]);
		if (s !== void 0) throw new e(`the lane ${f(t.lanes[s])} is no flag: block ${a} writes to it`);
	});
}
function ue(e, t) {
	let n = Array(e.columns).fill(!1);
	for (let r = 0; r < e.values.length; r++) t(e.values[r]) && (n[r % e.columns] = !0);
	return n;
}
function de(e, t, n) {
	let r = Array(e.lanes.length).fill(!1), i = (e, t) => e?.forEach((e, n) => {
		e !== 0 && (r[Math.floor(n / t)] = !0);
	});
	for (let e of t.attention?.heads ?? []) i(e.W_O.values, e.W_O.columns);
	i(t.attention?.b_O ?? null, 1), t.feed_forward && i(t.feed_forward.W_2.values, t.feed_forward.W_2.columns), i(t.feed_forward?.b_2 ?? null, 1);
	for (let i of [t.attention_norm, t.feed_forward_norm]) if (i && t.norm_placement === "post") for (let t of i.lanes ?? e.lanes) r[n.get(t)] = !0;
	return r;
}
// src/engine/json.ts
var E = 64, fe = 2e4, pe = 24 << 20, me = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y, he = /* @__PURE__ */ new Map([
	["null", null],
	["true", !0],
	["false", !1]
]), ge = new Map(Object.entries({
	"\"": "\"",
	"\\": "\\",
	"/": "/",
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "	"
}));
function _e(t, n, r) {
	ve(t, r);
	let i = new ye(t, n).whole();
	if (!(i instanceof Map)) throw new e(`${n} is not a JSON object, it is ${s(i)}`);
	return i;
}
function ve(t, n) {
	let r = new Map([..."\"[{,"].map((e) => [e.charCodeAt(0), 0]));
	for (let e = 0; e < t.length; e++) {
		let n = r.get(t.charCodeAt(e));
		n !== void 0 && r.set(t.charCodeAt(e), n + 1);
	}
	let [i, a, o, s] = r.values(), c = 4 * t.length + 32 * i + 48 * (s + a + o) + 100 * a + 240 * o;
	if (c > 3 * t.length + Math.max(n, t.length) + pe) throw new e(`it has too many parts for its size, and would take ${d(c)} bytes`);
}
var ye = class {
	text;
	what;
	at = 0;
	constructor(e, t) {
		this.text = e, this.what = t;
	}
	whole() {
		let e = this.value(0);
		return this.at < this.text.length && this.refuse("something follows the value"), e;
	}
	refuse(t) {
		throw new e(`${this.what} is not valid JSON: ${t}, at character ${this.at}`);
	}
	space() {
		for (; " 	\n\r".includes(this.text[this.at] ?? "x");) this.at++;
	}
	takes(e) {
		return this.space(), this.text[this.at] === e && (this.at++, !0);
	}
	value(t) {
		if (t > E) throw new e(`${this.what} has more than ${E} lists and objects in each other`);
		let n;
		return n = this.takes("{") ? this.object(t + 1) : this.takes("[") ? this.list(t + 1) : this.takes("\"") ? this.string() : this.literal(), this.space(), n;
	}
	object(t) {
		let n = /* @__PURE__ */ new Map();
		if (this.takes("}")) return this.within(t, n);
		do {
			this.takes("\"") || this.refuse("a key should stand here");
			let r = this.string();
			if (n.has(r)) throw new e(`the key ${s(r)} occurs twice`);
			this.takes(":") || this.refuse("a colon should stand here"), n.set(r, this.value(t));
		} while (this.takes(","));
		return this.takes("}") ? this.within(t, n) : this.refuse("an object does not end");
	}
	list(e) {
		let t = [];
		if (this.takes("]")) return this.within(e, t);
		do
			t.push(this.value(e));
		while (this.takes(","));
		return this.takes("]") ? this.within(e, t) : this.refuse("a list does not end");
	}
	within(t, n) {
		if (t <= E) return n;
		throw new e(`${this.what} has more than ${E} lists and objects in each other`);
	}
	string() {
		let e = "";
		for (;;) {
			let t = this.at;
			for (; this.text.charCodeAt(this.at) >= 32 && !"\"\\".includes(this.text[this.at]);) this.at++;
			e += this.text.slice(t, this.at);
			let n = this.text[this.at++];
			if (n === "\"") return e;
			n !== "\\" && this.refuse("a text does not end");
			let r = this.text[this.at++], i = this.text.slice(this.at, this.at + 4);
			r === "u" && /^[0-9a-fA-F]{4}$/.test(i) ? (e += String.fromCharCode(parseInt(i, 16)), this.at += 4) : e += ge.get(r) ?? this.refuse("an unknown escape");
		}
	}
	literal() {
		for (let [e, t] of he) if (this.text.startsWith(e, this.at)) return this.at += e.length, t;
		me.lastIndex = this.at;
		let e = me.exec(this.text);
		if (!e) return this.refuse("a value should stand here");
		if (this.at += e[0].length, e[1] === void 0 && e[2] === void 0) return e[0].replace("-", "").length > fe && this.refuse("a number has too many digits"), BigInt(e[0]);
		let t = Number(e[0]);
		return Number.isFinite(t) ? t : this.refuse(`${s(e[0])} is not a number`);
	}
}, be = 32 << 20, xe = 65536, D = 1 << 24, O = 2 ** 30, k = 65536, A = "weightsmith", Se = /* @__PURE__ */ new Map([["F32", 4], ["F64", 8]]);
function Ce(t) {
	let n = 33554440 + 8 * O;
	if (t.length < 8 || t.length > n) throw new e(`it has ${d(t.length)} bytes, and a model has between 8 and ${d(n)}`);
	let r = new DataView(t.buffer, t.byteOffset, 8).getBigUint64(0, !0);
	if (r > t.length - 8) throw new e(`its header claims ${d(r)} bytes: it is not a safetensors file, or it is cut off`);
	if (r > be) throw new e(`its header has ${d(r)} bytes, and at most ${d(be)} are allowed: shorten the names`);
	let i = 8 + Number(r), { places: a, metadata: o } = Te(we(t.subarray(8, i)), t.length - i, i), s = /* @__PURE__ */ new Map();
	for (let { name: e, dtype: n, shape: r, begin: i, end: o } of a) s.set(e, {
		dtype: n,
		shape: r,
		bytes: t.subarray(i, o)
	});
	return {
		tensors: s,
		metadata: o
	};
}
function we(t) {
	try {
		return new TextDecoder("utf-8", {
			fatal: !0,
			ignoreBOM: !0
		}).decode(t);
	} catch {
		throw new e("its header is not valid JSON: it is not UTF-8");
	}
}
function Te(t, n, r) {
	let i = _e(t, "its header", r + n), a = i.get("__metadata__");
	i.delete("__metadata__");
	let o = a instanceof Map && a.size === 1 ? a.get(A) : null;
	if (typeof o != "string") throw new e(`it is a safetensors file without the metadata key '${A}': Weightsmith did not write it`);
	if (i.size > xe) throw new e(`it has ${d(i.size)} tensors, and at most ${d(xe)} are allowed`);
	let c = [...i].map(([e, t]) => Ee(e, t, n, r)), l = c.reduce((e, t) => e + j(t.shape), 0);
	if (l > O) throw new e(`it claims ${d(l)} parameters, and at most ${d(O)} are allowed`);
	c.sort((e, t) => e.begin - t.begin || e.end - t.end);
	let u = r;
	for (let { name: t, begin: n, end: r } of c) {
		if (n !== u) throw new e(`tensor ${s(t)} does not begin where the one before it ends: they must fill the file`);
		u = r;
	}
	if (u !== r + n) throw new e(`its tensors end at byte ${d(u)}, and it has ${d(r + n)}`);
	return {
		places: c,
		metadata: o
	};
}
var j = (e) => e.reduce((e, t) => e * t, 1);
function Ee(t, n, r, i) {
	let a = `tensor ${s(t)}`, o = [
		"dtype",
		"shape",
		"data_offsets"
	];
	if (!(n instanceof Map) || n.size !== 3 || !o.every((e) => n.has(e))) throw new e(`${a} must have dtype, shape and data_offsets, and has ${s(n)}`);
	let [c, l, u] = o.map((e) => n.get(e)), f = typeof c == "string" ? Se.get(c) : void 0;
	if (typeof c != "string" || f === void 0) throw new e(`${a} has dtype ${s(c)}: only F32 and F64 are read`);
	let p = M(l, D);
	if (p === null || p.length < 1 || p.length > 2) throw new e(`${a} has shape ${s(l)}: one or two axes of at most ${d(D)} are read`);
	let m = M(u, r);
	if (m === null || m.length !== 2) throw new e(`${a} has data_offsets ${s(u)}, and the file has ${d(r)} bytes of data`);
	let h = j(p);
	if (h === 0 && Math.max(...p) > k) throw new e(`${a} has shape ${s(l)}: an array without numbers has no axis above ${d(k)}`);
	if (m[1] - m[0] !== h * f) throw new e(`${a} of shape ${s(l)} needs ${d(h * f)} bytes, its data_offsets are ${s(u)}`);
	return {
		name: t,
		dtype: c,
		shape: p,
		begin: i + m[0],
		end: i + m[1]
	};
}
function M(e, t) {
	return Array.isArray(e) && e.every((e) => typeof e == "bigint" && e >= 0n && e <= BigInt(t)) ? e.map(Number) : null;
}
// src/engine/codec.ts
var N = 1n, De = 65536, P = 200, F = 2e3, Oe = 1 << 20, I = 1e30, ke = /* @__PURE__ */ new Map([
	["Softmax", {
		fields: "shifted empty",
		arrays: "",
		build: Be
	}],
	["AverageHard", {
		fields: "",
		arrays: "",
		build: () => ({ kind: "AverageHard" })
	}],
	["LeftmostHard", {
		fields: "",
		arrays: "",
		build: () => ({ kind: "LeftmostHard" })
	}],
	["RightmostHard", {
		fields: "",
		arrays: "",
		build: () => ({ kind: "RightmostHard" })
	}],
	["Table", {
		fields: "",
		arrays: "values",
		build: (e) => ({
			kind: "Table",
			values: e.matrix("values")
		})
	}],
	["Sinusoidal", {
		fields: "max_length base",
		arrays: "",
		build: He
	}],
	["Relative", {
		fields: "",
		arrays: "keys [values]",
		build: Ue
	}],
	["Rotary", {
		fields: "base pairing size",
		arrays: "",
		build: We
	}],
	["Alibi", {
		fields: "slopes",
		arrays: "",
		build: Ge
	}],
	["LayerNorm", {
		fields: "eps lanes",
		arrays: "[gain] [bias]",
		build: (e) => Ke(e, "LayerNorm")
	}],
	["RMSNorm", {
		fields: "eps lanes",
		arrays: "[gain]",
		build: (e) => Ke(e, "RMSNorm")
	}],
	["Head", {
		fields: "weighting [positions]",
		arrays: "W_Q W_K W_V W_O [b_Q] [b_K] [b_V]",
		build: qe
	}],
	["Attention", {
		fields: "heads",
		arrays: "[b_O]",
		build: Je
	}],
	["FeedForward", {
		fields: "activation [names]",
		arrays: "W_1 b_1 W_2 b_2 [W_3] [b_3] [keys]",
		build: Ye
	}],
	["Block", {
		fields: "attention feed_forward attention_norm feed_forward_norm norm_placement origin",
		arrays: "",
		build: Xe
	}],
	["Edit", {
		fields: "text block first count before created digest",
		arrays: "",
		build: Ze
	}]
]), Ae = {
	fields: "arithmetic vocabulary lanes positions blocks classes mask final_norm [tied] flags provenance [edits]",
	arrays: "embedding [output] [output_bias]",
	build: Qe
};
function je(t) {
	let { tensors: n, metadata: r } = Ce(t), i = _e(r, "its metadata", r.length + [...n.values()].reduce((e, t) => e + t.bytes.length, 0)), a = i.get("version");
	if (i.delete("version"), a !== N) throw new e(`it has format version ${s(a)}, and this Weightsmith reads version ${N}`);
	let o = i.get("tensors");
	i.delete("tensors");
	let c = Array.isArray(o) && o.every((e) => typeof e == "string") ? new Set(o) : null;
	if (!Array.isArray(o) || o.length !== n.size || c?.size !== n.size || !o.every((e) => n.has(e))) throw new e("the tensors in it are not those that its metadata lists");
	let l = x(i.get("arithmetic") ?? ""), u = new Map([...n].map(([e, t]) => [e, Me(e, t, l)]));
	if (!Array.isArray(i.get("vocabulary"))) throw new e("its vocabulary is not a list");
	Pe(i);
	let d = new Map(u), f = L(Ae, i, d, "");
	if (d.size) throw new e(`it has a tensor that belongs nowhere: ${s([...d.keys()].sort()[0])}`);
	return ie(f, l, u), f;
}
function Me(t, { dtype: n, shape: r, bytes: i }, a) {
	let o = a.native === 32 ? "F32" : "F64";
	if (n !== o) {
		let r = {
			F32: "float32",
			F64: "float64"
		};
		throw new e(`tensor ${s(t)} has dtype ${r[n]}, and ${a.text} is stored as ${r[o]}`);
	}
	let { buffer: c } = i.slice(), l = n === "F32" ? Float64Array.from(new Float32Array(c)) : new Float64Array(c);
	for (let n = 0; n < l.length; n++) if (l[n] += 0, !Number.isFinite(l[n])) {
		let i = String(l[n]).replace("NaN", "nan").replace("Infinity", "inf");
		throw new e(`tensor ${s(t)} is ${i} at ${Ne(n, r)}: every weight must be a finite number`);
	}
	return {
		shape: r,
		values: l
	};
}
var Ne = (e, t) => t.length === 1 ? `[${e}]` : `[${Math.floor(e / t[1])}, ${e % t[1]}]`;
function Pe(t) {
	let n = [t];
	for (let t = 0; n.length;) {
		if (t += n.length, t > De) throw new e("it has more than 65,536 parts");
		n = n.flatMap((e) => [...e.values()].flat().filter((e) => e instanceof Map));
	}
}
function L(t, n, r, i) {
	let a = t.fields.split(" ").filter(Boolean), o = new Set(a.map((e) => e.replace(/[[\]]/g, ""))), c = a.filter((e) => !e.startsWith("[")), l = [...c.filter((e) => !n.has(e)), ...[...n.keys()].filter((e) => !o.has(e))];
	if (l.length) {
		let t = l.sort()[0], n = c.includes(t) ? "lacks the key" : "has the unknown key";
		throw new e(`${i || "the metadata"} ${n} ${s(t)}`);
	}
	let u = i && `${i}.`, d = /* @__PURE__ */ new Map();
	for (let [e, t] of n) d.set(e, Fe(t, r, u + e));
	let f = /* @__PURE__ */ new Map();
	for (let n of t.arrays.split(" ").filter(Boolean)) {
		let t = n.replace(/[[\]]/g, ""), i = r.get(u + t);
		if (r.delete(u + t), i) f.set(t, i);
		else if (!n.startsWith("[") || t === "output" && d.get("tied") !== !0) throw new e(`the tensor ${s(u + t)} is missing`);
	}
	return t.build(new Ie(d, f));
}
function Fe(t, n, r) {
	if (Array.isArray(t) && t.some((e) => e instanceof Map)) return t.map((e, t) => Fe(e, n, `${r}.${t}`));
	if (!(t instanceof Map)) return t;
	let i = t.get("kind");
	t.delete("kind");
	let a = typeof i == "string" ? ke.get(i) : void 0;
	if (a === void 0) throw new e(`${r} has the unknown kind ${s(i)}`);
	return {
		kind: i,
		part: L(a, t, n, r)
	};
}
var Ie = class {
	fields;
	arrays;
	constructor(e, t) {
		this.fields = e, this.arrays = t;
	}
	get(e) {
		return this.fields.get(e) ?? null;
	}
	has(e) {
		return this.fields.has(e);
	}
	numbers(t, n) {
		let r = this.arrays.get(t) ?? null;
		if (r && r.shape.length !== n) throw new e(`${t} must have ${n} axes, and its shape is (${r.shape.join(", ")})`);
		return r;
	}
	vector(e) {
		return this.numbers(e, 1)?.values ?? null;
	}
	matrix(e) {
		return this.matrixOrNull(e);
	}
	matrixOrNull(e) {
		let t = this.numbers(e, 2);
		return t && {
			rows: t.shape[0],
			columns: t.shape[1],
			values: t.values
		};
	}
	choice(t, n, r) {
		let i = this.get(t);
		if (r.includes(i)) return i;
		throw new e(`${n.replace("…", s(i))}: write one of ${r.join(", ")}`);
	}
	truth(t, n) {
		let r = this.get(t);
		if (typeof r == "boolean") return r;
		throw new e(`${n}(${t}=${s(r)}): write True or False`);
	}
	number(t, n, r) {
		let i = Le(this.get(t));
		if (i === null || !n(i)) throw new e(r(s(this.get(t))));
		return i;
	}
	part(t, n, r) {
		let i = this.get(t);
		if (i === null) return null;
		if (R(i) && n.includes(i.kind)) return i.part;
		throw new e(`${r}(${t}=${R(i) ? i.kind + "(…)" : s(i)}): write ${n[0]}(…)`);
	}
	parts(t, n, r) {
		return this.list(t, r, n).map((t) => {
			if (R(t) && t.kind === n) return t.part;
			throw new e(`${r} must hold ${n}, and it holds ${R(t) ? t.kind : s(t)}`);
		});
	}
	texts(t, n, r, i) {
		return this.list(t, n, "str").map((t) => {
			if (typeof t != "string") throw new e(`${n} must hold str, and it holds ${s(t)}`);
			return z(t, i, !0, r);
		});
	}
	list(t, n, r) {
		let i = this.get(t);
		if (Array.isArray(i)) return i;
		throw new e(`${n} must be a tuple of ${r}, and it is ${s(i)}`);
	}
	names(e, t, n) {
		return Re(this.get(e), t, n);
	}
}, R = (e) => typeof e == "object" && !!e && !Array.isArray(e) && !(e instanceof Map), Le = (e) => typeof e == "bigint" || typeof e == "number" ? Number(e) : null;
function Re(t, n, r) {
	if (!Array.isArray(t)) throw new e(`${n} must be a list or tuple of names, and it is ${s(t)}`);
	if (!t.length) throw new e(`${n} is empty: at least one name is needed`);
	let i = /* @__PURE__ */ new Set();
	for (let a of t) {
		let t = z(a, `a name in ${n}`, r, P);
		if (!t) throw new e(`a name in ${n} is empty`);
		i.add(t);
	}
	if (i.size < t.length) throw new e(`${n} has ${f(t.find((e) => !i.delete(e)))} twice: names must differ`);
	return t;
}
function z(t, n, a, o) {
	if (typeof t != "string") throw new e(`${n} must be a text, and it is ${R(t) ? t.kind : s(t)}`);
	if (i(t) > o) {
		let r = s(Array.from(t.slice(0, 80)).slice(0, 40).join(""));
		throw new e(`${n} has ${i(t)} characters, at most ${o} are allowed: ${r}…`);
	}
	if (/\p{Cs}/u.test(t) || a && !r(t)) throw new e(`${n} has characters that cannot be shown: ${s(t, 200)}`);
	return t;
}
var ze = [
	"Relative",
	"Rotary",
	"Alibi"
], B = ["LayerNorm", "RMSNorm"];
function Be(e) {
	return {
		kind: "Softmax",
		shifted: e.truth("shifted", "Softmax"),
		empty: e.choice("empty", "Softmax(empty=…)", [
			"zero",
			"uniform",
			"error"
		])
	};
}
function Ve(e, t) {
	return e.number("base", (e) => e > 1 && e < I, (e) => `${t}(base=${e}): write a number above 1`);
}
function He(t) {
	let n = t.get("max_length");
	if (typeof n != "bigint" || n < 1n || n > Oe) throw new e(`Sinusoidal(max_length=${s(n)}): write a whole number from 1 to ${Oe}`);
	return {
		kind: "Sinusoidal",
		max_length: Number(n),
		base: Ve(t, "Sinusoidal")
	};
}
function Ue(t) {
	let n = t.matrix("keys"), r = t.matrixOrNull("values");
	if (n.rows === 0) throw new e("Relative(keys) needs at least one row, for distance 0");
	if (r && r.rows !== n.rows) throw new e(`Relative(keys, values) has ${n.rows} rows of keys and ${r.rows} of values: write a row of each for every distance`);
	return {
		kind: "Relative",
		keys: n,
		values: r
	};
}
function We(t) {
	let n = t.get("size");
	if (n !== null && (typeof n != "bigint" || n < 2n || n % 2n != 0n)) throw new e(`Rotary(size=${s(n)}): coordinates turn in pairs, so write an even number`);
	let r = t.choice("pairing", "Rotary(pairing=…)", ["halves", "neighbours"]);
	return {
		kind: "Rotary",
		base: Ve(t, "Rotary"),
		pairing: r,
		size: n === null ? null : Number(n)
	};
}
function Ge(t) {
	let n = t.get("slopes");
	if (n === null) return {
		kind: "Alibi",
		slopes: n
	};
	if (!Array.isArray(n) || !n.length) throw new e(`Alibi(slopes=${s(n)}): write a tuple of numbers, one for each head`);
	return {
		kind: "Alibi",
		slopes: n.map((t) => {
			let n = Le(t);
			if (n !== null && n >= 0 && n < I) return n;
			throw new e(`Alibi(slopes=…) holds ${R(t) ? t.kind : s(t)}: write numbers from 0 on`);
		})
	};
}
function Ke(e, t) {
	let n = e.number("eps", (e) => e >= 0 && e < I, (e) => `${t}(eps=${e}): write a small number such as 1e-5`), r = e.get("lanes") === null ? null : e.names("lanes", `the lanes of ${t}`, !0);
	return {
		kind: t,
		eps: n,
		gain: e.vector("gain"),
		bias: e.vector("bias"),
		lanes: r
	};
}
function qe(t) {
	let n = t.part("weighting", [
		"Softmax",
		"AverageHard",
		"LeftmostHard",
		"RightmostHard"
	], "Head");
	if (n === null) throw new e("Head(weighting=None): write Softmax(), AverageHard() or another weighting");
	let r = t.part("positions", ze, "Head");
	if (r?.kind === "Alibi" && r.slopes?.length !== 1) throw new e("Head(positions=Alibi(…)) has one slope, for this head: write Alibi((0.5,))");
	let [i, a, o, s] = [
		"W_Q",
		"W_K",
		"W_V",
		"W_O"
	].map((e) => t.matrix(e)), [c, l, u] = [
		"b_Q",
		"b_K",
		"b_V"
	].map((e) => t.vector(e));
	return {
		W_Q: i,
		W_K: a,
		W_V: o,
		W_O: s,
		weighting: n,
		b_Q: c,
		b_K: l,
		b_V: u,
		positions: r
	};
}
function Je(e) {
	return {
		heads: e.parts("heads", "Head", "Attention(heads=…)"),
		b_O: e.vector("b_O")
	};
}
function Ye(t) {
	let n = t.choice("activation", "FeedForward(activation=…)", [
		"relu",
		"gelu",
		"gelu_tanh",
		"silu",
		"reglu",
		"swiglu"
	]), [r, i] = [t.matrix("W_1"), t.matrix("W_2")], a = t.matrixOrNull("W_3");
	if ((n === "reglu" || n === "swiglu") != (a !== null) || !a && t.vector("b_3")) throw new e(`FeedForward(activation=${s(n)}) with${a ? "" : "out"} W_3: reglu, swiglu need W_3, the others have none`);
	let o = t.has("names") ? t.texts("names", "FeedForward(names=…)", P, "the name of a neuron") : [];
	if (o.length && o.length !== r.rows) throw new e(`FeedForward has ${o.length} names for ${r.rows} neurons: write one for each`);
	let c = t.matrixOrNull("keys");
	if (c && (c.rows !== r.rows || c.columns !== r.columns)) throw new e(`keys has shape (${c.rows}, ${c.columns}), and it must be that of W_1, (${r.rows}, ${r.columns})`);
	let [l, u] = ["b_1", "b_2"].map((e) => t.vector(e));
	return {
		W_1: r,
		b_1: l,
		W_2: i,
		b_2: u,
		activation: n,
		W_3: a,
		b_3: t.vector("b_3") ?? (a && new Float64Array(a.rows)),
		names: o.some(Boolean) ? o : [],
		keys: c?.values.some(Boolean) ? c : null
	};
}
function Xe(t) {
	let n = t.part("attention", ["Attention"], "Block"), r = t.part("feed_forward", ["FeedForward"], "Block"), i = t.part("attention_norm", B, "Block"), a = t.part("feed_forward_norm", B, "Block");
	for (let [t, r] of Object.entries({ attention: i && !n })) if (r) throw new e(`Block(${t}_norm=…) without ${t}: a norm belongs to a sublayer`);
	if (a && !r) throw new e("Block(feed_forward_norm=…) without feed_forward: a norm belongs to a sublayer");
	return {
		attention: n,
		feed_forward: r,
		attention_norm: i,
		feed_forward_norm: a,
		norm_placement: t.choice("norm_placement", "Block(norm_placement=…)", ["pre", "post"]),
		origin: z(t.get("origin"), "Block(origin=…)", !0, F)
	};
}
function Ze(t) {
	z(t.get("text"), "the text of an edit", !0, F), z(t.get("digest"), "the digest of an edit", !0, 64);
	for (let n of [
		"block",
		"first",
		"count"
	]) {
		let r = t.get(n);
		if (typeof r != "bigint" || r < 0n) throw new e(`Edit(${n}=${s(r)}): write a whole number, 0 or more`);
	}
	return t.part("before", ["FeedForward"], "Edit"), t.truth("created", "Edit"), null;
}
function Qe(t) {
	let n = t.names("vocabulary", "vocabulary", !1), r = t.names("lanes", "lanes", !0), i = t.has("tied") && t.truth("tied", "Transformer"), a = t.matrix("embedding"), o = t.matrixOrNull("output"), s = t.names("classes", "classes", !1);
	if (i && (s.length !== n.length || s.some((e, t) => e !== n[t]))) throw new e("tied=True makes the vocabulary the classes: leave out classes, or write tied=False");
	if (i && o && !$e(o, a)) throw new e("tied=True makes the embedding the output, and the output given is another: write output=None, or tied=False");
	let c = t.parts("blocks", "Block", "blocks"), l = t.list("flags", "flags", "str").map((t) => {
		if (typeof t != "string") throw new e("flags must hold str");
		return t;
	}), u = t.texts("provenance", "provenance", F, "a line of provenance");
	t.has("edits") && t.parts("edits", "Edit", "edits");
	let d = t.choice("mask", "mask=…", ["causal", "full"]), [f, p] = et(t.get("positions")), m = t.part("final_norm", B, "Transformer");
	return {
		arithmetic: x(t.get("arithmetic")).text,
		vocabulary: n,
		lanes: r,
		embedding: a,
		added_positions: f,
		attention_positions: p,
		blocks: c,
		classes: s,
		mask: d,
		output: i ? a : o,
		output_bias: t.vector("output_bias"),
		final_norm: m,
		tied: i,
		flags: l,
		provenance: u
	};
}
var $e = (e, t) => e.rows === t.rows && e.columns === t.columns && e.values.every((e, n) => e === t.values[n]);
function et(t) {
	let n = (Array.isArray(t) ? t : [t]).filter((e) => e !== null), r = [], i = [];
	for (let t of n) if (R(t) && ze.includes(t.kind)) i.push(t.part);
	else if (R(t) && ["Table", "Sinusoidal"].includes(t.kind)) r.push(t.part);
	else throw new e(`positions=${R(t) ? t.kind : s(t)}: write PositionTable(…), Sinusoidal(…), Relative(…), Rotary(…), Alibi(…), a pair of them such as (PositionTable(…), Rotary()), or None`);
	if (r.length > 1 || i.length > 1) throw new e(`positions=(${n.map((e) => e.kind).join(" and ")}): one of PositionTable and Sinusoidal goes with one of Relative, Rotary and Alibi; two tables become one by adding them up`);
	return [r[0] ?? null, i[0] ?? null];
}
// src/engine/exact.ts
var tt = [
	256,
	1024,
	4096
];
function V(e, t) {
	for (let n of tt) {
		let { near: r, error: i } = t(n), a = e.nearest(nt(r - i, n));
		if (a === e.nearest(nt(r + i, n))) return a;
	}
	throw Error("a number could not be told from the middle between two members");
}
function nt(e, t) {
	let n = e < 0n ? -e : e, r = Math.max(0, n.toString(2).length - 53), i = n >> BigInt(r), a = i << BigInt(r) === n ? i : i | 1n, o = r - t, s = Number(a) * 2 ** Math.trunc(o / 2) * 2 ** (o - Math.trunc(o / 2));
	return e < 0n ? -s : s;
}
function H(e, t) {
	let n = 0, r = e;
	for (; !Number.isInteger(r);) r *= 2, n++;
	return n <= t ? BigInt(r) << BigInt(t - n) : BigInt(r) >> BigInt(n - t);
}
var rt = /* @__PURE__ */ new Map();
function it(e, t, n) {
	let r = e + t, i = rt.get(r) ?? n();
	return rt.set(r, i), i;
}
function U(e, t, n) {
	let r = (1n << BigInt(t)) / e, i = 0n;
	for (let t = 1n, a = 1n; r !== 0n; t += 2n, a *= n) i += a * r / t, r /= e * e;
	return i;
}
var W = (e) => it("ln2 ", e, () => {
	let t = e + 64, [n, r, i] = [
		26n,
		4801n,
		8749n
	].map((e) => U(e, t, 1n));
	return 18n * n - 2n * r + 8n * i >> 64n;
}), G = (e) => it("π ", e, () => {
	let t = e + 64;
	return 16n * U(5n, t, -1n) - 4n * U(239n, t, -1n) >> 64n;
});
function at(e) {
	let t = 1n << BigInt(Math.ceil(e.toString(2).length / 2));
	for (;;) {
		let n = t + e / t >> 1n;
		if (n >= t) return t;
		t = n;
	}
}
function K(e, t) {
	let n = BigInt(t), r = W(t), i = e.near / r;
	e.near < i * r && (i -= 1n);
	let a = e.near - i * r, o = 1n << n, s = o, c = 1n;
	for (; o !== 0n; c++) o = o * a / c >> n, s += o;
	let l = 4n * (e.error + (i < 0n ? -i : i) + 2n) + 4n * c;
	return i >= 0n ? {
		near: s << i,
		error: l << i
	} : {
		near: s >> -i,
		error: (l >> -i) + 2n
	};
}
function ot(e, t) {
	let n = Math.floor(Math.log2(e)), r = H(e, t + 64) >> BigInt(n), i = 1n << BigInt(t + 64), a = (r - i) * i / (r + i), o = a * a / i, s = a, c = 0n;
	for (let e = 1n; s !== 0n; e += 2n) c += s / e, s = s * o / i;
	return BigInt(n) * W(t) + (2n * c >> 64n);
}
function q(e, t, n, r) {
	return K({
		near: -((e === 2 ? W(r) : ot(e, r)) * BigInt(t)) / BigInt(n),
		error: 1n << 12n
	}, r).near;
}
function st(e, t, n, r, i, a) {
	let o = BigInt(a), s = G(a) >> 1n, c = BigInt(e) * q(t, n, r, a), l = (2n * c + s) / (2n * s), u = c - l * s, d = Number(l % 4n) + +!!i, f = d % 2 == 0 ? u : 1n << o, p = f;
	for (let e = d % 2 == 0 ? 2n : 1n; f !== 0n && (f = -(f * u >> o) * u / (e * (e + 1n)) >> o, f !== -1n); e += 2n) p += f;
	return {
		near: d % 4 < 2 ? p : -p,
		error: (BigInt(e) << 16n) + l + 4096n
	};
}
var ct = {
	exp: (e, t) => K({
		near: H(e, t),
		error: 1n
	}, t),
	gelu: (e, t) => {
		let n = t + Math.ceil(1.5 * e * e) + 64, r = BigInt(n), i = H(e, n), a = i * i >> r, o = i, s = 0n;
		for (let e = 3n; o !== 0n && o !== -1n; e += 2n) s += o, o = o * a / e >> r;
		let c = K({
			near: -a / 2n,
			error: 2n
		}, n).near;
		return {
			near: i * ((1n << r - 1n) + (c * s >> r << r) / at(2n * G(n) << r)) >> 2n * r - BigInt(t),
			error: 2n
		};
	},
	gelu_tanh: (e, t) => {
		let n = BigInt(t + 64), r = H(e, t + 64);
		return lt(r, {
			near: -(2n * (r + ((r * r >> n) * r >> n) * 44715n / 1000000n) * at((2n << 3n * n) / G(t + 64)) >> n),
			error: 1n << 32n
		}, t);
	},
	silu: (e, t) => {
		let n = H(e, t + 64);
		return lt(n, {
			near: -n,
			error: 1n
		}, t);
	}
};
function lt(e, t, n) {
	let r = BigInt(n + 64);
	return {
		near: (e << r) / ((1n << r) + K(t, n + 64).near) >> 64n,
		error: 2n
	};
}
// src/engine/elementary.ts
var ut = 2 ** -38, dt = Math.sqrt(2 / Math.PI);
function ft(e) {
	if (e < -6) return 2;
	let t = Math.exp(-e * e) / Math.sqrt(Math.PI);
	if (e < 2) {
		let n = 2 * e, r = 0;
		for (let t = 3; Math.abs(n) > 1e-17 * Math.abs(r); t += 2) r += n, n *= 2 * e * e / t;
		return 1 - t * r;
	}
	let n = e;
	for (let t = 60; t > 0; t--) n = e + t / 2 / n;
	return t / n;
}
function pt(e, t) {
	return e === "exp" ? Math.exp(t) : e === "gelu" ? .5 * t * ft(-t / Math.SQRT2) : t / (1 + Math.exp(e === "silu" ? -t : -2 * dt * (t + .044715 * t * t * t)));
}
function mt(e, t, n) {
	if (n === 0) return t === "exp" ? e.nearest(1) : 0;
	let r = pt(t, n);
	if (e.native) return e.nearest(r);
	let i = e.nearest(r * (1 - ut));
	if (i === e.nearest(r * (1 + ut))) return i;
	let a = t + n, o = e.settled.get(a) ?? V(e, (e) => ct[t](n, e));
	return e.settled.size < 65536 && e.settled.set(a, o), o;
}
// src/engine/matrix.ts
var J = (e, t) => ({
	rows: e,
	columns: t,
	values: new Float64Array(e * t)
}), ht = (e) => Int32Array.from({ length: e }, (e, t) => t);
function Y(e, t, n, r = null) {
	let i = J(n.rows, t.rows), a = new Int32Array(t.columns);
	for (let o = 0; o < t.rows; o++) {
		let s = 0;
		for (let n = 0; n < t.columns; n++) (e.native || t.values[o * t.columns + n] !== 0) && (a[s++] = n);
		for (let c = 0; c < n.rows; c++) {
			let l = e.dot(t.values, o * t.columns, n.values, c * n.columns, a, s);
			i.values[c * t.rows + o] = r === null ? l : e.nearestSum(l + r[o]);
		}
	}
	return i;
}
function gt(e) {
	let t = J(e.columns, e.rows);
	for (let n = 0; n < e.rows; n++) for (let r = 0; r < e.columns; r++) t.values[r * e.rows + n] = e.values[n * e.columns + r];
	return t;
}
function X(e, t, n) {
	let r = J(t.rows, t.columns);
	for (let i = 0; i < t.values.length; i++) r.values[i] = e.nearestSum(t.values[i] + n[i % n.length]);
	return r;
}
// src/engine/layers.ts
function Z(e, t, n) {
	if (e.native && !t.values.every(Number.isFinite)) throw Q(e, n);
	return t;
}
function Q(t, n) {
	return new e(`${n}: ${t.text} overflowed; smaller weights or Softmax(shifted=True) avoid it, and a finite arithmetic such as Float.like('float16') saturates instead`);
}
function _t(e, t, n) {
	let r = Y(e, t.W_1, n, t.b_1), i = t.activation === "reglu" ? "relu" : t.activation === "swiglu" ? "silu" : t.activation, a = r.values;
	if (i === "relu") for (let e = 0; e < a.length; e++) a[e] = a[e] > 0 || a[e] !== a[e] ? a[e] : 0;
	else for (let t = 0; t < a.length; t++) a[t] = mt(e, i, a[t]);
	if (t.W_3) {
		let r = Y(e, t.W_3, n, t.b_3).values;
		for (let t = 0; t < a.length; t++) a[t] = e.nearest(a[t] * r[t]);
	}
	return r;
}
function vt(t, n, r, i, a) {
	if (n === null) return r;
	let o = new Map(i.map((e, t) => [e, t])), s = (n.lanes ?? i).map((e) => o.get(e)), [c, l] = [t.round(s.length), t.round(n.eps)], d = {
		...r,
		values: r.values.slice()
	}, f = new Float64Array(s.length), p = J(r.rows, 1).values;
	for (let e = 0; e < r.rows; e++) {
		let i = e * r.columns, o = 0;
		for (let e = 0; e < f.length; e++) f[e] = r.values[i + s[e]], o = t.nearestSum(o + f[e]);
		if (n.kind === "LayerNorm") {
			let e = t.nearest(o / c);
			for (let n = 0; n < f.length; n++) f[n] = t.nearestSum(f[n] - e);
		}
		let u = 0;
		for (let e = 0; e < f.length; e++) u = t.nearestSum(u + t.nearest(f[e] * f[e]));
		if (u = t.nearest(u / c), !Number.isFinite(u)) throw Q(t, a);
		p[e] = t.nearest(Math.sqrt(t.nearestSum(u + l)));
		for (let r = 0; r < f.length; r++) {
			let a = t.nearest(f[r] / p[e]);
			n.gain && (a = t.nearest(a * n.gain[r])), n.bias && (a = t.nearestSum(a + n.bias[r])), d.values[i + s[r]] = a;
		}
	}
	let m = p.indexOf(0);
	if (m >= 0) throw new e(`${a}: the square root is 0 at position ${m}, because the mean square and eps=${u(n.eps)} are 0 in ${t.text}; write an eps of at least ${u(t.smallest)}`);
	return d;
}
// src/engine/positions.ts
var yt = 192, bt = 2 ** -192, xt = 64, $ = /* @__PURE__ */ new Map();
function St(e, t, n) {
	let r = $.get(e);
	if (r && r.rows >= t) return r;
	let i = n(2 ** Math.ceil(Math.log2(t)));
	return $.size >= xt && $.clear(), $.set(e, i), i;
}
function Ct(e, t, n, r) {
	let i = Math.ceil(n / 2);
	return St(`waves ${e.text} ${t} ${n}`, r, (r) => {
		let a = J(r, 2 * i);
		for (let r = 0; r < i; r++) wt(e, t, r, n, a);
		return a;
	});
}
function wt(e, t, n, r, i) {
	let a = q(t, 2 * n, r, yt), o = 2n * G(yt), s = 0n;
	for (let c = 0; c < i.rows; c++, s += a) {
		s >= o && (s %= o);
		let a = Number(s) * bt, l = 2 ** -48, u = c * i.columns + 2 * n;
		i.values[u] = Tt(e, Math.sin(a), l * Math.min(a, 1), () => [
			c,
			t,
			2 * n,
			r,
			!1
		]), i.values[u + 1] = Tt(e, Math.cos(a), c ? l : 0, () => [
			c,
			t,
			2 * n,
			r,
			!0
		]);
	}
}
function Tt(e, t, n, r) {
	if (e.native) return e.nearest(t);
	let i = e.nearest(t - n);
	return i === e.nearest(t + n) ? i : V(e, (e) => st(...r(), e));
}
function Et(e, t, n, r, i) {
	let a = t.slopes === null ? null : t.slopes.length === 1 ? t.slopes[0] : t.slopes[n], o = a !== null || 8 * (n + 1) % r == 0, s = a ?? 2 ** (-8 * (n + 1) / r);
	return St(`slope ${e.text} ${s} ${o}`, i, (t) => {
		let i = J(1, t);
		for (let a = 0; a < t; a++) i.values[a] = Dt(e, s, a, o ? null : [8 * (n + 1), r]);
		return {
			rows: t,
			columns: 1,
			values: i.values
		};
	}).values;
}
function Dt(e, t, n, r) {
	if (e.native) return e.round(-t * n + 0);
	let i = 2 ** -48, a = e.nearest(-t * n * (1 - i));
	return a === e.nearest(-t * n * (1 + i)) ? a : V(e, (e) => {
		let i = BigInt(n);
		if (r) return {
			near: -i * q(2, ...r, e),
			error: i << 16n
		};
		let a = 4096;
		return {
			near: -i * H(t, a) >> BigInt(a - e),
			error: e === a ? 0n : 1n
		};
	});
}
function Ot(e, t, n) {
	let r = t.size ?? n.columns, i = r / 2;
	if (i === 0) return n;
	let a = Ct(e, t.base, r, n.rows), o = {
		...n,
		values: n.values.slice()
	};
	for (let r = 0; r < n.rows; r++) for (let s = 0; s < i; s++) {
		let [c, l] = t.pairing === "halves" ? [s, s + i] : [2 * s, 2 * s + 1], u = n.values[r * n.columns + c], d = n.values[r * n.columns + l], f = a.values[r * a.columns + 2 * s], p = a.values[r * a.columns + 2 * s + 1];
		o.values[r * n.columns + c] = e.nearestSum(e.nearest(u * p) - e.nearest(d * f)) + 0, o.values[r * n.columns + l] = e.nearestSum(e.nearest(d * p) + e.nearest(u * f)) + 0;
	}
	return o;
}
function kt(e, t, n, r, i, a) {
	let o = Math.min(i, r.rows - 1) * r.columns;
	for (let i = 0; i < t.columns; i++) a[i] = e.nearestSum(t.values[n * t.columns + i] + r.values[o + i]);
}
// src/engine/attention.ts
function At(e, t, n, r, i, a) {
	let o = Y(e, t.W_Q, i, t.b_Q), s = Y(e, t.W_K, i, t.b_K), c = Y(e, t.W_V, i, t.b_V);
	n?.kind === "Rotary" && ([o, s] = [Ot(e, n, o), Ot(e, n, s)]);
	let l = Z(e, jt(e, n, r, o, s, a), a.name), { weights: u, empty: d } = Mt(e, t.weighting, l, r, a.name), f = Ft(e, u, c, n?.kind === "Relative" ? n.values : null, r);
	return {
		scores: l,
		weights: u,
		empty: d,
		values: c,
		mixed: f,
		output: Y(e, t.W_O, f)
	};
}
function jt(e, t, n, r, i, a) {
	let o = r.rows, s = J(o, o), c = ht(r.columns), l = t?.kind === "Alibi" ? Et(e, t, a.head, a.heads, o) : null, u = t?.kind === "Relative" ? t.keys : null, d = new Float64Array(i.columns);
	for (let t = 0; t < o; t++) for (let a = 0; a < (n ? t + 1 : o); a++) {
		u && kt(e, i, a, u, t - a, d);
		let [n, f] = u ? [d, 0] : [i.values, a * i.columns], p = e.dot(r.values, t * r.columns, n, f, c, c.length);
		s.values[t * o + a] = l ? e.nearestSum(p + l[Math.abs(t - a)]) : p;
	}
	return s;
}
function Mt(t, n, r, i, a) {
	let o = r.rows, s = J(o, o), c = [], l = [];
	for (let e = 0; e < o; e++) {
		let u = i ? e + 1 : o, d = r.values.subarray(e * o, e * o + u), f = s.values.subarray(e * o, e * o + u);
		if (l.push(d.reduce((e, t) => t > e ? t : e, -Infinity)), n.kind === "Softmax") {
			let r = Nt(t, d, f, n.shifted ? l[e] : null);
			if (!Number.isFinite(r)) throw Q(t, a);
			c.push(r === 0);
			for (let e = 0; e < u; e++) f[e] = r === 0 ? n.empty === "uniform" ? t.nearest(1 / u) : 0 : t.nearest(f[e] / r);
		} else c.push(!1), Pt(t, n.kind, d, f, l[e]);
	}
	let d = c.indexOf(!0);
	if (d >= 0 && n.kind === "Softmax" && n.empty === "error") throw new e(`${a}, position ${d}: every exp(score) rounds to 0 in ${t.text}, the largest score is ${u(l[d])}; write Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') to say what is meant`);
	return {
		weights: s,
		empty: c
	};
}
function Nt(e, t, n, r) {
	let i = 0;
	for (let a = 0; a < t.length; a++) n[a] = mt(e, "exp", r === null ? t[a] : e.nearestSum(t[a] - r)), i = e.nearestSum(i + n[a]);
	return i;
}
function Pt(e, t, n, r, i) {
	if (t === "LeftmostHard") r[n.indexOf(i)] = e.round(1);
	else if (t === "RightmostHard") r[n.lastIndexOf(i)] = e.round(1);
	else {
		let t = e.round(1 / n.reduce((e, t) => e + +(t === i), 0));
		for (let e = 0; e < n.length; e++) n[e] === i && (r[e] = t);
	}
}
function Ft(e, t, n, r, i) {
	let a = t.rows, o = J(a, n.columns), s = gt(n), c = new Int32Array(a), l = new Float64Array(n.columns);
	for (let u = 0; u < a; u++) {
		let d = 0;
		for (let n = 0; n < (i ? u + 1 : a); n++) (e.native || t.values[u * a + n] !== 0) && (c[d++] = n);
		if (r) for (let t = 0; t < d; t++) {
			kt(e, n, c[t], r, u - c[t], l);
			for (let e = 0; e < n.columns; e++) s.values[e * a + c[t]] = l[e];
		}
		for (let r = 0; r < n.columns; r++) o.values[u * n.columns + r] = e.dot(t.values, u * a, s.values, r * a, c, d);
	}
	return o;
}
// src/engine/run.ts
function It(e, t) {
	let n = e.vocabulary.every((e) => Array.from(e).length === 1) ? Array.from(t) : t.split(/[\s\x1c-\x1f\x85]+/u).filter((e) => e !== "");
	return Lt(e, n), n;
}
function Lt(t, n) {
	if (n.length === 0) throw new e(`the input is empty: write at least one of the tokens ${p(t.vocabulary)}`);
	let r = new Set(t.vocabulary), i = n.findIndex((e) => !r.has(e));
	if (i >= 0) throw new e(`token ${i} of the input, ${f(n[i])}, is not in the vocabulary: write ` + p(t.vocabulary));
	let a = t.added_positions, o = a === null ? Infinity : a.kind === "Table" ? a.values.rows : a.max_length;
	if (n.length > o) throw new e(`the input has ${n.length} tokens and the position table holds ${o}: write at most ${o} tokens, or give the transformer a longer table`);
}
function Rt(e, t) {
	Lt(e, t);
	let n = x(e.arithmetic), r = Z(n, zt(e, t), "embedding"), i = [{
		kind: "embedding",
		block: -1,
		present: !0
	}], a = [r], o = [], s = [];
	e.blocks.forEach((t, c) => {
		let l = (r, i, a) => {
			let o = `block ${c} ${r.replace("_", "-")} norm`;
			return t.norm_placement === a ? vt(n, t[`${r}_norm`], i, e.lanes, o) : i;
		}, { attention: u, feed_forward: d } = t, f = u ? Bt(e, u, l("attention", r, "pre"), `block ${c}`) : [];
		if (u) {
			let e = J(r.rows, r.columns);
			for (let t of f) e = X(n, e, t.output.values);
			u.b_O && (e = X(n, e, u.b_O)), r = l("attention", X(n, r, e.values), "post");
		}
		a.push(Z(n, r, `block ${c} attention`));
		let p = J(r.rows, 0);
		if (d) {
			p = _t(n, d, l("feed_forward", r, "pre"));
			let e = Y(n, d.W_2, p, d.b_2);
			r = l("feed_forward", X(n, r, e.values), "post");
		}
		a.push(Z(n, r, `block ${c} feed-forward`)), i.push({
			kind: "attention",
			block: c,
			present: u !== null
		}), i.push({
			kind: "feed-forward",
			block: c,
			present: d !== null
		}), o.push(f), s.push(p);
	});
	let c = Vt(e, {
		rows: 1,
		columns: r.columns,
		values: r.values.slice((r.rows - 1) * r.columns)
	}).values, l = c.indexOf(c.reduce((e, t) => t > e ? t : e, -Infinity));
	return {
		model: e,
		tokens: t,
		stages: i,
		stream: a,
		heads: o,
		activations: s,
		logits: c,
		decision: e.classes[l]
	};
}
function zt(e, t) {
	let n = x(e.arithmetic), r = new Map(e.vocabulary.map((e, t) => [e, t])), i = e.lanes.length, a = J(t.length, i), o = e.added_positions, s = o && (o.kind === "Table" ? o.values : Ct(n, o.base, i, t.length));
	return t.forEach((t, o) => {
		let c = r.get(t) * i;
		for (let t = 0; t < i; t++) {
			let r = e.embedding.values[c + t];
			a.values[o * i + t] = s ? n.nearestSum(r + s.values[o * s.columns + t]) : r;
		}
	}), a;
}
function Bt(e, t, n, r) {
	let i = x(e.arithmetic);
	return t.heads.map((a, o) => {
		let s = a.positions ?? e.attention_positions, c = {
			head: o,
			heads: t.heads.length,
			name: `${r}, head ${o}`
		};
		return At(i, a, s, e.mask === "causal", n, c);
	});
}
function Vt(e, t) {
	let n = x(e.arithmetic), r = vt(n, e.final_norm, t, e.lanes, "final norm");
	return Z(n, Y(n, e.output, r, e.output_bias), "output");
}
function Ht(e) {
	let t = x(e.arithmetic);
	return t.native ? null : t.infinity;
}
export { e as EngineError, Ht as infinityOf, je as readModel, Vt as readOff, It as readTokens, Rt as run };
