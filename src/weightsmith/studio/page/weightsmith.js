// node_modules/svelte/src/internal/shared/utils.js
var e = Array.isArray, t = Array.prototype.indexOf, n = Array.prototype.includes, r = Array.from, i = Object.defineProperty, a = Object.getOwnPropertyDescriptor, o = Object.getOwnPropertyDescriptors, s = Object.prototype, c = Array.prototype, l = Object.getPrototypeOf, u = Object.isExtensible, d = () => {};
function f(e) {
	for (var t = 0; t < e.length; t++) e[t]();
}
function p() {
	var e, t;
	return {
		promise: new Promise((n, r) => {
			e = n, t = r;
		}),
		resolve: e,
		reject: t
	};
}
function m(e, t) {
	if (Array.isArray(e)) return e;
	if (t === void 0 || !(Symbol.iterator in e)) return Array.from(e);
	let n = [];
	for (let r of e) if (n.push(r), n.length === t) break;
	return n;
}
// node_modules/svelte/src/internal/client/constants.js
var h = 1 << 24, g = 1024, _ = 2048, v = 4096, y = 8192, b = 16384, x = 32768, S = 1 << 25, C = 65536, w = 1 << 19, T = 1 << 20, ee = 1 << 25, te = 1 << 21, ne = 1 << 22, re = 1 << 23, ie = Symbol("$state"), ae = Symbol("component"), oe = Symbol("legacy props"), se = Symbol(""), ce = Symbol("attributes"), le = Symbol("class"), ue = Symbol("style"), de = Symbol("text"), fe = Symbol("form reset"), pe = new class extends Error {
	name = "StaleReactionError";
	message = "The reaction that called `getAbortSignal()` was re-run or destroyed";
}(), me = !!globalThis.document?.contentType && /* @__PURE__ */ globalThis.document.contentType.includes("xml"), he = {}, ge = Symbol("uninitialized"), _e = "http://www.w3.org/1999/xhtml";
function ve() {
	console.warn("https://svelte.dev/e/derived_inert");
}
function ye(e) {
	console.warn("https://svelte.dev/e/hydration_mismatch");
}
function be() {
	console.warn("https://svelte.dev/e/select_multiple_invalid_value");
}
function xe() {
	console.warn("https://svelte.dev/e/svelte_boundary_reset_noop");
}
// node_modules/svelte/src/internal/client/dom/hydration.js
var E = !1;
function Se(e) {
	E = e;
}
var D;
function Ce(e) {
	if (e === null) throw ye(), he;
	return D = e;
}
function we() {
	return Ce(/* @__PURE__ */ an(D));
}
function O(e) {
	if (E) {
		if (/* @__PURE__ */ an(D) !== null) throw ye(), he;
		D = e;
	}
}
function Te(e = 1) {
	if (E) {
		for (var t = e, n = D; t--;) n = /* @__PURE__ */ an(n);
		D = n;
	}
}
function Ee(e = !0) {
	for (var t = 0, n = D;;) {
		if (n.nodeType === 8) {
			var r = n.data;
			if (r === "]") {
				if (t === 0) return n;
				--t;
			} else (r === "[" || r === "[!" || r[0] === "[" && !isNaN(Number(r.slice(1)))) && (t += 1);
		}
		var i = /* @__PURE__ */ an(n);
		e && n.remove(), n = i;
	}
}
function De(e) {
	if (!e || e.nodeType !== 8) throw ye(), he;
	return e.data;
}
// node_modules/svelte/src/internal/client/reactivity/equality.js
function Oe(e) {
	return e === this.v;
}
function ke(e, t) {
	return e == e ? e !== t || typeof e == "object" && !!e || typeof e == "function" : t == t;
}
function Ae(e) {
	return !ke(e, this.v);
}
// node_modules/svelte/src/internal/client/errors.js
function je() {
	throw Error("https://svelte.dev/e/async_derived_orphan");
}
function Me(e, t, n) {
	throw Error("https://svelte.dev/e/each_key_duplicate");
}
function Ne(e) {
	throw Error("https://svelte.dev/e/effect_in_teardown");
}
function Pe() {
	throw Error("https://svelte.dev/e/effect_in_unowned_derived");
}
function Fe(e) {
	throw Error("https://svelte.dev/e/effect_orphan");
}
function Ie() {
	throw Error("https://svelte.dev/e/effect_update_depth_exceeded");
}
function Le(e) {
	throw Error("https://svelte.dev/e/props_invalid_value");
}
function Re() {
	throw Error("https://svelte.dev/e/state_descriptors_fixed");
}
function ze() {
	throw Error("https://svelte.dev/e/state_prototype_fixed");
}
function Be() {
	throw Error("https://svelte.dev/e/state_unsafe_mutation");
}
function Ve() {
	throw Error("https://svelte.dev/e/svelte_boundary_reset_onerror");
}
// node_modules/svelte/src/internal/client/context.js
var He = null;
function Ue(e) {
	He = e;
}
function We(e, t = !1, n) {
	He = {
		p: He,
		i: !1,
		c: null,
		e: null,
		s: e,
		x: null,
		r: z,
		l: null
	};
}
function Ge(e) {
	var t = He, n = t.e;
	if (n !== null) {
		t.e = null;
		for (var r of n) vn(r);
	}
	return e !== void 0 && (t.x = e), t.i = !0, He = t.p, Ke(e);
}
function Ke(e = {}) {
	return i(e, ae, { value: !0 }), e;
}
function qe() {
	return !0;
}
// node_modules/svelte/src/internal/client/dom/task.js
var Je = [];
function Ye() {
	var e = Je;
	Je = [], f(e);
}
function Xe(e) {
	if (Je.length === 0 && !Ct) {
		var t = Je;
		queueMicrotask(() => {
			t === Je && Ye();
		});
	}
	Je.push(e);
}
function Ze() {
	for (; Je.length > 0;) Ye();
}
// node_modules/svelte/src/internal/client/reactivity/status.js
var Qe = ~(_ | v | g);
function $e(e, t) {
	e.f = e.f & Qe | t;
}
function et(e) {
	e.f & 512 || e.deps === null ? $e(e, g) : $e(e, v);
}
// node_modules/svelte/src/internal/client/reactivity/utils.js
function tt(e, t) {
	e.f & 2048 ? t.set(e, _) : e.f & 4096 && t.get(e) !== 2048 && t.set(e, v), $e(e, g);
}
// node_modules/svelte/src/internal/client/dom/elements/misc.js
var nt = !1;
function rt() {
	nt || (nt = !0, document.addEventListener("reset", (e) => {
		Promise.resolve().then(() => {
			if (!e.defaultPrevented) for (let t of e.target.elements) t[fe]?.();
		});
	}, { capture: !0 }));
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/shared.js
function it(e) {
	var t = R, n = z;
	Hn(null), Un(null);
	try {
		return e();
	} finally {
		Hn(t), Un(n);
	}
}
function at(e, t, n, r = n) {
	e.addEventListener(t, () => it(n));
	let i = e[fe];
	e[fe] = i ? () => {
		i(), r(!0);
	} : () => r(!0), rt();
}
// node_modules/svelte/src/internal/client/reactivity/async.js
function ot(e, t, n, r) {
	let i = qe() ? ut : pt;
	var a = e.filter((e) => !e.settled), o = t.map(i);
	if (n.length === 0 && a.length === 0) {
		r(o);
		return;
	}
	var s = z, c = st(), l = a.length === 1 ? a[0].promise : a.length > 1 ? Promise.all(a.map((e) => e.promise)) : null;
	function u(e) {
		if (!(s.f & 16384)) {
			c();
			try {
				r([...o, ...e]);
			} catch (e) {
				dn(e, s);
			}
			ct();
		}
	}
	var d = lt();
	if (n.length === 0) {
		l.then(() => u([])).finally(d);
		return;
	}
	function f() {
		Promise.all(n.map((e) => /* @__PURE__ */ ft(e))).then(u).catch((e) => dn(e, s)).finally(d);
	}
	l ? l.then(() => {
		s.f & 16384 ? d() : (c(), f(), ct());
	}) : f();
}
function st() {
	var e = z, t = R, n = He, r = A;
	return function(i = !0) {
		Un(e), Hn(t), Ue(n), i && !(e.f & 16384) && (r?.activate(), r?.apply());
	};
}
function ct(e = !0) {
	Un(null), Hn(null), Ue(null), e && A?.deactivate();
}
function lt() {
	var e = z, t = e.b, n = A, r = !!t?.is_rendered();
	return t?.update_pending_count(1, n), n.increment(r, e), () => {
		t?.update_pending_count(-1, n), n.decrement(r, e);
	};
}
/*#__NO_SIDE_EFFECTS__*/
function ut(e) {
	var t = 2 | _;
	return z !== null && (z.f |= w), {
		ctx: He,
		deps: null,
		effects: null,
		equals: Oe,
		f: t,
		fn: e,
		reactions: null,
		rv: 0,
		v: ge,
		wv: 0,
		parent: z,
		ac: null
	};
}
var dt = Symbol("obsolete");
/*#__NO_SIDE_EFFECTS__*/
function ft(e, t, n) {
	let r = z;
	r === null && je();
	var i = void 0, a = Bt(ge), o = !R, s = /* @__PURE__ */ new Set();
	return Sn(() => {
		var t = z, n = p();
		i = n.promise;
		try {
			Promise.resolve(e()).then(n.resolve, (e) => {
				e !== pe && n.reject(e);
			}).finally(ct);
		} catch (e) {
			n.reject(e), ct();
		}
		var c = A;
		if (o) {
			if (t.f & 32768) var l = lt();
			if (r.b?.is_rendered()) c.async_deriveds.get(t)?.reject(dt);
			else for (let e of s.values()) e.reject(dt);
			s.add(n), c.async_deriveds.set(t, n);
		}
		let u = (e, t = void 0) => {
			l?.(), s.delete(n), t !== dt && (c.activate(), t ? (a.f |= re, Wt(a, t)) : (a.f & 8388608 && (a.f ^= re), Wt(a, e)), c.deactivate());
		};
		n.promise.then(u, (e) => u(null, e || "unknown"));
	}), gn(() => {
		for (let e of s) e.reject(dt);
	}), new Promise((e) => {
		function t(n) {
			function r() {
				n === i ? e(a) : t(i);
			}
			n.then(r, r);
		}
		t(i);
	});
}
/*#__NO_SIDE_EFFECTS__*/
function k(e) {
	let t = /* @__PURE__ */ ut(e);
	return Gn(t), t;
}
/*#__NO_SIDE_EFFECTS__*/
function pt(e) {
	let t = /* @__PURE__ */ ut(e);
	return t.equals = Ae, t;
}
function mt(e) {
	var t = e.effects;
	if (t !== null) {
		e.effects = null;
		for (var n = 0; n < t.length; n += 1) An(t[n]);
	}
}
function ht(e) {
	var t, n = z, r = e.parent;
	if (!zn && r !== null && e.v !== ge && r.f & 24576) return ve(), e.v;
	Un(r);
	try {
		mt(e), t = rr(e);
	} finally {
		Un(n);
	}
	return t;
}
function gt(e) {
	var t = ht(e);
	!e.equals(t) && (e.wv = er(), (!A?.is_fork || e.deps === null) && (A === null ? e.v = t : (A.capture(e, t, !0), bt?.capture(e, t, !0)), e.deps === null)) ? $e(e, g) : zn || (xt === null ? et(e) : (hn() || A?.is_fork) && xt.set(e, t));
}
function _t(e) {
	if (e.effects !== null) for (let t of e.effects) (t.teardown || t.ac) && (t.teardown?.(), t.ac !== null && it(() => {
		t.ac.abort(pe), t.ac = null;
	}), t.fn !== null && (t.teardown = d), or(t, 0), On(t));
}
function vt(e) {
	if (e.effects !== null) for (let t of e.effects) t.teardown && t.fn !== null && sr(t);
}
// node_modules/svelte/src/internal/client/reactivity/batch.js
var yt = null, A = null, bt = null, xt = null, St = null, Ct = !1, wt = !1, Tt = null, Et = null, Dt = 0, Ot = 1, kt = class e {
	id = Ot++;
	started = !1;
	linked = !0;
	prev = null;
	next = null;
	async_deriveds = /* @__PURE__ */ new Map();
	current = /* @__PURE__ */ new Map();
	previous = /* @__PURE__ */ new Map();
	#e = /* @__PURE__ */ new Set();
	#t = /* @__PURE__ */ new Set();
	#n = 0;
	#r = /* @__PURE__ */ new Map();
	#i = null;
	#a = [];
	#o = [];
	#s = /* @__PURE__ */ new Map();
	#c = /* @__PURE__ */ new Map();
	#l = /* @__PURE__ */ new Set();
	is_fork = !1;
	#u = !1;
	constructor() {
		yt === null ? yt = this : (yt.next = this, this.prev = yt), yt = this;
	}
	#d() {
		if (this.is_fork) return !0;
		for (let e of this.#r.keys()) if (!this.#f(e)) return !0;
		return !1;
	}
	#f(e) {
		for (var t = e; t !== null; t = t.parent) if (this.#c.has(t)) return !0;
		return !1;
	}
	skip_effect(e) {
		this.#c.has(e) || this.#c.set(e, {
			d: [],
			m: []
		}), this.#l.delete(e);
	}
	unskip_effect(e, t = (e) => this.schedule(e)) {
		var n = this.#c.get(e);
		if (n) {
			this.#c.delete(e);
			for (var r of n.d) $e(r, _), t(r);
			for (r of n.m) $e(r, v), t(r);
		}
		this.#l.add(e);
	}
	#p() {
		var e = [];
		for (let i of this.#a) if (!(i.f & 16384 || !(i.f & 6144))) {
			for (var t = i, n = !1; t.parent !== null;) {
				t = t.parent;
				var r = t.f;
				if (r & 96) {
					if (!(r & 1024)) {
						n = !0;
						break;
					}
					t.f ^= g;
				}
			}
			n || e.push(t);
		}
		return this.#a = [], e;
	}
	#m() {
		this.started = !0;
		for (let [e, t] of this.#s) $e(e, t), this.schedule(e);
		this.apply();
		for (var t = Tt = [], n = [], r = Et = []; this.#a.length > 0;) {
			Dt++ > 1e3 && (this.#b(), jt());
			for (let e of this.#p()) try {
				this.#h(e, t, n);
			} catch (t) {
				throw It(e), this.#d() || this.discard(), t;
			}
		}
		if (A = null, r.length > 0) {
			var i = e.ensure();
			for (let e of r) i.schedule(e);
		}
		if (Tt = null, Et = null, this.#d()) {
			this.#y(n), this.#y(t);
			for (let [e, t] of this.#c) Ft(e, t);
			r.length > 0 && A.#m();
			return;
		}
		let a = this.#g();
		if (a) this.#y(n), this.#y(t), a.#v(this);
		else {
			this.#s.clear();
			for (let e of this.#e) e(this);
			this.#e.clear(), bt = this, Nt(n), Nt(t), bt = null, this.#i?.resolve();
			var o = A;
			this.#n === 0 && (this.#a.length === 0 || o !== null) && this.#b(), o !== null && (Rt.clear(), o.#m());
		}
	}
	#h(e, t, n) {
		e.f ^= g;
		for (var r = e.first; r !== null;) {
			var i = r.f, a = !!(i & 96);
			if (!(a && i & 1024 || i & 8192 || this.#c.has(r)) && r.fn !== null) {
				a ? r.f ^= g : i & 4 ? t.push(r) : tr(r) && (i & 16 && this.add_dirty_reaction(r, v), sr(r));
				var o = r.first;
				if (o !== null) {
					r = o;
					continue;
				}
			}
			for (; r !== null;) {
				var s = r.next;
				if (s !== null) {
					r = s;
					break;
				}
				r = r.parent;
			}
		}
	}
	#g() {
		for (var e = this.prev; e !== null; e = e.prev) if (!e.is_fork && this.#_(e)) return e;
		return null;
	}
	#_(e) {
		for (let [t, [, n]] of this.current) if (!n && e.current.has(t)) return !0;
		return !1;
	}
	#v(e) {
		for (let [t, n] of e.current) !this.previous.has(t) && e.previous.has(t) && this.previous.set(t, e.previous.get(t)), this.current.set(t, n);
		for (let [t, n] of e.async_deriveds) {
			let e = this.async_deriveds.get(t);
			e && n.promise.then(e.resolve).catch(e.reject);
		}
		e.async_deriveds.clear(), this.transfer_reactions(e.#s);
		let t = (e) => {
			var n = e.reactions;
			if (n !== null && !(e.f & 2 && !(e.f & 6144))) for (let e of n) {
				var r = e.f;
				if (r & 2) t(e);
				else {
					var i = e;
					r & 4194320 && !this.async_deriveds.has(i) && (this.#s.delete(i), $e(i, _), this.schedule(i));
				}
			}
		};
		for (let e of this.current.keys()) t(e);
		this.oncommit(() => e.discard()), e.#b(), A = this, this.#m();
	}
	#y(e) {
		for (var t = 0; t < e.length; t += 1) tt(e[t], this.#s);
	}
	capture(e, t, n = !1) {
		e.v !== ge && !this.previous.has(e) && this.previous.set(e, e.v), e.f & 8388608 || (this.current.set(e, [t, n]), xt?.set(e, t)), this.is_fork || (e.v = t);
	}
	activate() {
		A = this;
	}
	deactivate() {
		A = null, xt = null;
	}
	flush() {
		try {
			wt = !0, A = this, this.#m();
		} finally {
			Dt = 0, St = null, Tt = null, Et = null, wt = !1, A = null, xt = null, Rt.clear();
		}
	}
	discard() {
		for (let e of this.#t) e(this);
		this.#t.clear();
		for (let e of this.async_deriveds.values()) e.reject(dt);
		this.#b(), this.#i?.resolve();
	}
	register_created_effect(e) {
		this.#o.push(e);
	}
	increment(e, t) {
		if (this.#n += 1, e) {
			let e = this.#r.get(t) ?? 0;
			this.#r.set(t, e + 1);
		}
	}
	decrement(e, t) {
		if (--this.#n, e) {
			let e = this.#r.get(t) ?? 0;
			e === 1 ? this.#r.delete(t) : this.#r.set(t, e - 1);
		}
		this.#u || (this.#u = !0, Xe(() => {
			this.#u = !1, this.linked && this.flush();
		}));
	}
	transfer_reactions(e) {
		for (let [t, n] of e) this.add_dirty_reaction(t, n);
		e.clear();
	}
	add_dirty_reaction(e, t) {
		(t === 2048 || this.#s.get(e) !== 2048) && this.#s.set(e, t);
	}
	oncommit(e) {
		this.#e.add(e);
	}
	ondiscard(e) {
		this.#t.add(e);
	}
	settled() {
		return (this.#i ??= p()).promise;
	}
	static ensure() {
		if (A === null) {
			let t = A = new e();
			!wt && !Ct && Xe(() => {
				t.started || t.flush();
			});
		}
		return A;
	}
	apply() {
		xt = null;
	}
	schedule(e) {
		St = e, e.b?.is_pending && e.f & 16777228 && !(e.f & 32768) ? e.b.defer_effect(e) : this.#a.push(e);
	}
	#b() {
		if (this.linked) {
			var e = this.prev, t = this.next;
			e === null || (e.next = t), t === null ? yt = e : t.prev = e, this.linked = !1;
		}
	}
};
function At(e) {
	var t = Ct, n = bt;
	bt = null, Ct = !0;
	try {
		var r;
		for (e && (At(), r = e());;) {
			if (Ze(), A === null) return r;
			A.flush();
		}
	} finally {
		Ct = t, bt = n;
	}
}
function jt() {
	try {
		Ie();
	} catch (e) {
		dn(e, St);
	}
}
var Mt = null;
function Nt(e) {
	var t = e.length;
	if (t !== 0) {
		for (var n = 0; n < t;) {
			var r = e[n++];
			if (!(r.f & 24576) && tr(r) && (Mt = /* @__PURE__ */ new Set(), sr(r), r.deps === null && r.first === null && r.nodes === null && r.teardown === null && r.ac === null && Mn(r), Mt?.size > 0)) {
				Rt.clear();
				for (let e of Mt) {
					if (e.f & 24576) continue;
					let t = [e], n = e.parent;
					for (; n !== null;) Mt.has(n) && (Mt.delete(n), t.push(n)), n = n.parent;
					for (let e = t.length - 1; e >= 0; e--) {
						let n = t[e];
						n.f & 24576 || sr(n);
					}
				}
				Mt.clear();
			}
		}
		Mt = null;
	}
}
function Pt(e) {
	A.schedule(e);
}
function Ft(e, t) {
	if (!(e.f & 32 && e.f & 1024)) {
		e.f & 2048 ? t.d.push(e) : e.f & 4096 && t.m.push(e), $e(e, g);
		for (var n = e.first; n !== null;) Ft(n, t), n = n.next;
	}
}
function It(e) {
	$e(e, g);
	for (var t = e.first; t !== null;) It(t), t = t.next;
}
// node_modules/svelte/src/internal/client/reactivity/sources.js
var Lt = /* @__PURE__ */ new Set(), Rt = /* @__PURE__ */ new Map(), zt = !1;
function Bt(e, t) {
	return {
		f: 0,
		v: e,
		reactions: null,
		equals: Oe,
		rv: 0,
		wv: 0
	};
}
/*#__NO_SIDE_EFFECTS__*/
function j(e, t) {
	let n = Bt(e, t);
	return Gn(n), n;
}
/*#__NO_SIDE_EFFECTS__*/
function Vt(e, t = !1, n = !0) {
	let r = Bt(e);
	return t || (r.equals = Ae), r;
}
function M(e, t, n = !1) {
	return R !== null && (!Vn || R.f & 131072) && qe() && R.f & 4325394 && (Wn === null || !Wn.has(e)) && Be(), Wt(e, n ? Jt(t) : t, Et);
}
var Ht = null, Ut = 0;
function Wt(e, t, n = null) {
	if (!e.equals(t)) {
		zn ? Rt.set(e, t) : Rt.has(e) || Rt.set(e, e.v);
		var r = kt.ensure();
		if (r.capture(e, t), e.f & 2) {
			let t = e;
			e.f & 2048 && ht(t), xt === null && et(t);
		}
		e.wv = er(), Ht = null, Ut = 0, qt(e, _, n), Ht = null, qe() && z !== null && z.f & 1024 && !(z.f & 96) && (Jn === null ? Yn([e]) : Jn.push(e)), !r.is_fork && Lt.size > 0 && !zt && Gt();
	}
	return t;
}
function Gt() {
	zt = !1;
	for (let e of Lt) {
		e.f & 1024 && $e(e, v);
		let t;
		try {
			t = tr(e);
		} catch {
			t = !0;
		}
		t && sr(e);
	}
	Lt.clear();
}
function Kt(e) {
	M(e, e.v + 1);
}
function qt(e, t, n) {
	var r = e.reactions;
	if (r !== null) {
		var i = qe(), a = r.length;
		if (Ut += a, Ut > 1e5 && Ht === null && (Ht = /* @__PURE__ */ new Set()), Ht !== null) {
			if (Ht.has(e)) return;
			Ht.add(e);
		}
		for (var o = 0; o < a; o++) {
			var s = r[o], c = s.f;
			if (i || s !== z) {
				var l = (c & _) === 0;
				if (l && $e(s, t), c & 131072) Lt.add(s);
				else if (c & 2) {
					var u = s;
					xt?.delete(u), qt(u, v, n);
				} else if (l) {
					var d = s;
					c & 16 && Mt !== null && Mt.add(d), n === null ? Pt(d) : n.push(d);
				}
			}
		}
	}
}
function Jt(t) {
	if (typeof t != "object" || !t || ie in t || ae in t) return t;
	let n = l(t);
	if (n !== s && n !== c) return t;
	var r = /* @__PURE__ */ new Map(), i = e(t), o = /* @__PURE__ */ j(0), u = null, d = Qn, f = (e) => {
		if (Qn === d) return e();
		var t = R, n = Qn;
		Hn(null), $n(d);
		var r = e();
		return Hn(t), $n(n), r;
	};
	return i && r.set("length", /* @__PURE__ */ j(t.length, u)), new Proxy(t, {
		defineProperty(e, t, n) {
			"value" in n && n.configurable !== !1 && n.enumerable !== !1 && n.writable !== !1 || Re();
			var i = r.get(t);
			return i === void 0 ? f(() => {
				var e = /* @__PURE__ */ j(n.value, u);
				return r.set(t, e), e;
			}) : M(i, n.value, !0), !0;
		},
		deleteProperty(e, t) {
			var n = r.get(t);
			if (n === void 0) {
				if (t in e) {
					let e = f(() => /* @__PURE__ */ j(ge, u));
					r.set(t, e), Kt(o);
				}
			} else M(n, ge), Kt(o);
			return !0;
		},
		get(e, n, i) {
			if (n === ie) return t;
			var o = r.get(n), s = n in e;
			if (o === void 0 && (!s || a(e, n)?.writable) && (o = f(() => /* @__PURE__ */ j(Jt(s ? e[n] : ge), u)), r.set(n, o)), o !== void 0) {
				var c = B(o);
				return c === ge ? void 0 : c;
			}
			return Reflect.get(e, n, i);
		},
		getOwnPropertyDescriptor(e, t) {
			this.has?.(e, t);
			var n = Reflect.getOwnPropertyDescriptor(e, t), i = r.get(t);
			if (i !== void 0) {
				var a = B(i);
				if (a === ge) return;
				if (n && "value" in n) n.value = a;
				else return {
					enumerable: !0,
					configurable: !0,
					value: a,
					writable: !0
				};
			}
			return n;
		},
		has(e, t) {
			if (t === ie) return !0;
			var n = r.get(t), i = n !== void 0 && n.v !== ge || Reflect.has(e, t);
			return (n !== void 0 || (z !== null || R !== null) && (!i || a(e, t)?.writable)) && (n === void 0 && (n = f(() => /* @__PURE__ */ j(i ? Jt(e[t]) : ge, u)), r.set(t, n)), B(n) === ge) ? !1 : i;
		},
		set(e, t, n, s) {
			var c = r.get(t), l = t in e;
			if (i && t === "length") for (var d = n; d < c.v; d += 1) {
				var p = r.get(d + "");
				p === void 0 ? d in e && (p = f(() => /* @__PURE__ */ j(ge, u)), r.set(d + "", p)) : M(p, ge);
			}
			if (c === void 0) (!l || a(e, t)?.writable) && (c = f(() => /* @__PURE__ */ j(void 0, u)), M(c, Jt(n)), r.set(t, c));
			else {
				l = c.v !== ge;
				var m = f(() => Jt(n));
				M(c, m);
			}
			var h = Reflect.getOwnPropertyDescriptor(e, t);
			if (h?.set && h.set.call(s, n), !l) {
				if (i && typeof t == "string") {
					var g = r.get("length"), _ = Number(t);
					Number.isInteger(_) && _ >= g.v && M(g, _ + 1);
				}
				Kt(o);
			}
			return !0;
		},
		ownKeys(e) {
			B(o);
			var t = Reflect.ownKeys(e).filter((e) => {
				var t = r.get(e);
				return t === void 0 || t.v !== ge;
			});
			for (var [n, i] of r) i.v !== ge && !(n in e) && t.push(n);
			return t;
		},
		setPrototypeOf() {
			ze();
		}
	});
}
function Yt(e) {
	try {
		if (typeof e == "object" && e && ie in e) return e[ie];
	} catch {}
	return e;
}
function Xt(e, t) {
	return Object.is(Yt(e), Yt(t));
}
var Zt, Qt, $t, en;
function tn() {
	if (Zt === void 0) {
		Zt = window, Qt = /Firefox/.test(navigator.userAgent);
		var e = Element.prototype, t = Node.prototype, n = Text.prototype;
		$t = a(t, "firstChild").get, en = a(t, "nextSibling").get, u(e) && (e[le] = void 0, e[ce] = null, e[ue] = void 0, e.__e = void 0), u(n) && (n[de] = void 0);
	}
}
function nn(e = "") {
	return document.createTextNode(e);
}
/*@__NO_SIDE_EFFECTS__*/
function rn(e) {
	return $t.call(e);
}
/*@__NO_SIDE_EFFECTS__*/
function an(e) {
	return en.call(e);
}
function N(e, t) {
	if (!E) return /* @__PURE__ */ rn(e);
	var n = /* @__PURE__ */ rn(D);
	if (n === null) n = D.appendChild(nn());
	else if (t && n.nodeType !== 3) {
		var r = nn();
		return n?.before(r), Ce(r), r;
	}
	return t && ln(n), Ce(n), n;
}
function P(e, t = !1) {
	if (!E) {
		var n = /* @__PURE__ */ rn(e);
		return n instanceof Comment && n.data === "" ? /* @__PURE__ */ an(n) : n;
	}
	if (t) {
		if (D?.nodeType !== 3) {
			var r = nn();
			return D?.before(r), Ce(r), r;
		}
		ln(D);
	}
	return D;
}
function F(e, t = !1) {
	if (!E) return /* @__PURE__ */ rn(e);
	var n = N(e, t);
	return O(e), n;
}
function I(e, t = 1, n = !1) {
	let r = E ? D : e;
	for (var i; t--;) i = r, r = /* @__PURE__ */ an(r);
	if (!E) return r;
	if (n) {
		if (r?.nodeType !== 3) {
			var a = nn();
			return r === null ? i?.after(a) : r.before(a), Ce(a), a;
		}
		ln(r);
	}
	return Ce(r), r;
}
function on(e) {
	e.textContent = "";
}
function sn() {
	return !1;
}
function cn(e, t, n) {
	return t == null || t === "http://www.w3.org/1999/xhtml" ? n ? document.createElement(e, { is: n }) : document.createElement(e) : n ? document.createElementNS(t, e, { is: n }) : document.createElementNS(t, e);
}
function ln(e) {
	if (e.nodeValue.length < 65536) return;
	let t = e.nextSibling;
	for (; t !== null && t.nodeType === 3;) t.remove(), e.nodeValue += t.nodeValue, t = e.nextSibling;
}
function un(e) {
	var t = z;
	if (t === null) return R.f |= re, e;
	if (!(t.f & 32768) && !(t.f & 4)) throw e;
	dn(e, t);
}
function dn(e, t) {
	if (e === he) throw e;
	if (!(t !== null && t.f & 16384)) {
		for (; t !== null;) {
			if (t.f & 128 && !(t.f & 33570816)) {
				if (!(t.f & 32768)) throw e;
				try {
					t.b.error(e);
					return;
				} catch (t) {
					e = t;
				}
			}
			t = t.parent;
		}
		throw e;
	}
}
// node_modules/svelte/src/internal/client/reactivity/effects.js
function fn(e) {
	z === null && (R === null && Fe(e), Pe()), zn && Ne(e);
}
function pn(e, t) {
	var n = t.last;
	n === null ? t.last = t.first = e : (n.next = e, e.prev = n, t.last = e);
}
function mn(e, t) {
	var n = z;
	n !== null && n.f & 8192 && (e |= y);
	var r = {
		ctx: He,
		deps: null,
		nodes: null,
		f: e | _ | 512,
		first: null,
		fn: t,
		last: null,
		next: null,
		parent: n,
		b: n && n.b,
		prev: null,
		teardown: null,
		wv: 0,
		ac: null
	};
	A?.register_created_effect(r);
	var i = r;
	if (e & 4) Tt === null ? kt.ensure().schedule(r) : Tt.push(r);
	else if (t !== null) {
		try {
			sr(r);
		} catch (e) {
			throw An(r), e;
		}
		i.deps === null && i.teardown === null && i.nodes === null && i.first === i.last && !(i.f & 524288) && (i = i.first, e & 16 && e & 65536 && i !== null && (i.f |= C));
	}
	if (i !== null && (i.parent = n, n !== null && pn(i, n), R !== null && R.f & 2 && !(e & 64))) {
		var a = R;
		(a.effects ??= []).push(i);
	}
	return r;
}
function hn() {
	return R !== null && !Vn;
}
function gn(e) {
	let t = mn(8, null);
	return $e(t, g), t.teardown = e, t;
}
function _n(e) {
	fn("$effect");
	var t = z.f;
	if (!R && t & 32 && He !== null && !He.i) {
		var n = He;
		(n.e ??= []).push(e);
	} else return vn(e);
}
function vn(e) {
	return mn(4 | T, e);
}
function yn(e) {
	return fn("$effect.pre"), mn(8 | T, e);
}
function bn(e) {
	kt.ensure();
	let t = mn(64 | w, e);
	return (e = {}) => new Promise((n) => {
		e.outro ? Nn(t, () => {
			An(t), n(void 0);
		}) : (An(t), n(void 0));
	});
}
function xn(e) {
	return mn(4, e);
}
function Sn(e) {
	return mn(ne | w, e);
}
function Cn(e, t = 0) {
	return mn(8 | t, e);
}
function L(e, t = [], n = [], r = []) {
	ot(r, t, n, (t) => {
		mn(8, () => {
			e(...t.map(B));
		});
	});
}
function wn(e, t = 0) {
	return mn(16 | t, e);
}
function Tn(e, t = 0) {
	return mn(h | t, e);
}
function En(e) {
	return mn(32 | w, e);
}
function Dn(e) {
	var t = e.teardown;
	if (t !== null) {
		let n = zn, r = R;
		Bn(!0), Hn(null);
		try {
			t.call(null);
		} catch (t) {
			dn(t, e.parent);
		} finally {
			Bn(n), Hn(r);
		}
	}
}
function On(e, t = !1) {
	var n = e.first;
	for (e.first = e.last = null; n !== null;) {
		let e = n.ac;
		e !== null && it(() => {
			e.abort(pe);
		});
		var r = n.next;
		n.f & 64 ? n.parent = null : An(n, t), n = r;
	}
}
function kn(e) {
	for (var t = e.first; t !== null;) {
		var n = t.next;
		t.f & 32 || An(t), t = n;
	}
}
function An(e, t = !0) {
	var n = !1;
	(t || e.f & 262144) && e.nodes !== null && e.nodes.end !== null && (jn(e.nodes.start, e.nodes.end), n = !0), e.f |= S, On(e, t && !n), or(e, 0);
	var r = e.nodes && e.nodes.t;
	if (r !== null) for (let e of r) e.stop();
	Dn(e), e.f ^= S, e.f |= b;
	var i = e.parent;
	i !== null && i.first !== null && Mn(e), e.next = e.prev = e.teardown = e.ctx = e.deps = e.fn = e.nodes = e.ac = e.b = null;
}
function jn(e, t) {
	for (; e !== null;) {
		var n = e === t ? null : /* @__PURE__ */ an(e);
		e.remove(), e = n;
	}
}
function Mn(e) {
	var t = e.parent, n = e.prev, r = e.next;
	n !== null && (n.next = r), r !== null && (r.prev = n), t !== null && (t.first === e && (t.first = r), t.last === e && (t.last = n));
}
function Nn(e, t, n = !0) {
	var r = [];
	e.f |= 256, Pn(e, r, !0);
	var i = () => {
		n && An(e), t && t();
	}, a = r.length;
	if (a > 0) {
		var o = () => --a || i();
		for (var s of r) s.out(o);
	} else i();
}
function Pn(e, t, n) {
	if (!(e.f & 8192)) {
		e.f ^= y;
		var r = e.nodes && e.nodes.t;
		if (r !== null) for (let e of r) (e.is_global || n) && t.push(e);
		for (var i = e.first; i !== null;) {
			var a = i.next;
			if (!(i.f & 64)) {
				var o = !!(i.f & 65536) || !!(i.f & 32) && !!(e.f & 16);
				Pn(i, t, o ? n : !1);
			}
			i = a;
		}
	}
}
function Fn(e) {
	e.f &= -257, In(e, !0);
}
function In(e, t) {
	if (!(e.f & 256) && e.f & 8192) {
		e.f ^= y, e.f & 1024 || ($e(e, _), kt.ensure().schedule(e));
		for (var n = e.first; n !== null;) {
			var r = n.next, i = !!(n.f & 65536) || !!(n.f & 32);
			In(n, i ? t : !1), n = r;
		}
		var a = e.nodes && e.nodes.t;
		if (a !== null) for (let e of a) (e.is_global || t) && e.in();
	}
}
function Ln(e, t) {
	if (e.nodes) for (var n = e.nodes.start, r = e.nodes.end; n !== null;) {
		var i = n === r ? null : /* @__PURE__ */ an(n);
		t.append(n), n = i;
	}
}
// node_modules/svelte/src/internal/client/legacy.js
var Rn = null, zn = !1;
function Bn(e) {
	zn = e;
}
var R = null, Vn = !1;
function Hn(e) {
	R = e;
}
var z = null;
function Un(e) {
	z = e;
}
var Wn = null;
function Gn(e) {
	R !== null && (R.f & 2097152 || R.f & 2) && (Wn ??= /* @__PURE__ */ new Set()).add(e);
}
var Kn = null, qn = 0, Jn = null;
function Yn(e) {
	Jn = e;
}
var Xn = 1, Zn = 0, Qn = Zn;
function $n(e) {
	Qn = e;
}
function er() {
	return ++Xn;
}
function tr(e) {
	var t = e.f;
	if (t & 2048) return !0;
	if (t & 4096) {
		for (var n = e.deps, r = n.length, i = 0; i < r; i++) {
			var a = n[i];
			if (tr(a) && gt(a), a.wv > e.wv) return !0;
		}
		t & 512 && xt === null && $e(e, g);
	}
	return !1;
}
function nr(e, t, n = !0) {
	var r = e.reactions;
	if (r !== null && !(Wn !== null && Wn.has(e))) for (var i = 0; i < r.length; i++) {
		var a = r[i];
		a.f & 2 ? nr(a, t, !1) : t === a && (n ? $e(a, _) : a.f & 1024 && $e(a, v), Pt(a));
	}
}
function rr(e) {
	var t = Kn, n = qn, r = Jn, i = R, a = Wn, o = He, s = Vn, c = Qn, l = e.f;
	Kn = null, qn = 0, Jn = null, R = l & 96 ? null : e, Wn = null, Ue(e.ctx), Vn = !1, Qn = ++Zn, e.ac !== null && (it(() => {
		e.ac.abort(pe);
	}), e.ac = null);
	try {
		e.f |= te;
		var u = e.fn, d = u();
		e.f |= x;
		var f = ir(e);
		if (qe() && Jn !== null && !Vn && f !== null && !(e.f & 6146)) for (var p = 0; p < Jn.length; p++) nr(Jn[p], e);
		if (i !== null && i !== e) {
			if (Zn++, i.deps !== null) for (let e = 0; e < n; e += 1) i.deps[e].rv = Zn;
			if (t !== null) for (let e of t) e.rv = Zn;
			Jn !== null && (r === null ? r = Jn : r.push(...Jn));
		}
		return e.f & 8388608 && (e.f ^= re), d;
	} catch (t) {
		return ir(e), un(t);
	} finally {
		e.f ^= te, Kn = t, qn = n, Jn = r, R = i, Wn = a, Ue(o), Vn = s, Qn = c;
	}
}
function ir(e) {
	var t = e.deps, n = A?.is_fork;
	if (Kn !== null) {
		var r;
		if (n || or(e, qn), t !== null && qn > 0) for (t.length = qn + Kn.length, r = 0; r < Kn.length; r++) t[qn + r] = Kn[r];
		else e.deps = t = Kn;
		if (hn() && e.f & 512) for (r = qn; r < t.length; r++) (t[r].reactions ??= []).push(e);
	} else !n && t !== null && qn < t.length && (or(e, qn), t.length = qn);
	return t;
}
function ar(e, r) {
	let i = r.reactions;
	if (i !== null) {
		var a = t.call(i, e);
		if (a !== -1) {
			var o = i.length - 1;
			o === 0 ? i = r.reactions = null : (i[a] = i[o], i.pop());
		}
	}
	if (i === null && r.f & 2 && (Kn === null || !n.call(Kn, r))) {
		var s = r;
		s.f & 512 && (s.f ^= 512), s.v !== ge && et(s), s.ac !== null && it(() => {
			s.ac.abort(pe), s.ac = null, $e(s, _);
		}), _t(s), or(s, 0);
	}
}
function or(e, t) {
	var n = e.deps;
	if (n !== null) for (var r = t; r < n.length; r++) ar(e, n[r]);
}
function sr(e) {
	var t = e.f;
	if (!(t & 16384)) {
		$e(e, g);
		var n = z;
		z = e;
		try {
			t & 16777232 ? kn(e) : On(e), Dn(e);
			var r = rr(e);
			e.teardown = typeof r == "function" ? r : null, e.wv = Xn;
		} finally {
			z = n;
		}
	}
}
async function cr() {
	await Promise.resolve(), At();
}
function B(e) {
	var t = !!(e.f & 2);
	if (Rn?.add(e), R !== null && !Vn && !(z !== null && z.f & 16384) && (Wn === null || !Wn.has(e))) {
		var r = R.deps;
		if (R.f & 2097152) e.rv < Zn && (e.rv = Zn, Kn === null && r !== null && r[qn] === e ? qn++ : Kn === null ? Kn = [e] : Kn.push(e));
		else {
			R.deps ??= [], n.call(R.deps, e) || R.deps.push(e);
			var i = e.reactions;
			i === null ? e.reactions = [R] : n.call(i, R) || i.push(R);
		}
	}
	if (zn && Rt.has(e)) return Rt.get(e);
	if (t) {
		var a = e;
		if (zn) {
			var o = a.v;
			return (!(a.f & 1024) && a.reactions !== null || ur(a)) && (o = ht(a)), Rt.set(a, o), o;
		}
		var s = !(a.f & 512) && !Vn && R !== null && !!(R.f & 512), c = (a.f & x) === 0;
		tr(a) && (s && (a.f |= 512), gt(a)), s && !c && (vt(a), lr(a));
	}
	if (xt?.has(e)) return xt.get(e);
	if (e.f & 8388608) throw e.v;
	return e.v;
}
function lr(e) {
	if (e.f |= 512, e.deps !== null) for (let r of e.deps) {
		var t = r.reactions;
		t === null ? r.reactions = [e] : n.call(t, e) || t.push(e), r.f & 2 && !(r.f & 512) && (vt(r), lr(r));
	}
}
function ur(e) {
	if (e.v === ge) return !0;
	if (e.deps === null) return !1;
	for (let t of e.deps) if (Rt.has(t) || t.f & 2 && ur(t)) return !0;
	return !1;
}
function dr(e) {
	var t = Vn;
	try {
		return Vn = !0, e();
	} finally {
		Vn = t;
	}
}
[.../* @__PURE__ */ "allowfullscreen.async.autofocus.autoplay.checked.controls.default.disabled.formnovalidate.indeterminate.inert.ismap.loop.multiple.muted.nomodule.novalidate.open.playsinline.readonly.required.reversed.seamless.selected.webkitdirectory.defer.disablepictureinpicture.disableremoteplayback".split(".")];
var fr = ["touchstart", "touchmove"];
function pr(e) {
	return fr.includes(e);
}
// node_modules/svelte/src/internal/client/dom/elements/events.js
var mr = Symbol("events"), hr = /* @__PURE__ */ new Set(), gr = /* @__PURE__ */ new Set();
function _r(e, t, n, r = {}) {
	function i(e) {
		if (r.capture || Sr.call(t, e), !e.cancelBubble) return it(() => n?.call(this, e));
	}
	return e.startsWith("pointer") || e.startsWith("touch") || e === "wheel" ? (i.__removed = !1, Xe(() => {
		i.__removed || t.addEventListener(e, i, r);
	})) : t.addEventListener(e, i, r), i;
}
function vr(e, t, n, r, i) {
	var a = {
		capture: r,
		passive: i
	}, o = _r(e, t, n, a);
	(t === document.body || t === window || t === document || t instanceof HTMLMediaElement) && gn(() => {
		o.__removed = !0, t.removeEventListener(e, o, a);
	});
}
function V(e, t, n) {
	(t[mr] ??= {})[e] = n;
}
function yr(e) {
	for (var t = 0; t < e.length; t++) hr.add(e[t]);
	for (var n of gr) n(e);
}
var br = null, xr = !1;
function Sr(e) {
	var t = this, n = t.ownerDocument, r = e.type, a = e.composedPath?.() || [], o = a[0] || e.target;
	br = e, xr || (xr = !0, setTimeout(() => {
		xr = !1, br = null;
	}));
	var s = 0, c = br === e && e[mr];
	if (c) {
		var l = a.indexOf(c);
		if (l !== -1 && (t === document || t === window)) {
			e[mr] = t;
			return;
		}
		var u = a.indexOf(t);
		if (u === -1) return;
		l <= u && (s = l);
	}
	if (o = a[s] || e.target, o !== t) {
		i(e, "currentTarget", {
			configurable: !0,
			get() {
				return o || n;
			}
		});
		var d = R, f = z;
		Hn(null), Un(null);
		try {
			for (var p, m = []; o !== null && o !== t;) {
				try {
					var h = o[mr]?.[r];
					h == null || o.disabled && e.target !== o || h.call(o, e);
				} catch (e) {
					p ? m.push(e) : p = e;
				}
				if (e.cancelBubble) break;
				s++, o = s < a.length ? a[s] : null;
			}
			if (p) {
				for (let e of m) queueMicrotask(() => {
					throw e;
				});
				throw p;
			}
		} finally {
			e[mr] = t, delete e.currentTarget, Hn(d), Un(f);
		}
	}
}
// node_modules/svelte/src/internal/client/dom/reconciler.js
var Cr = globalThis?.window?.trustedTypes && /* @__PURE__ */ globalThis.window.trustedTypes.createPolicy("svelte-trusted-html", { createHTML: (e) => e });
function wr(e) {
	return Cr?.createHTML(e) ?? e;
}
function Tr(e) {
	var t = cn("template");
	return t.innerHTML = wr(e.replaceAll("<!>", "<!---->")), t.content;
}
// node_modules/svelte/src/internal/client/dom/template.js
function Er(e, t) {
	var n = z;
	n.nodes === null && (n.nodes = {
		start: e,
		end: t,
		a: null,
		t: null
	});
}
/*#__NO_SIDE_EFFECTS__*/
function H(e, t) {
	var n = !!(t & 1), r = !!(t & 2), i, a = !e.startsWith("<!>");
	return () => {
		if (E) return Er(D, null), D;
		i === void 0 && (i = Tr(a ? e : "<!>" + e), n || (i = /* @__PURE__ */ rn(i)));
		var t = r || Qt ? document.importNode(i, !0) : i.cloneNode(!0);
		if (n) {
			var o = /* @__PURE__ */ rn(t), s = t.lastChild;
			Er(o, s);
		} else Er(t, t);
		return t;
	};
}
/*#__NO_SIDE_EFFECTS__*/
function Dr(e, t, n = "svg") {
	var r = !e.startsWith("<!>"), i = !!(t & 1), a = `<${n}>${r ? e : "<!>" + e}</${n}>`, o;
	return () => {
		if (E) return Er(D, null), D;
		if (!o) {
			var e = /* @__PURE__ */ rn(Tr(a));
			if (i) for (o = document.createDocumentFragment(); /* @__PURE__ */ rn(e);) o.appendChild(/* @__PURE__ */ rn(e));
			else o = /* @__PURE__ */ rn(e);
		}
		var t = o.cloneNode(!0);
		if (i) {
			var n = /* @__PURE__ */ rn(t), r = t.lastChild;
			Er(n, r);
		} else Er(t, t);
		return t;
	};
}
/*#__NO_SIDE_EFFECTS__*/
function U(e, t) {
	return /* @__PURE__ */ Dr(e, t, "svg");
}
function Or(e = "") {
	if (!E) {
		var t = nn(e + "");
		return Er(t, t), t;
	}
	var n = D;
	return n.nodeType === 3 ? ln(n) : (n.before(n = nn()), Ce(n)), Er(n, n), n;
}
function kr() {
	if (E) return Er(D, null), D;
	var e = document.createDocumentFragment(), t = document.createComment(""), n = nn();
	return e.append(t, n), Er(t, n), e;
}
function W(e, t) {
	if (E) {
		var n = z;
		n.f & 32768 && n.nodes.end !== null || (n.nodes.end = D), we();
	} else e !== null && e.before(t);
}
function Ar() {
	if (E && D && D.nodeType === 8 && D.textContent?.startsWith("$")) {
		let e = D.textContent.substring(1);
		return we(), e;
	}
	return (window.__svelte ??= {}).uid ??= 1, `c${window.__svelte.uid++}`;
}
// node_modules/svelte/src/reactivity/create-subscriber.js
function jr(e) {
	let t = 0, n = Bt(0), r;
	return () => {
		hn() && (B(n), Cn(() => (t === 0 && (r = dr(() => e(() => Kt(n)))), t += 1, () => {
			Xe(() => {
				--t, t === 0 && (r?.(), r = void 0, Kt(n));
			});
		})));
	};
}
// node_modules/svelte/src/internal/client/dom/blocks/boundary.js
var Mr = C | w;
function Nr(e, t, n, r) {
	new Pr(e, t, n, r);
}
var Pr = class {
	parent;
	is_pending = !1;
	transform_error;
	#e;
	#t = E ? D : null;
	#n;
	#r;
	#i;
	#a = null;
	#o = null;
	#s = null;
	#c = null;
	#l = 0;
	#u = 0;
	#d = !1;
	#f = /* @__PURE__ */ new Map();
	#p = null;
	#m = jr(() => (this.#p = Bt(this.#l), () => {
		this.#p = null;
	}));
	constructor(e, t, n, r) {
		this.#e = e, this.#n = t, this.#r = (e) => {
			var t = z;
			t.b = this, t.f |= 128, n(e);
		}, this.parent = z.b, this.transform_error = r ?? this.parent?.transform_error ?? ((e) => e), this.#i = wn(() => {
			if (E) {
				let e = De(this.#t);
				we();
				let t = e === "[!";
				if (e.startsWith("[?")) {
					let t = JSON.parse(e.slice(2));
					this.#g(t);
				} else t ? this.#y() : this.#h();
			} else this.#b();
		}, Mr), E && (this.#e = D);
	}
	#h() {
		try {
			this.#a = En(() => this.#r(this.#e));
		} catch (e) {
			this.error(e);
		}
	}
	#g(e) {
		let t = this.#n.failed, { reset: n, invoke_onerror: r } = this.#_(e);
		Xe(r), t && (this.#s = En(() => {
			t(this.#e, () => e, () => n);
		}));
	}
	#_(e) {
		var t = !1, n = !1;
		let r = () => {
			this.#v() || (t ? xe() : (t = !0, n && Ve(), this.#s !== null && Nn(this.#s, () => {
				this.#s = null;
			}), this.#S(() => {
				this.#b();
			})));
		};
		return {
			reset: r,
			invoke_onerror: () => {
				if (!this.#v()) try {
					n = !0, this.#n.onerror?.(e, r), n = !1;
				} catch (e) {
					dn(e, this.#i && this.#i.parent);
				}
			}
		};
	}
	#v() {
		return (this.#i.f & (b | S)) !== 0;
	}
	#y() {
		let e = this.#n.pending;
		e && (this.is_pending = !0, this.#o = En(() => e(this.#e)), Xe(() => {
			if (!this.#v()) {
				var e = this.#c = document.createDocumentFragment(), t = nn(), n = !1;
				e.append(t), this.#a = this.#S(() => {
					try {
						return En(() => this.#r(t));
					} catch (e) {
						try {
							this.error(e), n = !0;
						} catch (e) {
							dn(e, this.#i.parent);
						}
						return null;
					}
				}), this.#a === null ? (this.#c = null, n && this.#x(A)) : this.#u === 0 && (this.#e.before(e), this.#c = null, Nn(this.#o, () => {
					this.#o = null;
				}), this.#x(A));
			}
		}));
	}
	#b() {
		try {
			if (this.is_pending = this.has_pending_snippet(), this.#u = 0, this.#l = 0, this.#a = En(() => {
				this.#r(this.#e);
			}), this.#u > 0) {
				var e = this.#c = document.createDocumentFragment();
				Ln(this.#a, e);
				let t = this.#n.pending;
				this.#o = En(() => t(this.#e));
			} else this.#x(A);
		} catch (e) {
			this.error(e);
		}
	}
	#x(e) {
		this.is_pending = !1, e.transfer_reactions(this.#f);
	}
	defer_effect(e) {
		tt(e, this.#f);
	}
	is_rendered() {
		return !this.is_pending && (!this.parent || this.parent.is_rendered());
	}
	has_pending_snippet() {
		return !!this.#n.pending;
	}
	#S(e) {
		var t = z, n = R, r = He;
		Un(this.#i), Hn(this.#i), Ue(this.#i.ctx);
		try {
			return kt.ensure(), e();
		} finally {
			Un(t), Hn(n), Ue(r);
		}
	}
	#C(e, t) {
		this.has_pending_snippet() ? (this.#u += e, this.#u === 0 && (this.#x(t), this.#o && Nn(this.#o, () => {
			this.#o = null;
		}), this.#c &&= (this.#e.before(this.#c), null))) : this.parent && this.parent.#C(e, t);
	}
	update_pending_count(e, t) {
		this.#C(e, t), this.#l += e, !this.#p || this.#d || (this.#d = !0, Xe(() => {
			this.#d = !1, this.#p && Wt(this.#p, this.#l);
		}));
	}
	get_effect_pending() {
		return this.#m(), B(this.#p);
	}
	error(e) {
		if (e === he || !this.#n.onerror && !this.#n.failed) throw e;
		A?.is_fork ? (this.#a && A.skip_effect(this.#a), this.#o && A.skip_effect(this.#o), this.#s && A.skip_effect(this.#s), A.oncommit(() => {
			this.#v() || this.#w(e);
		})) : this.#w(e);
	}
	#w(e) {
		this.#a &&= (An(this.#a), null), this.#o &&= (An(this.#o), null), this.#s &&= (An(this.#s), null), E && (Ce(this.#t), Te(), Ce(Ee()));
		let t = this.#n.failed, n = (e) => {
			if (this.#v()) return;
			let { reset: n, invoke_onerror: r } = this.#_(e);
			r(), t && !this.#v() && (this.#s = this.#S(() => {
				try {
					return En(() => {
						var r = z;
						r.b = this, r.f |= 128, t(this.#e, () => e, () => n);
					});
				} catch (e) {
					return dn(e, this.#i.parent), null;
				}
			}));
		};
		Xe(() => {
			if (!this.#v()) {
				var t;
				try {
					t = this.transform_error(e);
				} catch (e) {
					dn(e, this.#i && this.#i.parent);
					return;
				}
				typeof t == "object" && t && typeof t.then == "function" ? t.then(n, (e) => dn(e, this.#i && this.#i.parent)) : n(t);
			}
		});
	}
};
function G(e, t) {
	var n = t == null ? "" : typeof t == "object" ? `${t}` : t;
	n !== (e[de] ??= e.nodeValue) && (e[de] = n, e.nodeValue = `${n}`);
}
function Fr(e, t) {
	return Lr(e, t);
}
var Ir = /* @__PURE__ */ new Map();
function Lr(e, { target: t, anchor: n, props: i = {}, events: a, context: o, intro: s = !0, transformError: c }) {
	tn();
	var l = void 0, u = bn(() => {
		var s = n ?? t.appendChild(nn());
		Nr(s, { pending: () => {} }, (t) => {
			We({});
			var n = He;
			if (o && (n.c = o), a && (i.$$events = a), E && Er(t, null), l = e(t, i) || Ke(), E && (z.nodes.end = D, D === null || D.nodeType !== 8 || D.data !== "]")) throw ye(), he;
			Ge();
		}, c);
		var u = /* @__PURE__ */ new Set(), d = (e) => {
			for (var n = 0; n < e.length; n++) {
				var r = e[n];
				if (!u.has(r)) {
					u.add(r);
					var i = pr(r);
					for (let e of [t, document]) {
						var a = Ir.get(e);
						a === void 0 && (a = /* @__PURE__ */ new Map(), Ir.set(e, a));
						var o = a.get(r);
						o === void 0 ? (e.addEventListener(r, Sr, { passive: i }), a.set(r, 1)) : a.set(r, o + 1);
					}
				}
			}
		};
		return d(r(hr)), gr.add(d), () => {
			for (var e of u) for (let n of [t, document]) {
				var r = Ir.get(n), i = r.get(e);
				--i == 0 ? (n.removeEventListener(e, Sr), r.delete(e), r.size === 0 && Ir.delete(n)) : r.set(e, i);
			}
			gr.delete(d), s !== n && s.parentNode?.removeChild(s);
		};
	});
	return Rr.set(l, u), l;
}
var Rr = /* @__PURE__ */ new WeakMap();
function zr(e, t) {
	let n = Rr.get(e);
	return n ? (Rr.delete(e), n(t)) : Promise.resolve();
}
// node_modules/svelte/src/internal/client/dom/blocks/branches.js
var Br = class {
	anchor;
	#e = /* @__PURE__ */ new Map();
	#t = /* @__PURE__ */ new Map();
	#n = /* @__PURE__ */ new Map();
	#r = /* @__PURE__ */ new Set();
	#i = !0;
	constructor(e, t = !0) {
		this.anchor = e, this.#i = t;
	}
	#a = (e) => {
		if (this.#e.has(e)) {
			var t = this.#e.get(e), n = this.#t.get(t);
			if (n) Fn(n), this.#r.delete(t);
			else {
				var r = this.#n.get(t);
				r && (Fn(r.effect), this.#t.set(t, r.effect), this.#n.delete(t), r.fragment.lastChild.remove(), this.anchor.before(r.fragment), n = r.effect);
			}
			for (let [t, n] of this.#e) {
				if (this.#e.delete(t), t === e) break;
				let r = this.#n.get(n);
				r && (An(r.effect), this.#n.delete(n));
			}
			for (let [e, r] of this.#t) {
				if (e === t || this.#r.has(e)) continue;
				let i = () => {
					if (Array.from(this.#e.values()).includes(e)) {
						var t = document.createDocumentFragment();
						Ln(r, t), t.append(nn()), this.#n.set(e, {
							effect: r,
							fragment: t
						});
					} else An(r);
					this.#r.delete(e), this.#t.delete(e);
				};
				this.#i || !n ? (this.#r.add(e), Nn(r, i, !1)) : i();
			}
		}
	};
	#o = (e) => {
		this.#e.delete(e);
		let t = Array.from(this.#e.values());
		for (let [e, n] of this.#n) t.includes(e) || (An(n.effect), this.#n.delete(e));
	};
	ensure(e, t) {
		var n = A, r = sn();
		if (t && !this.#t.has(e) && !this.#n.has(e)) {
			if (r) {
				var i = document.createDocumentFragment(), a = nn();
				i.append(a), this.#n.set(e, {
					effect: En(() => t(a)),
					fragment: i
				});
			} else this.#t.set(e, En(() => t(this.anchor)));
		}
		if (this.#e.set(n, e), r) {
			for (let [t, r] of this.#t) t === e ? n.unskip_effect(r) : n.skip_effect(r);
			for (let [t, r] of this.#n) t === e ? n.unskip_effect(r.effect) : n.skip_effect(r.effect);
			n.oncommit(this.#a), n.ondiscard(this.#o);
		} else E && (this.anchor = D), this.#a(n);
	}
};
// node_modules/svelte/src/internal/client/dom/blocks/if.js
function K(e, t, n = !1) {
	var r;
	E && (r = D, we());
	var i = new Br(e), a = n ? C : 0;
	function o(e, t) {
		if (E) {
			var n = De(r);
			if (e !== parseInt(n.substring(1))) {
				var a = Ee();
				Ce(a), i.anchor = a, Se(!1), i.ensure(e, t), Se(!0);
				return;
			}
		}
		i.ensure(e, t);
	}
	wn(() => {
		var e = !1;
		t((t, n = 0) => {
			e = !0, o(n, t);
		}), e || o(-1, null);
	}, a);
}
// node_modules/svelte/src/internal/client/dom/blocks/key.js
var Vr = Symbol("NaN");
function Hr(e, t, n) {
	E && we();
	var r = new Br(e), i = !qe();
	wn(() => {
		var e = t();
		e !== e && (e = Vr), i && typeof e == "object" && e && (e = {}), r.ensure(e, n);
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/each.js
function Ur(e, t) {
	return t;
}
function Wr(e, t, n) {
	for (var i = [], a = t.length, o, s = t.length, c = 0; c < a; c++) {
		let n = t[c];
		Nn(n, () => {
			if (o) {
				if (o.pending.delete(n), o.done.add(n), o.pending.size === 0) {
					var t = e.outrogroups;
					Gr(e, r(o.done)), t.delete(o), t.size === 0 && (e.outrogroups = null);
				}
			} else --s;
		}, !1);
	}
	if (s === 0) {
		var l = i.length === 0 && n !== null && e.pending.size === 0;
		if (l) {
			var u = n, d = u.parentNode;
			on(d), d.append(u), e.items.clear();
		}
		Gr(e, t, !l);
	} else o = {
		pending: new Set(t),
		done: /* @__PURE__ */ new Set()
	}, (e.outrogroups ??= /* @__PURE__ */ new Set()).add(o);
}
function Gr(e, t, n = !0) {
	var r;
	if (e.pending.size > 0) {
		r = /* @__PURE__ */ new Set();
		for (let t of e.pending.values()) for (let n of t) r.add(e.items.get(n).e);
	}
	for (var i = 0; i < t.length; i++) {
		var a = t[i];
		r?.has(a) ? (a.f |= ee, Ln(a, document.createDocumentFragment())) : An(t[i], n);
	}
}
var Kr;
function q(t, n, i, a, o, s = null) {
	var c = t, l = /* @__PURE__ */ new Map();
	if (n & 4) {
		var u = t;
		c = E ? Ce(/* @__PURE__ */ rn(u)) : u.appendChild(nn());
	}
	E && we();
	var d = null, f = /* @__PURE__ */ pt(() => {
		var t = i();
		return e(t) ? t : t == null ? [] : r(t);
	}), p = /* @__PURE__ */ new Map(), m = !0;
	function h(e) {
		if (!(_.effect.f & 16384)) {
			_.pending.delete(e);
			var t = B(f);
			_.fallback = d, Jr(_, t, c, n, a), d !== null && (t.length === 0 ? d.f & 33554432 ? (d.f ^= ee, Xr(d, null, c)) : Fn(d) : Nn(d, () => {
				d = null;
			}));
		}
	}
	function g(e) {
		_.pending.delete(e);
	}
	var _ = {
		effect: wn(() => {
			var e = B(f), t = e.length;
			let r = !1;
			E && De(c) === "[!" != (t === 0) && (c = Ee(), Ce(c), Se(!1), r = !0);
			for (var u = /* @__PURE__ */ new Set(), _ = A, v = sn(), y = 0; y < t; y += 1) {
				E && D.nodeType === 8 && D.data === "]" && (c = D, r = !0, Se(!1));
				var b = e[y], x = a(b, y), S = m ? null : l.get(x);
				S ? (S.v && Wt(S.v, b), S.i && Wt(S.i, y), v && _.unskip_effect(S.e)) : (S = Yr(l, m ? c : Kr ??= nn(), b, x, y, o, n, i), m || (S.e.f |= ee), l.set(x, S)), u.add(x);
			}
			if (t === 0 && s && !d && (m ? d = En(() => s(c)) : (d = En(() => s(Kr ??= nn())), d.f |= ee)), t > u.size && Me("", "", ""), E && t > 0 && Ce(Ee()), !m) {
				if (p.set(_, u), v) {
					for (let [e, t] of l) u.has(e) || _.skip_effect(t.e);
					_.oncommit(h), _.ondiscard(g);
				} else h(_);
			}
			r && Se(!0), B(f);
		}),
		flags: n,
		items: l,
		pending: p,
		outrogroups: null,
		fallback: d
	};
	m = !1, E && (c = D);
}
function qr(e) {
	for (; e !== null && !(e.f & 32);) e = e.next;
	return e;
}
function Jr(e, t, n, i, a) {
	var o = !!(i & 8), s = t.length, c = e.items, l = qr(e.effect.first), u, d = null, f, p = [], m = [], h, g, _, v;
	if (o) for (v = 0; v < s; v += 1) h = t[v], g = a(h, v), _ = c.get(g).e, _.f & 33554432 || (_.nodes?.a?.measure(), (f ??= /* @__PURE__ */ new Set()).add(_));
	for (v = 0; v < s; v += 1) {
		if (h = t[v], g = a(h, v), _ = c.get(g).e, e.outrogroups !== null) for (let t of e.outrogroups) t.pending.delete(_), t.done.delete(_);
		if (_.f & 8192 && (Fn(_), o && (_.nodes?.a?.unfix(), (f ??= /* @__PURE__ */ new Set()).delete(_))), _.f & 33554432) {
			if (_.f ^= ee, _ === l) Xr(_, null, n);
			else {
				var y = d ? d.next : l;
				_ === e.effect.last && (e.effect.last = _.prev), _.prev && (_.prev.next = _.next), _.next && (_.next.prev = _.prev), Zr(e, d, _), Zr(e, _, y), Xr(_, y, n), d = _, p = [], m = [], l = qr(d.next);
				continue;
			}
		}
		if (_ !== l) {
			if (u !== void 0 && u.has(_)) {
				if (p.length < m.length) {
					var b = m[0], x;
					d = b.prev;
					var S = p[0], C = p[p.length - 1];
					for (x = 0; x < p.length; x += 1) Xr(p[x], b, n);
					for (x = 0; x < m.length; x += 1) u.delete(m[x]);
					Zr(e, S.prev, C.next), Zr(e, d, S), Zr(e, C, b), l = b, d = C, --v, p = [], m = [];
				} else u.delete(_), Xr(_, l, n), Zr(e, _.prev, _.next), Zr(e, _, d === null ? e.effect.first : d.next), Zr(e, d, _), d = _;
				continue;
			}
			for (p = [], m = []; l !== null && l !== _;) (u ??= /* @__PURE__ */ new Set()).add(l), m.push(l), l = qr(l.next);
			if (l === null) continue;
		}
		_.f & 33554432 || p.push(_), d = _, l = qr(_.next);
	}
	if (e.outrogroups !== null) {
		for (let t of e.outrogroups) t.pending.size === 0 && (Gr(e, r(t.done)), e.outrogroups?.delete(t));
		e.outrogroups.size === 0 && (e.outrogroups = null);
	}
	if (l !== null || u !== void 0) {
		var w = [];
		if (u !== void 0) for (_ of u) _.f & 8192 || w.push(_);
		for (; l !== null;) !(l.f & 8192) && l !== e.fallback && w.push(l), l = qr(l.next);
		var T = w.length;
		if (T > 0) {
			var te = i & 4 && s === 0 ? n : null;
			if (o) {
				for (v = 0; v < T; v += 1) w[v].nodes?.a?.measure();
				for (v = 0; v < T; v += 1) w[v].nodes?.a?.fix();
			}
			Wr(e, w, te);
		}
	}
	o && Xe(() => {
		if (f !== void 0) for (_ of f) _.nodes?.a?.apply();
	});
}
function Yr(e, t, n, r, i, a, o, s) {
	var c = o & 1 ? o & 16 ? Bt(n) : /* @__PURE__ */ Vt(n, !1, !1) : null, l = o & 2 ? Bt(i) : null;
	return {
		v: c,
		i: l,
		e: En(() => (a(t, c ?? n, l ?? i, s), () => {
			e.delete(r);
		}))
	};
}
function Xr(e, t, n) {
	if (e.nodes) for (var r = e.nodes.start, i = e.nodes.end, a = t && !(t.f & 33554432) ? t.nodes.start : n; r !== null;) {
		var o = /* @__PURE__ */ an(r);
		if (a.before(r), r === i) return;
		r = o;
	}
}
function Zr(e, t, n) {
	t === null ? e.effect.first = n : t.next = n, n === null ? e.effect.last = t : n.prev = t;
}
// node_modules/svelte/src/internal/client/dom/blocks/snippet.js
function Qr(e, t, ...n) {
	var r = new Br(e);
	wn(() => {
		let e = t() ?? null;
		r.ensure(e, e && ((t) => e(t, ...n)));
	}, C);
}
// node_modules/svelte/src/internal/client/dom/elements/attachments.js
function $r(e, t) {
	var n = void 0, r;
	Tn(() => {
		n !== (n = t()) && (r &&= (An(r), null), n && (r = En(() => {
			xn(() => n(e));
		})));
	});
}
// node_modules/clsx/dist/clsx.mjs
function ei(e) {
	var t, n, r = "";
	if (typeof e == "string" || typeof e == "number") r += e;
	else if (typeof e == "object") {
		if (Array.isArray(e)) {
			var i = e.length;
			for (t = 0; t < i; t++) e[t] && (n = ei(e[t])) && (r && (r += " "), r += n);
		} else for (n in e) e[n] && (r && (r += " "), r += n);
	}
	return r;
}
function ti() {
	for (var e, t, n = 0, r = "", i = arguments.length; n < i; n++) (e = arguments[n]) && (t = ei(e)) && (r && (r += " "), r += t);
	return r;
}
// node_modules/svelte/src/internal/shared/attributes.js
function ni(e) {
	return typeof e == "object" ? ti(e) : e ?? "";
}
var ri = [..." 	\n\r\f\xA0\v﻿"];
function ii(e, t, n) {
	var r = e == null ? "" : "" + e;
	if (t && (r = r ? r + " " + t : t), n) {
		for (var i of Object.keys(n)) if (n[i]) r = r ? r + " " + i : i;
		else if (r.length) for (var a = i.length, o = 0; (o = r.indexOf(i, o)) >= 0;) {
			var s = o + a;
			(o === 0 || ri.includes(r[o - 1])) && (s === r.length || ri.includes(r[s])) ? r = (o === 0 ? "" : r.substring(0, o)) + r.substring(s + 1) : o = s;
		}
	}
	return r === "" ? null : r;
}
function ai(e, t = !1) {
	var n = t ? " !important;" : ";", r = "";
	for (var i of Object.keys(e)) {
		var a = e[i];
		a != null && a !== "" && (r += " " + i + ": " + a + n);
	}
	return r;
}
function oi(e) {
	return e[0] !== "-" || e[1] !== "-" ? e.toLowerCase() : e;
}
function si(e, t) {
	if (t) {
		var n = "", r, i;
		if (Array.isArray(t) ? (r = t[0], i = t[1]) : r = t, e) {
			e = String(e).replaceAll(/\/\*.*?\*\//g, "").trim();
			var a = !1, o = 0, s = !1, c = [];
			r && c.push(...Object.keys(r).map(oi)), i && c.push(...Object.keys(i).map(oi));
			var l = 0, u = -1;
			let t = e.length;
			for (var d = 0; d < t; d++) {
				var f = e[d];
				if (s ? f === "/" && e[d - 1] === "*" && (s = !1) : a ? a === f && (a = !1) : f === "/" && e[d + 1] === "*" ? s = !0 : f === "\"" || f === "'" ? a = f : f === "(" ? o++ : f === ")" && o--, !s && a === !1 && o === 0) {
					if (f === ":" && u === -1) u = d;
					else if (f === ";" || d === t - 1) {
						if (u !== -1) {
							var p = oi(e.substring(l, u).trim());
							if (!c.includes(p)) {
								f !== ";" && d++;
								var m = e.substring(l, d).trim();
								n += " " + m + ";";
							}
						}
						l = d + 1, u = -1;
					}
				}
			}
		}
		return r && (n += ai(r)), i && (n += ai(i, !0)), n = n.trim(), n === "" ? null : n;
	}
	return e == null ? null : String(e);
}
// node_modules/svelte/src/internal/client/dom/elements/class.js
function J(e, t, n, r, i, a) {
	var o = e[le];
	if (E || o !== n || o === void 0) {
		var s = ii(n, r, a);
		E && s === e.getAttribute("class") || (s == null ? e.removeAttribute("class") : t ? e.className = s : e.setAttribute("class", s)), e[le] = n;
	} else if (a && i !== a) for (var c in a) {
		var l = !!a[c];
		(i == null || l !== !!i[c]) && e.classList.toggle(c, l);
	}
	return a;
}
// node_modules/svelte/src/internal/client/dom/elements/style.js
function ci(e, t = {}, n, r) {
	for (var i in n) {
		var a = n[i];
		t[i] !== a && (n[i] == null ? e.style.removeProperty(i) : e.style.setProperty(i, a, r));
	}
}
function li(e, t, n, r) {
	var i = e[ue];
	if (E || i !== t) {
		var a = si(t, r);
		E && a === e.getAttribute("style") || (a == null ? e.removeAttribute("style") : e.style.cssText = a), e[ue] = t;
	} else r && (Array.isArray(r) ? (ci(e, n?.[0], r[0]), ci(e, n?.[1], r[1], "important")) : ci(e, n, r));
	return r;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/select.js
function ui(e, t) {
	t ? e.hasAttribute("selected") || e.setAttribute("selected", "") : e.removeAttribute("selected");
}
function di(t, n) {
	var r = t.__defaultValue, i = t.multiple, a = i ? r ?? [] : null;
	if (!i || e(a)) {
		var o = t.selectedIndex, s = n && i ? new Set(t.selectedOptions) : null;
		for (var c of t.options) {
			var l = mi(c);
			ui(c, i ? a.includes(l) : Xt(l, r));
		}
		if (n) {
			if (s !== null) for (c of t.options) {
				var u = s.has(c);
				c.selected !== u && (c.selected = u);
			}
			else t.selectedIndex !== o && (t.selectedIndex = o);
		}
	}
}
function fi(t, n, r = !1) {
	if (t.multiple) {
		if (n == null) return;
		if (!e(n)) return be();
		for (var i of t.options) i.selected = n.includes(mi(i));
	} else {
		for (i of t.options) if (Xt(mi(i), n)) {
			i.selected = !0;
			return;
		}
		r && n === void 0 || (t.selectedIndex = -1);
	}
}
function pi(e) {
	var t = new MutationObserver((t) => {
		t.every(hi) || ("__defaultValue" in e && di(e, !1), "__value" in e && fi(e, e.__value));
	});
	t.observe(e, {
		childList: !0,
		subtree: !0,
		attributes: !0,
		attributeFilter: ["value"]
	}), gn(() => {
		t.disconnect();
	});
}
function mi(e) {
	return "__value" in e ? e.__value : e.value;
}
function hi(e) {
	if (e.target.closest("selectedcontent") !== null) return !0;
	if (e.type === "childList") {
		var t = [...e.addedNodes, ...e.removedNodes];
		return t.length > 0 && t.every((e) => e.nodeName === "SELECTEDCONTENT");
	}
	return !1;
}
// node_modules/svelte/src/internal/client/dom/elements/attributes.js
var gi = Symbol("is custom element"), _i = Symbol("is html"), vi = me ? "link" : "LINK", yi = me ? "progress" : "PROGRESS";
function bi(e) {
	if (E) {
		var t = !1, n = () => {
			if (!t) {
				if (t = !0, e.hasAttribute("value")) {
					var n = e.value;
					Y(e, "value", null), e.value = n;
				}
				if (e.hasAttribute("checked")) {
					var r = e.checked;
					Y(e, "checked", null), e.checked = r;
				}
			}
		};
		e[fe] = n, Xe(n), rt();
	}
}
function xi(e, t) {
	var n = Ci(e);
	n.value !== (n.value = t ?? void 0) && (e.value !== t || t === 0 && e.nodeName === yi) && (e.value = t ?? "");
}
function Si(e, t) {
	var n = Ci(e);
	n.checked !== (n.checked = t ?? void 0) && (e.checked = t);
}
function Y(e, t, n, r) {
	var i = Ci(e);
	if (!(E && (i[t] = e.getAttribute(t), t === "src" || t === "srcset" || t === "href" && e.nodeName === vi))) {
		var a = i[t];
		a !== (i[t] = n) && (t === "loading" && (e[se] = n), n == null ? e.removeAttribute(t) : typeof n != "string" && Ti(e).has(t) ? e[t] = n : (!E || typeof n != "number" && typeof n != "boolean" || a !== String(n)) && e.setAttribute(t, n));
	}
}
function Ci(e) {
	return e[ce] ??= {
		[gi]: e.nodeName.includes("-"),
		[_i]: e.namespaceURI === _e
	};
}
var wi = /* @__PURE__ */ new Map();
function Ti(e) {
	var t = e.getAttribute("is") || e.nodeName, n = wi.get(t);
	if (n) return n;
	wi.set(t, n = /* @__PURE__ */ new Set());
	for (var r, i = e, a = Element.prototype; a !== i;) {
		for (var s in r = o(i), r) r[s].set && s !== "innerHTML" && s !== "textContent" && s !== "innerText" && n.add(s);
		i = l(i);
	}
	return n;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/input.js
function Ei(e, t, n = t) {
	var r = /* @__PURE__ */ new WeakSet();
	at(e, "input", async (i) => {
		var a = i ? e.defaultValue : e.value;
		if (a = Oi(e) ? ki(a) : a, n(a), A !== null && r.add(A), await cr(), a !== (a = t())) {
			var o = e.selectionStart, s = e.selectionEnd, c = e.value.length;
			if (e.value = a ?? "", s !== null) {
				var l = e.value.length;
				o === s && s === c && l > c ? (e.selectionStart = l, e.selectionEnd = l) : (e.selectionStart = o, e.selectionEnd = Math.min(s, l));
			}
		}
	}), (E && e.defaultValue !== e.value || dr(t) == null && e.value) && (n(Oi(e) ? ki(e.value) : e.value), A !== null && r.add(A)), Cn(() => {
		var n = t();
		if (e === document.activeElement) {
			var i = A;
			if (r.has(i)) return;
		}
		Oi(e) && n === ki(e.value) || (e.type !== "date" || n || e.value) && n !== e.value && (e.value = n ?? "");
	});
}
function Di(e, t, n = t) {
	at(e, "change", (t) => {
		n(t ? e.defaultChecked : e.checked);
	}), (E && e.defaultChecked !== e.checked || dr(t) == null) && n(e.checked), Cn(() => {
		e.checked = !!t();
	});
}
function Oi(e) {
	var t = e.type;
	return t === "number" || t === "range";
}
function ki(e) {
	return e === "" ? null : +e;
}
var Ai = /* @__PURE__ */ new class e {
	#e = /* @__PURE__ */ new WeakMap();
	#t;
	#n;
	static entries = /* @__PURE__ */ new WeakMap();
	constructor(e) {
		this.#n = e;
	}
	observe(e, t) {
		var n = this.#e.get(e) || /* @__PURE__ */ new Set();
		return n.add(t), this.#e.set(e, n), this.#r().observe(e, this.#n), () => {
			var n = this.#e.get(e);
			n.delete(t), n.size === 0 && (this.#e.delete(e), this.#t.unobserve(e));
		};
	}
	#r() {
		return this.#t ??= new ResizeObserver((t) => {
			for (var n of t) {
				e.entries.set(n.target, n);
				for (var r of this.#e.get(n.target) || []) r(n);
			}
		});
	}
}({ box: "border-box" });
function ji(e, t, n) {
	var r = Ai.observe(e, () => n(e[t]));
	xn(() => (dr(() => n(e[t])), r));
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/this.js
function Mi(e, t) {
	return e === t || e?.[ie] === t;
}
function Ni(e = Ke(), t, n, r) {
	var i = He.r, a = z;
	return xn(() => {
		var o, s;
		return Cn(() => {
			o = s, s = r?.() || [], dr(() => {
				Mi(n(...s), e) || (t(e, ...s), o && Mi(n(...o), e) && t(null, ...o));
			});
		}), () => {
			let r = a;
			for (; r !== i && r.parent !== null && r.parent.f & 33554432;) r = r.parent;
			let o = () => {
				s && Mi(n(...s), e) && t(null, ...s);
			}, c = r.teardown;
			r.teardown = () => {
				o(), c?.();
			};
		};
	}), e;
}
// node_modules/svelte/src/internal/client/reactivity/store.js
var Pi = !1;
function Fi(e) {
	var t = Pi;
	try {
		return Pi = !1, [e(), Pi];
	} finally {
		Pi = t;
	}
}
// node_modules/svelte/src/internal/client/reactivity/props.js
function Ii(e, t, n, r) {
	var i = !0, o = !!(n & 8), s = !!(n & 16), c = r, l = !0, u = void 0, d = () => s && i ? (u ??= /* @__PURE__ */ ut(r), B(u)) : (l && (l = !1, c = s ? dr(r) : r), c);
	let f;
	if (o) {
		var p = ie in e || oe in e;
		f = a(e, t)?.set ?? (p && t in e ? (n) => e[t] = n : void 0);
	}
	var m, h = !1;
	o ? [m, h] = Fi(() => e[t]) : m = e[t], m === void 0 && r !== void 0 && (m = d(), f && (i && Le(t), f(m)));
	var g = i ? () => {
		var n = e[t];
		return n === void 0 ? d() : (l = !0, n);
	} : () => {
		var n = e[t];
		return n !== void 0 && (c = void 0), n === void 0 ? c : n;
	};
	if (i && !(n & 4)) return g;
	if (f) {
		var _ = e.$$legacy;
		return (function(e, t) {
			return arguments.length > 0 ? ((!i || !t || _ || h) && f(t ? g() : e), e) : g();
		});
	}
	var v = !1, y = (n & 1 ? ut : pt)(() => (v = !1, g()));
	o && B(y);
	var b = z;
	return (function(e, t) {
		if (arguments.length > 0) {
			let n = t ? B(y) : i && o ? Jt(e) : e;
			return M(y, n), v = !0, c !== void 0 && (c = n), e;
		}
		return zn && v || b.f & 16384 ? y.v : B(y);
	});
}
var X = class extends Error {}, Li = 80, Ri = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u, zi = (e) => !Ri.test(e);
function Bi(e) {
	let t = e.length;
	for (let n = 0; n + 1 < e.length; n++) (e.charCodeAt(n) & 64512) == 55296 && (e.charCodeAt(n + 1) & 64512) == 56320 && t--;
	return t;
}
var Vi = (e, t) => Array.from(e.slice(0, 2 * t)).slice(0, t).join("");
function Hi(e) {
	let t = e.includes("'") && !e.includes("\"") ? "\"" : "'", n = {
		"\n": "\\n",
		"\r": "\\r",
		"	": "\\t",
		"\\": "\\\\",
		[t]: "\\" + t
	};
	return t + Array.from(e, (e) => {
		if (Object.hasOwn(n, e)) return n[e];
		if (zi(e)) return e;
		let t = e.codePointAt(0) ?? 0, [r, i] = t < 256 ? ["\\x", 2] : t < 65536 ? ["\\u", 4] : ["\\U", 8];
		return r + t.toString(16).padStart(i, "0");
	}).join("") + t;
}
function Z(e, t = Li) {
	return Vi(Ui(e, t, 0), t);
}
function Ui(e, t, n) {
	if (e == null) return "None";
	if (typeof e == "string") return Hi(Vi(e, t));
	if (typeof e == "boolean") return e ? "True" : "False";
	if (typeof e == "number") return Wi(e);
	if (typeof e == "bigint") return e > 1n << 10000n ? "a huge number" : String(e);
	let r = e instanceof Map, i = r ? "{}" : "[]";
	if (n > 8) return i[0] + "…" + i[1];
	let a = i[0];
	for (let i of e) {
		if (a.length > t) return a;
		a += a.length > 1 ? ", " : "", a += (r ? i : [i]).map((e) => Ui(e, t, n + 1)).join(": ");
	}
	return a + i[1];
}
function Wi(e) {
	let t = Math.abs(e);
	if (e === 0) return Object.is(e, -0) ? "-0.0" : "0.0";
	let n = t >= 1e-4 && t < 0x2386f26fc10000, r = n ? String(e) : e.toExponential();
	return n ? Number.isInteger(e) ? r + ".0" : r : r.replace(/e([+-])(\d)$/, "e$10$2");
}
function Gi(e) {
	if (e === 0) return Object.is(e, -0) ? "-0" : "0";
	let [t, n] = e.toExponential(5).split("e");
	if (Number(n) >= -4 && Number(n) < 6) return String(Number(e.toPrecision(6)));
	let r = n[0] === "-" ? "-" : "+";
	return `${Number(t)}e${r}${n.slice(1).padStart(2, "0")}`;
}
var Ki = (e) => e.toLocaleString("en-US");
function qi(e) {
	let t = Vi(e, 81), n = zi(t) && t.trim() === t && t !== "" ? t : Hi(t);
	return Bi(n) <= Li ? n : Vi(n, 79) + "…";
}
function Ji(e) {
	let t = [];
	for (let n of e.slice(0, 12)) {
		if (t.length && Bi([...t, qi(n)].join(", ")) > 176) break;
		t.push(qi(n));
	}
	return t.join(", ") + (t.length === e.length ? "" : `, … (${e.length} in all)`);
}
// src/engine/arithmetic.ts
var Yi = 25, Xi = 10, Zi = /* @__PURE__ */ new Map([
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
]), Qi = /* @__PURE__ */ new Float64Array(1), $i = new Uint32Array(Qi.buffer), ea = class {
	text;
	infinity;
	smallest;
	native;
	fixed;
	mode;
	steps;
	inverses;
	settled = /* @__PURE__ */ new Map();
	constructor(e, t, n = "zero") {
		if (this.text = e, this.native = typeof t == "number" ? t : 0, this.mode = [
			"zero",
			"even",
			"away"
		].indexOf(n), this.steps = new Float64Array(this.native ? 0 : 2048), this.inverses = new Float64Array(this.native ? 0 : 2048), typeof t == "number") this.infinity = t === 64 ? Number.MAX_VALUE : (2 - 2 ** -23) * 2 ** 127, this.smallest = t === 64 ? Number.MIN_VALUE : 2 ** -149, this.fixed = !1;
		else {
			this.infinity = t.infinity, this.smallest = 2 ** (t.least - t.precision + 1), this.fixed = t.fixed;
			for (let e = 0; e < 2048; e++) {
				let n = Math.min(Math.max(e - 1023, t.least), 1023) - t.precision + 1;
				this.steps[e] = t.fixed ? this.smallest : 2 ** n, this.inverses[e] = 1 / this.steps[e];
			}
		}
	}
	nearest(e) {
		if (this.native) return (this.native === 32 ? Math.fround(e) : e) + 0;
		if (e >= this.infinity) return this.infinity;
		if (e <= -this.infinity) return -this.infinity;
		let t = 0;
		return this.fixed || (Qi[0] = e, t = $i[1] >>> 20 & 2047), ta(e * this.inverses[t], this.mode) * this.steps[t] + 0;
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
		let o = 0;
		if (this.native) {
			if (this.native === 64) for (let s = 0; s < a; s++) o += e[t + i[s]] * n[r + i[s]];
			else for (let s = 0; s < a; s++) o = Math.fround(o + Math.fround(e[t + i[s]] * n[r + i[s]]));
			return o + 0;
		}
		if (!this.fixed) {
			for (let s = 0; s < a; s++) o = this.nearest(o + this.nearest(e[t + i[s]] * n[r + i[s]]));
			return o;
		}
		let { infinity: s, mode: c, smallest: l } = this, u = s / l, d = 1 / l;
		for (let s = 0; s < a; s++) {
			let a = ta(e[t + i[s]] * n[r + i[s]] * d, c);
			o += a > u ? u : a < -u ? -u : a, o > u ? o = u : o < -u && (o = -u);
		}
		return o * l + 0;
	}
};
function ta(e, t) {
	let n = Math.abs(e);
	if (t === 0) return e < 0 ? -Math.ceil(n - .5) : Math.ceil(n - .5);
	let r = Math.floor(n), i = n - r, a = i > .5 || i === .5 && (t === 2 || r % 2 == 1);
	return (e < 0 ? -1 : 1) * (a ? r + 1 : r);
}
var na = /^\s*([a-z0-9]+)\s*(?:\(\s*(?:([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*)?(?:(?:,|(?<=\())\s*ties\s*=\s*([a-z]+)\s*)?\)\s*)?$/, ra = /* @__PURE__ */ new Map();
function ia(e) {
	let t = typeof e == "string" && e.length <= 100 ? na.exec(e.toLowerCase()) : null, n = t && aa(t, e.includes("("));
	if (!n) {
		let t = [...Zi.keys()].join(", ");
		throw new X(`${Z(e, 120)} is not an arithmetic: write fixed(4,4), float(4,3), one of ${t} (each also with ties=even or ties=away, as in fixed(4,4,ties=even)), float32 or float64`);
	}
	return ra.has(n.text) || ra.set(n.text, n), ra.get(n.text) ?? n;
}
function aa([, e, t, n, r], i) {
	let a = r ?? "zero", o = Number(t), s = Number(n), c = t !== void 0, l = a === "zero" ? "" : `ties=${a}`;
	if ((c && [
		"fixed",
		"float",
		"twos"
	].includes(e) || !c && Zi.has(e)) && ![
		"zero",
		"even",
		"away"
	].includes(a)) throw new X(`ties=${Z(a)} is not a tie rule: write one of zero, even, away`);
	let u = `${e}(${[
		String(o),
		String(s),
		l
	].filter(Boolean).join(",")})`;
	if (c && e === "float") {
		oa("exponent_bits", o, "Float", 1, Xi), oa("significand_bits", s, "Float", 2, Yi);
		let e = (2 ** s - 1) * 2 ** (2 ** (o - 1) - s);
		return new ea(u, {
			precision: s,
			least: -(2 ** (o - 1)),
			infinity: e,
			fixed: !1
		}, a);
	}
	if (c && (e === "fixed" || e === "twos")) {
		let t = e === "fixed" ? "Fixed" : "TwosComplement";
		if (oa("integer_bits", o, t, 0, Yi), oa("fraction_bits", s, t, 0, Yi), o + s < 1 || o + s > Yi) throw new X(`${u} has ${o + s} bits besides the sign: between 1 and ${Yi} are exact in a float64 carrier, wider systems are not`);
		if (e === "twos") throw new X(`${u} is not symmetric about 0, so no transformer runs in it: write Fixed(…)`);
		let n = (2 ** (o + s) - 1) * 2 ** -s;
		return new ea(u, {
			precision: o + s,
			least: o - 1,
			infinity: n,
			fixed: !0
		}, a);
	}
	let d = Zi.get(e);
	return d && !c ? new ea(e + (l && `(${l})`), d, a) : e === "float32" && !i ? new ea(e, 32) : e === "float64" && !i ? new ea(e, 64) : null;
}
function oa(e, t, n, r, i) {
	if (!(t >= r && t <= i)) throw new X(`${e}=${t} of ${n} must be a whole number from ${r} to ${i}: only that many bits are exact in a float64 carrier`);
}
// src/engine/checks.ts
function sa(e, t, n) {
	let r = e.lanes.length, { added_positions: i, attention_positions: a } = e;
	if (i?.kind === "Table") {
		let { rows: e, columns: t } = i.values;
		if (t !== r) throw new X(`positions has shape (${e}, ${t}), and it must be (any, ${r}): (max_length, lanes)`);
		if (e === 0) throw new X("positions is a table without rows: at least one position is needed");
	}
	ca("embedding", e.embedding, e.vocabulary.length, r), ca("output", e.output, e.classes.length, r), la("output_bias", e.output_bias, e.classes.length), a && fa(a, e.mask), e.blocks.forEach((t, n) => ua(e, t, `blocks.${n}`)), ma("final_norm", e.final_norm, e.lanes), ha(e);
	for (let [r, { shape: i, values: a }] of n) {
		let n = a.findIndex((e) => !t.contains(e));
		if (n >= 0 && !(e.tied && r === "output")) throw new X(`${r}${Xa(n, i)} = ${Wi(a[n])} is not a member of ${t.text}; the nearest member is ${Wi(t.round(a[n]))}: write arithmetic.round(…) around the array`);
	}
}
function ca(e, t, n, r) {
	if (t && (t.rows !== n || t.columns !== r)) throw new X(`${e} has shape (${t.rows}, ${t.columns}), and it must be (${n}, ${r})`);
}
function la(e, t, n) {
	if (t && t.length !== n) throw new X(`${e} has shape (${t.length},), and it must be (${n})`);
}
function ua(e, t, n) {
	let r = e.lanes.length, { attention: i, feed_forward: a } = t;
	if (i && (la(`${n}.attention.b_O`, i.b_O, r), da(e, i, `${n}.attention`)), a) {
		let e = a.W_1.rows, t = `${n}.feed_forward`;
		ca(`${t}.W_1`, a.W_1, e, r), la(`${t}.b_1`, a.b_1, e), ca(`${t}.W_2`, a.W_2, r, e), la(`${t}.b_2`, a.b_2, r), ca(`${t}.W_3`, a.W_3, e, r), la(`${t}.b_3`, a.b_3, e);
	}
	ma(`${n}.attention_norm`, t.attention_norm, e.lanes), ma(`${n}.feed_forward_norm`, t.feed_forward_norm, e.lanes);
}
function da(e, t, n) {
	let { attention_positions: r, mask: i } = e, a = e.lanes.length;
	if (r?.kind === "Alibi" && r.slopes && r.slopes.length !== t.heads.length) throw new X(`positions has ${r.slopes.length} slopes, and ${n} has ${t.heads.length} heads: write a slope for each head, or Alibi()`);
	t.heads.forEach((e, t) => {
		let o = `${n}.heads.${t}`, [s, c] = [e.W_Q.rows, e.W_V.rows];
		ca(`${o}.W_Q`, e.W_Q, s, a), ca(`${o}.W_K`, e.W_K, s, a), ca(`${o}.W_V`, e.W_V, c, a), ca(`${o}.W_O`, e.W_O, a, c), la(`${o}.b_Q`, e.b_Q, s), la(`${o}.b_K`, e.b_K, s), la(`${o}.b_V`, e.b_V, c);
		let l = e.positions ?? r;
		l && (fa(l, i), pa(l, o, s, c));
	});
}
function fa(e, t) {
	if (e.kind === "Relative" && t !== "causal") throw new X("relative positions need mask='causal': only there is every distance i − j at least 0");
}
function pa(e, t, n, r) {
	if (e.kind === "Relative") {
		if (e.keys.columns !== n) throw new X(`${t}.W_K gives keys of size ${n}, positions.keys has ${e.keys.columns}`);
		if (e.values && e.values.columns !== r) throw new X(`${t}.W_V gives values of size ${r}, positions.values has ${e.values.columns}`);
	} else if (e.kind === "Rotary") {
		if (e.size === null && n % 2) throw new X(`${t}.W_K gives keys of size ${n}, and rotary positions turn pairs: write an even key size${n > 1 ? `, or Rotary(size=${n - 1})` : ""}`);
		if (e.size !== null && e.size > n) throw new X(`${t}.W_K gives keys of size ${n}, and Rotary(size=${e.size}) turns more than that`);
	}
}
function ma(e, t, n) {
	if (t === null) return;
	let r = t.lanes ?? n;
	la(`${e}.gain`, t.gain, r.length), la(`${e}.bias`, t.bias, r.length);
	let i = new Map(n.map((e, t) => [e, t])), a = r.find((e) => !i.has(e));
	if (a !== void 0) throw new X(`${e} is limited to the lane ${qi(a)}, which is not one of ${Ji(n)}`);
	let o = r.map((e) => i.get(e));
	if (o.some((e, t) => t > 0 && e < o[t - 1])) {
		let t = new Set(r);
		throw new X(`${e} has its lanes out of order, and their order is the order of sums: write ${Z(n.filter((e) => t.has(e)), 200)}`);
	}
}
function ha(e) {
	if (!e.flags.length) return;
	let t = new Map(e.lanes.map((e, t) => [e, t])), n = e.flags.map((n) => {
		let r = t.get(n);
		if (r !== void 0) return r;
		throw new X(`there is no lane ${qi(n)}: the lanes are ${Ji(e.lanes)}`);
	}), r = e.added_positions?.kind === "Table" ? e.added_positions.values : null, i = ga(e.embedding, (e) => e !== 0), a = r ? ga(r, (e) => e !== 0 && e !== 1) : null;
	for (let t of n) if (i[t] || a === null || a[t]) throw new X(`the lane ${qi(e.lanes[t])} is no flag: it must be 0 or 1 in a position table, 0 in the embedding`);
	e.blocks.forEach((r, i) => {
		let a = _a(e, r, t), o = n.find((e) => a[e]);
		if (o !== void 0) throw new X(`the lane ${qi(e.lanes[o])} is no flag: block ${i} writes to it`);
	});
}
function ga(e, t) {
	let n = Array(e.columns).fill(!1);
	for (let r = 0; r < e.values.length; r++) t(e.values[r]) && (n[r % e.columns] = !0);
	return n;
}
function _a(e, t, n) {
	let r = Array(e.lanes.length).fill(!1), i = (e, t) => e?.forEach((e, n) => {
		e !== 0 && (r[Math.floor(n / t)] = !0);
	});
	for (let e of t.attention?.heads ?? []) i(e.W_O.values, e.W_O.columns);
	i(t.attention?.b_O ?? null, 1), t.feed_forward && i(t.feed_forward.W_2.values, t.feed_forward.W_2.columns), i(t.feed_forward?.b_2 ?? null, 1);
	for (let i of [t.attention_norm, t.feed_forward_norm]) if (i && t.norm_placement === "post") for (let t of i.lanes ?? e.lanes) r[n.get(t)] = !0;
	return r;
}
// src/engine/json.ts
var va = 64, ya = 2e4, ba = 24 << 20, xa = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y, Sa = /* @__PURE__ */ new Map([
	["null", null],
	["true", !0],
	["false", !1]
]), Ca = new Map(Object.entries({
	"\"": "\"",
	"\\": "\\",
	"/": "/",
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "	"
}));
function wa(e, t, n) {
	Ta(e, n);
	let r = new Ea(e, t).whole();
	if (!(r instanceof Map)) throw new X(`${t} is not a JSON object, it is ${Z(r)}`);
	return r;
}
function Ta(e, t) {
	let n = new Map([..."\"[{,"].map((e) => [e.charCodeAt(0), 0]));
	for (let t = 0; t < e.length; t++) {
		let r = n.get(e.charCodeAt(t));
		r !== void 0 && n.set(e.charCodeAt(t), r + 1);
	}
	let [r, i, a, o] = n.values(), s = 4 * e.length + 32 * r + 48 * (o + i + a) + 100 * i + 240 * a;
	if (s > 3 * e.length + Math.max(t, e.length) + ba) throw new X(`it has too many parts for its size, and would take ${Ki(s)} bytes`);
}
var Ea = class {
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
	refuse(e) {
		throw new X(`${this.what} is not valid JSON: ${e}, at character ${this.at}`);
	}
	space() {
		for (; " 	\n\r".includes(this.text[this.at] ?? "x");) this.at++;
	}
	takes(e) {
		return this.space(), this.text[this.at] === e && (this.at++, !0);
	}
	value(e) {
		if (e > va) throw new X(`${this.what} has more than ${va} lists and objects in each other`);
		let t;
		return t = this.takes("{") ? this.object(e + 1) : this.takes("[") ? this.list(e + 1) : this.takes("\"") ? this.string() : this.literal(), this.space(), t;
	}
	object(e) {
		let t = /* @__PURE__ */ new Map();
		if (this.takes("}")) return this.within(e, t);
		do {
			this.takes("\"") || this.refuse("a key should stand here");
			let n = this.string();
			if (t.has(n)) throw new X(`the key ${Z(n)} occurs twice`);
			this.takes(":") || this.refuse("a colon should stand here"), t.set(n, this.value(e));
		} while (this.takes(","));
		return this.takes("}") ? this.within(e, t) : this.refuse("an object does not end");
	}
	list(e) {
		let t = [];
		if (this.takes("]")) return this.within(e, t);
		do
			t.push(this.value(e));
		while (this.takes(","));
		return this.takes("]") ? this.within(e, t) : this.refuse("a list does not end");
	}
	within(e, t) {
		if (e <= va) return t;
		throw new X(`${this.what} has more than ${va} lists and objects in each other`);
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
			r === "u" && /^[0-9a-fA-F]{4}$/.test(i) ? (e += String.fromCharCode(parseInt(i, 16)), this.at += 4) : e += Ca.get(r) ?? this.refuse("an unknown escape");
		}
	}
	literal() {
		for (let [e, t] of Sa) if (this.text.startsWith(e, this.at)) return this.at += e.length, t;
		xa.lastIndex = this.at;
		let e = xa.exec(this.text);
		if (!e) return this.refuse("a value should stand here");
		if (this.at += e[0].length, e[1] === void 0 && e[2] === void 0) return e[0].replace("-", "").length > ya && this.refuse("a number has too many digits"), BigInt(e[0]);
		let t = Number(e[0]);
		return Number.isFinite(t) ? t : this.refuse(`${Z(e[0])} is not a number`);
	}
}, Da = 32 << 20, Oa = 65536, ka = 1 << 24, Aa = 2 ** 30, ja = 65536, Ma = "weightsmith", Na = /* @__PURE__ */ new Map([["F32", 4], ["F64", 8]]);
function Pa(e) {
	let t = 33554440 + 8 * Aa;
	if (e.length < 8 || e.length > t) throw new X(`it has ${Ki(e.length)} bytes, and a model has between 8 and ${Ki(t)}`);
	let n = new DataView(e.buffer, e.byteOffset, 8).getBigUint64(0, !0);
	if (n > e.length - 8) throw new X(`its header claims ${Ki(n)} bytes: it is not a safetensors file, or it is cut off`);
	if (n > Da) throw new X(`its header has ${Ki(n)} bytes, and at most ${Ki(Da)} are allowed: shorten the names`);
	let r = 8 + Number(n), { places: i, metadata: a } = Ia(Fa(e.subarray(8, r)), e.length - r, r), o = /* @__PURE__ */ new Map();
	for (let { name: t, dtype: n, shape: r, begin: a, end: s } of i) o.set(t, {
		dtype: n,
		shape: r,
		bytes: e.subarray(a, s)
	});
	return {
		tensors: o,
		metadata: a
	};
}
function Fa(e) {
	try {
		return new TextDecoder("utf-8", {
			fatal: !0,
			ignoreBOM: !0
		}).decode(e);
	} catch {
		throw new X("its header is not valid JSON: it is not UTF-8");
	}
}
function Ia(e, t, n) {
	let r = wa(e, "its header", n + t), i = r.get("__metadata__");
	r.delete("__metadata__");
	let a = i instanceof Map && i.size === 1 ? i.get(Ma) : null;
	if (typeof a != "string") throw new X(`it is a safetensors file without the metadata key '${Ma}': Weightsmith did not write it`);
	if (r.size > Oa) throw new X(`it has ${Ki(r.size)} tensors, and at most ${Ki(Oa)} are allowed`);
	let o = [...r].map(([e, r]) => Ra(e, r, t, n)), s = o.reduce((e, t) => e + La(t.shape), 0);
	if (s > Aa) throw new X(`it claims ${Ki(s)} parameters, and at most ${Ki(Aa)} are allowed`);
	o.sort((e, t) => e.begin - t.begin || e.end - t.end);
	let c = n;
	for (let { name: e, begin: t, end: n } of o) {
		if (t !== c) throw new X(`tensor ${Z(e)} does not begin where the one before it ends: they must fill the file`);
		c = n;
	}
	if (c !== n + t) throw new X(`its tensors end at byte ${Ki(c)}, and it has ${Ki(n + t)}`);
	return {
		places: o,
		metadata: a
	};
}
var La = (e) => e.reduce((e, t) => e * t, 1);
function Ra(e, t, n, r) {
	let i = `tensor ${Z(e)}`, a = [
		"dtype",
		"shape",
		"data_offsets"
	];
	if (!(t instanceof Map) || t.size !== 3 || !a.every((e) => t.has(e))) throw new X(`${i} must have dtype, shape and data_offsets, and has ${Z(t)}`);
	let [o, s, c] = a.map((e) => t.get(e)), l = typeof o == "string" ? Na.get(o) : void 0;
	if (typeof o != "string" || l === void 0) throw new X(`${i} has dtype ${Z(o)}: only F32 and F64 are read`);
	let u = za(s, ka);
	if (u === null || u.length < 1 || u.length > 2) throw new X(`${i} has shape ${Z(s)}: one or two axes of at most ${Ki(ka)} are read`);
	let d = za(c, n);
	if (d === null || d.length !== 2) throw new X(`${i} has data_offsets ${Z(c)}, and the file has ${Ki(n)} bytes of data`);
	let f = La(u);
	if (f === 0 && Math.max(...u) > ja) throw new X(`${i} has shape ${Z(s)}: an array without numbers has no axis above ${Ki(ja)}`);
	if (d[1] - d[0] !== f * l) throw new X(`${i} of shape ${Z(s)} needs ${Ki(f * l)} bytes, its data_offsets are ${Z(c)}`);
	return {
		name: e,
		dtype: o,
		shape: u,
		begin: r + d[0],
		end: r + d[1]
	};
}
function za(e, t) {
	return Array.isArray(e) && e.every((e) => typeof e == "bigint" && e >= 0n && e <= BigInt(t)) ? e.map(Number) : null;
}
// src/engine/codec.ts
var Ba = 1n, Va = 65536, Ha = 200, Ua = 2e3, Wa = 1 << 20, Ga = 1e30, Ka = /* @__PURE__ */ new Map([
	["Softmax", {
		fields: "shifted empty",
		arrays: "",
		build: so
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
		build: lo
	}],
	["Relative", {
		fields: "",
		arrays: "keys [values]",
		build: uo
	}],
	["Rotary", {
		fields: "base pairing size",
		arrays: "",
		build: fo
	}],
	["Alibi", {
		fields: "slopes",
		arrays: "",
		build: po
	}],
	["LayerNorm", {
		fields: "eps lanes",
		arrays: "[gain] [bias]",
		build: (e) => mo(e, "LayerNorm")
	}],
	["RMSNorm", {
		fields: "eps lanes",
		arrays: "[gain]",
		build: (e) => mo(e, "RMSNorm")
	}],
	["Head", {
		fields: "weighting [positions]",
		arrays: "W_Q W_K W_V W_O [b_Q] [b_K] [b_V]",
		build: ho
	}],
	["Attention", {
		fields: "heads",
		arrays: "[b_O]",
		build: go
	}],
	["FeedForward", {
		fields: "activation [names]",
		arrays: "W_1 b_1 W_2 b_2 [W_3] [b_3] [keys]",
		build: _o
	}],
	["Block", {
		fields: "attention feed_forward attention_norm feed_forward_norm norm_placement origin",
		arrays: "",
		build: vo
	}],
	["Edit", {
		fields: "text block first count before created digest",
		arrays: "",
		build: yo
	}]
]), qa = {
	fields: "arithmetic vocabulary lanes positions blocks classes mask final_norm [tied] flags provenance [edits]",
	arrays: "embedding [output] [output_bias]",
	build: bo
};
function Ja(e) {
	let { tensors: t, metadata: n } = Pa(e), r = wa(n, "its metadata", n.length + [...t.values()].reduce((e, t) => e + t.bytes.length, 0)), i = r.get("version");
	if (r.delete("version"), i !== Ba) throw new X(`it has format version ${Z(i)}, and this Weightsmith reads version ${Ba}`);
	let a = r.get("tensors");
	r.delete("tensors");
	let o = Array.isArray(a) && a.every((e) => typeof e == "string") ? new Set(a) : null;
	if (!Array.isArray(a) || a.length !== t.size || o?.size !== t.size || !a.every((e) => t.has(e))) throw new X("the tensors in it are not those that its metadata lists");
	let s = ia(r.get("arithmetic") ?? ""), c = new Map([...t].map(([e, t]) => [e, Ya(e, t, s)]));
	if (!Array.isArray(r.get("vocabulary"))) throw new X("its vocabulary is not a list");
	Za(r);
	let l = new Map(c), u = Qa(qa, r, l, "");
	if (l.size) throw new X(`it has a tensor that belongs nowhere: ${Z([...l.keys()].sort()[0])}`);
	return sa(u, s, c), u;
}
function Ya(e, { dtype: t, shape: n, bytes: r }, i) {
	let a = i.native === 32 ? "F32" : "F64";
	if (t !== a) {
		let n = {
			F32: "float32",
			F64: "float64"
		};
		throw new X(`tensor ${Z(e)} has dtype ${n[t]}, and ${i.text} is stored as ${n[a]}`);
	}
	let { buffer: o } = r.slice(), s = t === "F32" ? Float64Array.from(new Float32Array(o)) : new Float64Array(o);
	for (let t = 0; t < s.length; t++) if (s[t] += 0, !Number.isFinite(s[t])) {
		let r = String(s[t]).replace("NaN", "nan").replace("Infinity", "inf");
		throw new X(`tensor ${Z(e)} is ${r} at ${Xa(t, n)}: every weight must be a finite number`);
	}
	return {
		shape: n,
		values: s
	};
}
var Xa = (e, t) => t.length === 1 ? `[${e}]` : `[${Math.floor(e / t[1])}, ${e % t[1]}]`;
function Za(e) {
	let t = [e];
	for (let e = 0; t.length;) {
		if (e += t.length, e > Va) throw new X("it has more than 65,536 parts");
		t = t.flatMap((e) => [...e.values()].flat().filter((e) => e instanceof Map));
	}
}
function Qa(e, t, n, r) {
	let i = e.fields.split(" ").filter(Boolean), a = new Set(i.map((e) => e.replace(/[[\]]/g, ""))), o = i.filter((e) => !e.startsWith("[")), s = [...o.filter((e) => !t.has(e)), ...[...t.keys()].filter((e) => !a.has(e))];
	if (s.length) {
		let e = s.sort()[0], t = o.includes(e) ? "lacks the key" : "has the unknown key";
		throw new X(`${r || "the metadata"} ${t} ${Z(e)}`);
	}
	let c = r && `${r}.`, l = /* @__PURE__ */ new Map();
	for (let [e, r] of t) l.set(e, $a(r, n, c + e));
	let u = /* @__PURE__ */ new Map();
	for (let t of e.arrays.split(" ").filter(Boolean)) {
		let e = t.replace(/[[\]]/g, ""), r = n.get(c + e);
		if (n.delete(c + e), r) u.set(e, r);
		else if (!t.startsWith("[") || e === "output" && l.get("tied") !== !0) throw new X(`the tensor ${Z(c + e)} is missing`);
	}
	return e.build(new eo(l, u));
}
function $a(e, t, n) {
	if (Array.isArray(e) && e.some((e) => e instanceof Map)) return e.map((e, r) => $a(e, t, `${n}.${r}`));
	if (!(e instanceof Map)) return e;
	let r = e.get("kind");
	e.delete("kind");
	let i = typeof r == "string" ? Ka.get(r) : void 0;
	if (i === void 0) throw new X(`${n} has the unknown kind ${Z(r)}`);
	return {
		kind: r,
		part: Qa(i, e, t, n)
	};
}
var eo = class {
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
	numbers(e, t) {
		let n = this.arrays.get(e) ?? null;
		if (n && n.shape.length !== t) throw new X(`${e} must have ${t} axes, and its shape is (${n.shape.join(", ")})`);
		return n;
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
	choice(e, t, n) {
		let r = this.get(e);
		if (n.includes(r)) return r;
		throw new X(`${t.replace("…", Z(r))}: write one of ${n.join(", ")}`);
	}
	truth(e, t) {
		let n = this.get(e);
		if (typeof n == "boolean") return n;
		throw new X(`${t}(${e}=${Z(n)}): write True or False`);
	}
	number(e, t, n) {
		let r = no(this.get(e));
		if (r === null || !t(r)) throw new X(n(Z(this.get(e))));
		return r;
	}
	part(e, t, n) {
		let r = this.get(e);
		if (r === null) return null;
		if (to(r) && t.includes(r.kind)) return r.part;
		throw new X(`${n}(${e}=${to(r) ? r.kind + "(…)" : Z(r)}): write ${t[0]}(…)`);
	}
	parts(e, t, n) {
		return this.list(e, n, t).map((e) => {
			if (to(e) && e.kind === t) return e.part;
			throw new X(`${n} must hold ${t}, and it holds ${to(e) ? e.kind : Z(e)}`);
		});
	}
	texts(e, t, n, r) {
		return this.list(e, t, "str").map((e) => {
			if (typeof e != "string") throw new X(`${t} must hold str, and it holds ${Z(e)}`);
			return io(e, r, !0, n);
		});
	}
	list(e, t, n) {
		let r = this.get(e);
		if (Array.isArray(r)) return r;
		throw new X(`${t} must be a tuple of ${n}, and it is ${Z(r)}`);
	}
	names(e, t, n) {
		return ro(this.get(e), t, n);
	}
}, to = (e) => typeof e == "object" && !!e && !Array.isArray(e) && !(e instanceof Map), no = (e) => typeof e == "bigint" || typeof e == "number" ? Number(e) : null;
function ro(e, t, n) {
	if (!Array.isArray(e)) throw new X(`${t} must be a list or tuple of names, and it is ${Z(e)}`);
	if (!e.length) throw new X(`${t} is empty: at least one name is needed`);
	let r = /* @__PURE__ */ new Set();
	for (let i of e) {
		let e = io(i, `a name in ${t}`, n, Ha);
		if (!e) throw new X(`a name in ${t} is empty`);
		r.add(e);
	}
	if (r.size < e.length) throw new X(`${t} has ${qi(e.find((e) => !r.delete(e)))} twice: names must differ`);
	return e;
}
function io(e, t, n, r) {
	if (typeof e != "string") throw new X(`${t} must be a text, and it is ${to(e) ? e.kind : Z(e)}`);
	if (Bi(e) > r) {
		let n = Z(Array.from(e.slice(0, 80)).slice(0, 40).join(""));
		throw new X(`${t} has ${Bi(e)} characters, at most ${r} are allowed: ${n}…`);
	}
	if (/\p{Cs}/u.test(e) || n && !zi(e)) throw new X(`${t} has characters that cannot be shown: ${Z(e, 200)}`);
	return e;
}
var ao = [
	"Relative",
	"Rotary",
	"Alibi"
], oo = ["LayerNorm", "RMSNorm"];
function so(e) {
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
function co(e, t) {
	return e.number("base", (e) => e > 1 && e < Ga, (e) => `${t}(base=${e}): write a number above 1`);
}
function lo(e) {
	let t = e.get("max_length");
	if (typeof t != "bigint" || t < 1n || t > Wa) throw new X(`Sinusoidal(max_length=${Z(t)}): write a whole number from 1 to ${Wa}`);
	return {
		kind: "Sinusoidal",
		max_length: Number(t),
		base: co(e, "Sinusoidal")
	};
}
function uo(e) {
	let t = e.matrix("keys"), n = e.matrixOrNull("values");
	if (t.rows === 0) throw new X("Relative(keys) needs at least one row, for distance 0");
	if (n && n.rows !== t.rows) throw new X(`Relative(keys, values) has ${t.rows} rows of keys and ${n.rows} of values: write a row of each for every distance`);
	return {
		kind: "Relative",
		keys: t,
		values: n
	};
}
function fo(e) {
	let t = e.get("size");
	if (t !== null && (typeof t != "bigint" || t < 2n || t % 2n != 0n)) throw new X(`Rotary(size=${Z(t)}): coordinates turn in pairs, so write an even number`);
	let n = e.choice("pairing", "Rotary(pairing=…)", ["halves", "neighbours"]);
	return {
		kind: "Rotary",
		base: co(e, "Rotary"),
		pairing: n,
		size: t === null ? null : Number(t)
	};
}
function po(e) {
	let t = e.get("slopes");
	if (t === null) return {
		kind: "Alibi",
		slopes: t
	};
	if (!Array.isArray(t) || !t.length) throw new X(`Alibi(slopes=${Z(t)}): write a tuple of numbers, one for each head`);
	return {
		kind: "Alibi",
		slopes: t.map((e) => {
			let t = no(e);
			if (t !== null && t >= 0 && t < Ga) return t;
			throw new X(`Alibi(slopes=…) holds ${to(e) ? e.kind : Z(e)}: write numbers from 0 on`);
		})
	};
}
function mo(e, t) {
	let n = e.number("eps", (e) => e >= 0 && e < Ga, (e) => `${t}(eps=${e}): write a small number such as 1e-5`), r = e.get("lanes") === null ? null : e.names("lanes", `the lanes of ${t}`, !0);
	return {
		kind: t,
		eps: n,
		gain: e.vector("gain"),
		bias: e.vector("bias"),
		lanes: r
	};
}
function ho(e) {
	let t = e.part("weighting", [
		"Softmax",
		"AverageHard",
		"LeftmostHard",
		"RightmostHard"
	], "Head");
	if (t === null) throw new X("Head(weighting=None): write Softmax(), AverageHard() or another weighting");
	let n = e.part("positions", ao, "Head");
	if (n?.kind === "Alibi" && n.slopes?.length !== 1) throw new X("Head(positions=Alibi(…)) has one slope, for this head: write Alibi((0.5,))");
	let [r, i, a, o] = [
		"W_Q",
		"W_K",
		"W_V",
		"W_O"
	].map((t) => e.matrix(t)), [s, c, l] = [
		"b_Q",
		"b_K",
		"b_V"
	].map((t) => e.vector(t));
	return {
		W_Q: r,
		W_K: i,
		W_V: a,
		W_O: o,
		weighting: t,
		b_Q: s,
		b_K: c,
		b_V: l,
		positions: n
	};
}
function go(e) {
	return {
		heads: e.parts("heads", "Head", "Attention(heads=…)"),
		b_O: e.vector("b_O")
	};
}
function _o(e) {
	let t = e.choice("activation", "FeedForward(activation=…)", [
		"relu",
		"gelu",
		"gelu_tanh",
		"silu",
		"reglu",
		"swiglu"
	]), [n, r] = [e.matrix("W_1"), e.matrix("W_2")], i = e.matrixOrNull("W_3");
	if ((t === "reglu" || t === "swiglu") != (i !== null) || !i && e.vector("b_3")) throw new X(`FeedForward(activation=${Z(t)}) with${i ? "" : "out"} W_3: reglu, swiglu need W_3, the others have none`);
	let a = e.has("names") ? e.texts("names", "FeedForward(names=…)", Ha, "the name of a neuron") : [];
	if (a.length && a.length !== n.rows) throw new X(`FeedForward has ${a.length} names for ${n.rows} neurons: write one for each`);
	let o = e.matrixOrNull("keys");
	if (o && (o.rows !== n.rows || o.columns !== n.columns)) throw new X(`keys has shape (${o.rows}, ${o.columns}), and it must be that of W_1, (${n.rows}, ${n.columns})`);
	let [s, c] = ["b_1", "b_2"].map((t) => e.vector(t));
	return {
		W_1: n,
		b_1: s,
		W_2: r,
		b_2: c,
		activation: t,
		W_3: i,
		b_3: e.vector("b_3") ?? (i && new Float64Array(i.rows)),
		names: a.some(Boolean) ? a : [],
		keys: o?.values.some(Boolean) ? o : null
	};
}
function vo(e) {
	let t = e.part("attention", ["Attention"], "Block"), n = e.part("feed_forward", ["FeedForward"], "Block"), r = e.part("attention_norm", oo, "Block"), i = e.part("feed_forward_norm", oo, "Block");
	for (let [e, n] of Object.entries({ attention: r && !t })) if (n) throw new X(`Block(${e}_norm=…) without ${e}: a norm belongs to a sublayer`);
	if (i && !n) throw new X("Block(feed_forward_norm=…) without feed_forward: a norm belongs to a sublayer");
	return {
		attention: t,
		feed_forward: n,
		attention_norm: r,
		feed_forward_norm: i,
		norm_placement: e.choice("norm_placement", "Block(norm_placement=…)", ["pre", "post"]),
		origin: io(e.get("origin"), "Block(origin=…)", !0, Ua)
	};
}
function yo(e) {
	io(e.get("text"), "the text of an edit", !0, Ua), io(e.get("digest"), "the digest of an edit", !0, 64);
	for (let t of [
		"block",
		"first",
		"count"
	]) {
		let n = e.get(t);
		if (typeof n != "bigint" || n < 0n) throw new X(`Edit(${t}=${Z(n)}): write a whole number, 0 or more`);
	}
	return e.part("before", ["FeedForward"], "Edit"), e.truth("created", "Edit"), null;
}
function bo(e) {
	let t = e.names("vocabulary", "vocabulary", !1), n = e.names("lanes", "lanes", !0), r = e.has("tied") && e.truth("tied", "Transformer"), i = e.matrix("embedding"), a = e.matrixOrNull("output"), o = e.names("classes", "classes", !1);
	if (r && (o.length !== t.length || o.some((e, n) => e !== t[n]))) throw new X("tied=True makes the vocabulary the classes: leave out classes, or write tied=False");
	if (r && a && !xo(a, i)) throw new X("tied=True makes the embedding the output, and the output given is another: write output=None, or tied=False");
	let s = e.parts("blocks", "Block", "blocks"), c = e.list("flags", "flags", "str").map((e) => {
		if (typeof e != "string") throw new X("flags must hold str");
		return e;
	}), l = e.texts("provenance", "provenance", Ua, "a line of provenance");
	e.has("edits") && e.parts("edits", "Edit", "edits");
	let u = e.choice("mask", "mask=…", ["causal", "full"]), [d, f] = So(e.get("positions")), p = e.part("final_norm", oo, "Transformer");
	return {
		arithmetic: ia(e.get("arithmetic")).text,
		vocabulary: t,
		lanes: n,
		embedding: i,
		added_positions: d,
		attention_positions: f,
		blocks: s,
		classes: o,
		mask: u,
		output: r ? i : a,
		output_bias: e.vector("output_bias"),
		final_norm: p,
		tied: r,
		flags: c,
		provenance: l
	};
}
var xo = (e, t) => e.rows === t.rows && e.columns === t.columns && e.values.every((e, n) => e === t.values[n]);
function So(e) {
	let t = (Array.isArray(e) ? e : [e]).filter((e) => e !== null), n = [], r = [];
	for (let e of t) if (to(e) && ao.includes(e.kind)) r.push(e.part);
	else if (to(e) && ["Table", "Sinusoidal"].includes(e.kind)) n.push(e.part);
	else throw new X(`positions=${to(e) ? e.kind : Z(e)}: write PositionTable(…), Sinusoidal(…), Relative(…), Rotary(…), Alibi(…), a pair of them such as (PositionTable(…), Rotary()), or None`);
	if (n.length > 1 || r.length > 1) throw new X(`positions=(${t.map((e) => e.kind).join(" and ")}): one of PositionTable and Sinusoidal goes with one of Relative, Rotary and Alibi; two tables become one by adding them up`);
	return [n[0] ?? null, r[0] ?? null];
}
// src/engine/exact.ts
var Co = [
	256,
	1024,
	4096
];
function wo(e, t) {
	for (let n of Co) {
		let { near: r, error: i } = t(n), a = e.nearest(To(r - i, n));
		if (a === e.nearest(To(r + i, n))) return a;
	}
	throw Error("a number could not be told from the middle between two members");
}
function To(e, t) {
	let n = e < 0n ? -e : e, r = Math.max(0, n.toString(2).length - 53), i = n >> BigInt(r), a = i << BigInt(r) === n ? i : i | 1n, o = r - t, s = Number(a) * 2 ** Math.trunc(o / 2) * 2 ** (o - Math.trunc(o / 2));
	return e < 0n ? -s : s;
}
function Eo(e, t) {
	let n = 0, r = e;
	for (; !Number.isInteger(r);) r *= 2, n++;
	return n <= t ? BigInt(r) << BigInt(t - n) : BigInt(r) >> BigInt(n - t);
}
var Do = /* @__PURE__ */ new Map();
function Oo(e, t, n) {
	let r = e + t, i = Do.get(r) ?? n();
	return Do.set(r, i), i;
}
function ko(e, t, n) {
	let r = (1n << BigInt(t)) / e, i = 0n;
	for (let t = 1n, a = 1n; r !== 0n; t += 2n, a *= n) i += a * r / t, r /= e * e;
	return i;
}
var Ao = (e) => Oo("ln2 ", e, () => {
	let t = e + 64, [n, r, i] = [
		26n,
		4801n,
		8749n
	].map((e) => ko(e, t, 1n));
	return 18n * n - 2n * r + 8n * i >> 64n;
}), jo = (e) => Oo("π ", e, () => {
	let t = e + 64;
	return 16n * ko(5n, t, -1n) - 4n * ko(239n, t, -1n) >> 64n;
});
function Mo(e) {
	let t = 1n << BigInt(Math.ceil(e.toString(2).length / 2));
	for (;;) {
		let n = t + e / t >> 1n;
		if (n >= t) return t;
		t = n;
	}
}
function No(e, t) {
	let n = BigInt(t), r = Ao(t), i = e.near / r;
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
function Po(e, t) {
	let n = Math.floor(Math.log2(e)), r = Eo(e, t + 64) >> BigInt(n), i = 1n << BigInt(t + 64), a = (r - i) * i / (r + i), o = a * a / i, s = a, c = 0n;
	for (let e = 1n; s !== 0n; e += 2n) c += s / e, s = s * o / i;
	return BigInt(n) * Ao(t) + (2n * c >> 64n);
}
function Fo(e, t, n, r) {
	return No({
		near: -((e === 2 ? Ao(r) : Po(e, r)) * BigInt(t)) / BigInt(n),
		error: 1n << 12n
	}, r).near;
}
function Io(e, t, n, r, i, a) {
	let o = BigInt(a), s = jo(a) >> 1n, c = BigInt(e) * Fo(t, n, r, a), l = (2n * c + s) / (2n * s), u = c - l * s, d = Number(l % 4n) + +!!i, f = d % 2 == 0 ? u : 1n << o, p = f;
	for (let e = d % 2 == 0 ? 2n : 1n; f !== 0n && (f = -(f * u >> o) * u / (e * (e + 1n)) >> o, f !== -1n); e += 2n) p += f;
	return {
		near: d % 4 < 2 ? p : -p,
		error: (BigInt(e) << 16n) + l + 4096n
	};
}
var Lo = {
	exp: (e, t) => No({
		near: Eo(e, t),
		error: 1n
	}, t),
	gelu: (e, t) => {
		let n = t + Math.ceil(1.5 * e * e) + 64, r = BigInt(n), i = Eo(e, n), a = i * i >> r, o = i, s = 0n;
		for (let e = 3n; o !== 0n && o !== -1n; e += 2n) s += o, o = o * a / e >> r;
		let c = No({
			near: -a / 2n,
			error: 2n
		}, n).near;
		return {
			near: i * ((1n << r - 1n) + (c * s >> r << r) / Mo(2n * jo(n) << r)) >> 2n * r - BigInt(t),
			error: 2n
		};
	},
	gelu_tanh: (e, t) => {
		let n = BigInt(t + 64), r = Eo(e, t + 64);
		return Ro(r, {
			near: -(2n * (r + ((r * r >> n) * r >> n) * 44715n / 1000000n) * Mo((2n << 3n * n) / jo(t + 64)) >> n),
			error: 1n << 32n
		}, t);
	},
	silu: (e, t) => {
		let n = Eo(e, t + 64);
		return Ro(n, {
			near: -n,
			error: 1n
		}, t);
	}
};
function Ro(e, t, n) {
	let r = BigInt(n + 64);
	return {
		near: (e << r) / ((1n << r) + No(t, n + 64).near) >> 64n,
		error: 2n
	};
}
// src/engine/elementary.ts
var zo = 2 ** -38, Bo = Math.sqrt(2 / Math.PI);
function Vo(e) {
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
function Ho(e, t) {
	return e === "exp" ? Math.exp(t) : e === "gelu" ? .5 * t * Vo(-t / Math.SQRT2) : t / (1 + Math.exp(e === "silu" ? -t : -2 * Bo * (t + .044715 * t * t * t)));
}
function Uo(e, t, n) {
	if (n === 0) return t === "exp" ? e.nearest(1) : 0;
	let r = Ho(t, n);
	if (e.native) return e.nearest(r);
	let i = e.nearest(r * (1 - zo));
	if (i === e.nearest(r * (1 + zo))) return i;
	let a = t + n, o = e.settled.get(a) ?? wo(e, (e) => Lo[t](n, e));
	return e.settled.size < 65536 && e.settled.set(a, o), o;
}
// src/engine/matrix.ts
var Wo = (e, t) => ({
	rows: e,
	columns: t,
	values: new Float64Array(e * t)
}), Go = (e) => Int32Array.from({ length: e }, (e, t) => t);
function Ko(e, t, n, r = null) {
	let i = Wo(n.rows, t.rows), a = new Int32Array(t.columns);
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
function qo(e) {
	let t = Wo(e.columns, e.rows);
	for (let n = 0; n < e.rows; n++) for (let r = 0; r < e.columns; r++) t.values[r * e.rows + n] = e.values[n * e.columns + r];
	return t;
}
function Jo(e, t, n) {
	let r = Wo(t.rows, t.columns);
	for (let i = 0; i < t.values.length; i++) r.values[i] = e.nearestSum(t.values[i] + n[i % n.length]);
	return r;
}
// src/engine/layers.ts
function Yo(e, t, n) {
	if (e.native && !t.values.every(Number.isFinite)) throw Xo(e, n);
	return t;
}
function Xo(e, t) {
	return new X(`${t}: ${e.text} overflowed; smaller weights or Softmax(shifted=True) avoid it, and a finite arithmetic such as Float.like('float16') saturates instead`);
}
function Zo(e, t, n) {
	let r = Ko(e, t.W_1, n, t.b_1), i = t.activation === "reglu" ? "relu" : t.activation === "swiglu" ? "silu" : t.activation, a = r.values;
	if (i === "relu") for (let e = 0; e < a.length; e++) a[e] = a[e] > 0 || a[e] !== a[e] ? a[e] : 0;
	else for (let t = 0; t < a.length; t++) a[t] = Uo(e, i, a[t]);
	if (t.W_3) {
		let r = Ko(e, t.W_3, n, t.b_3).values;
		for (let t = 0; t < a.length; t++) a[t] = e.nearest(a[t] * r[t]);
	}
	return r;
}
function Qo(e, t, n, r, i) {
	if (t === null) return n;
	let a = new Map(r.map((e, t) => [e, t])), o = (t.lanes ?? r).map((e) => a.get(e)), [s, c] = [e.round(o.length), e.round(t.eps)], l = {
		...n,
		values: n.values.slice()
	}, u = new Float64Array(o.length), d = Wo(n.rows, 1).values;
	for (let r = 0; r < n.rows; r++) {
		let a = r * n.columns, f = 0;
		for (let t = 0; t < u.length; t++) u[t] = n.values[a + o[t]], f = e.nearestSum(f + u[t]);
		if (t.kind === "LayerNorm") {
			let t = e.nearest(f / s);
			for (let n = 0; n < u.length; n++) u[n] = e.nearestSum(u[n] - t);
		}
		let p = 0;
		for (let t = 0; t < u.length; t++) p = e.nearestSum(p + e.nearest(u[t] * u[t]));
		if (p = e.nearest(p / s), !Number.isFinite(p)) throw Xo(e, i);
		d[r] = e.nearest(Math.sqrt(e.nearestSum(p + c)));
		for (let n = 0; n < u.length; n++) {
			let i = e.nearest(u[n] / d[r]);
			t.gain && (i = e.nearest(i * t.gain[n])), t.bias && (i = e.nearestSum(i + t.bias[n])), l.values[a + o[n]] = i;
		}
	}
	let f = d.indexOf(0);
	if (f >= 0) throw new X(`${i}: the square root is 0 at position ${f}, because the mean square and eps=${Gi(t.eps)} are 0 in ${e.text}; write an eps of at least ${Gi(e.smallest)}`);
	return l;
}
// src/engine/positions.ts
var $o = 192, es = 2 ** -192, ts = 64, ns = /* @__PURE__ */ new Map();
function rs(e, t, n) {
	let r = ns.get(e);
	if (r && r.rows >= t) return r;
	let i = n(2 ** Math.ceil(Math.log2(t)));
	return ns.size >= ts && ns.clear(), ns.set(e, i), i;
}
function is(e, t, n, r) {
	let i = Math.ceil(n / 2);
	return rs(`waves ${e.text} ${t} ${n}`, r, (r) => {
		let a = Wo(r, 2 * i);
		for (let r = 0; r < i; r++) as(e, t, r, n, a);
		return a;
	});
}
function as(e, t, n, r, i) {
	let a = Fo(t, 2 * n, r, $o), o = 2n * jo($o), s = 0n;
	for (let c = 0; c < i.rows; c++, s += a) {
		s >= o && (s %= o);
		let a = Number(s) * es, l = 2 ** -48, u = c * i.columns + 2 * n;
		i.values[u] = os(e, Math.sin(a), l * Math.min(a, 1), () => [
			c,
			t,
			2 * n,
			r,
			!1
		]), i.values[u + 1] = os(e, Math.cos(a), c ? l : 0, () => [
			c,
			t,
			2 * n,
			r,
			!0
		]);
	}
}
function os(e, t, n, r) {
	if (e.native) return e.nearest(t);
	let i = e.nearest(t - n);
	return i === e.nearest(t + n) ? i : wo(e, (e) => Io(...r(), e));
}
function ss(e, t, n, r, i) {
	let a = t.slopes === null ? null : t.slopes.length === 1 ? t.slopes[0] : t.slopes[n], o = a !== null || 8 * (n + 1) % r == 0, s = a ?? 2 ** (-8 * (n + 1) / r);
	return rs(`slope ${e.text} ${s} ${o}`, i, (t) => {
		let i = Wo(1, t);
		for (let a = 0; a < t; a++) i.values[a] = cs(e, s, a, o ? null : [8 * (n + 1), r]);
		return {
			rows: t,
			columns: 1,
			values: i.values
		};
	}).values;
}
function cs(e, t, n, r) {
	if (e.native) return e.round(-t * n + 0);
	let i = 2 ** -48, a = e.nearest(-t * n * (1 - i));
	return a === e.nearest(-t * n * (1 + i)) ? a : wo(e, (e) => {
		let i = BigInt(n);
		if (r) return {
			near: -i * Fo(2, ...r, e),
			error: i << 16n
		};
		let a = 4096;
		return {
			near: -i * Eo(t, a) >> BigInt(a - e),
			error: e === a ? 0n : 1n
		};
	});
}
function ls(e, t, n) {
	let r = t.size ?? n.columns, i = r / 2;
	if (i === 0) return n;
	let a = is(e, t.base, r, n.rows), o = {
		...n,
		values: n.values.slice()
	};
	for (let r = 0; r < n.rows; r++) for (let s = 0; s < i; s++) {
		let [c, l] = t.pairing === "halves" ? [s, s + i] : [2 * s, 2 * s + 1], u = n.values[r * n.columns + c], d = n.values[r * n.columns + l], f = a.values[r * a.columns + 2 * s], p = a.values[r * a.columns + 2 * s + 1];
		o.values[r * n.columns + c] = e.nearestSum(e.nearest(u * p) - e.nearest(d * f)) + 0, o.values[r * n.columns + l] = e.nearestSum(e.nearest(d * p) + e.nearest(u * f)) + 0;
	}
	return o;
}
function us(e, t, n, r, i, a) {
	let o = Math.min(i, r.rows - 1) * r.columns;
	for (let i = 0; i < t.columns; i++) a[i] = e.nearestSum(t.values[n * t.columns + i] + r.values[o + i]);
}
// src/engine/attention.ts
function ds(e, t, n, r, i, a) {
	let o = Ko(e, t.W_Q, i, t.b_Q), s = Ko(e, t.W_K, i, t.b_K), c = Ko(e, t.W_V, i, t.b_V);
	n?.kind === "Rotary" && ([o, s] = [ls(e, n, o), ls(e, n, s)]);
	let l = Yo(e, fs(e, n, r, o, s, a), a.name), { weights: u, empty: d } = ps(e, t.weighting, l, r, a.name), f = gs(e, u, c, n?.kind === "Relative" ? n.values : null, r);
	return {
		scores: l,
		weights: u,
		empty: d,
		values: c,
		mixed: f,
		output: Ko(e, t.W_O, f)
	};
}
function fs(e, t, n, r, i, a) {
	let o = r.rows, s = Wo(o, o), c = Go(r.columns), l = t?.kind === "Alibi" ? ss(e, t, a.head, a.heads, o) : null, u = t?.kind === "Relative" ? t.keys : null, d = new Float64Array(i.columns);
	for (let t = 0; t < o; t++) for (let a = 0; a < (n ? t + 1 : o); a++) {
		u && us(e, i, a, u, t - a, d);
		let [n, f] = u ? [d, 0] : [i.values, a * i.columns], p = e.dot(r.values, t * r.columns, n, f, c, c.length);
		s.values[t * o + a] = l ? e.nearestSum(p + l[Math.abs(t - a)]) : p;
	}
	return s;
}
function ps(e, t, n, r, i) {
	let a = n.rows, o = Wo(a, a), s = [], c = [];
	for (let l = 0; l < a; l++) {
		let u = r ? l + 1 : a, d = n.values.subarray(l * a, l * a + u), f = o.values.subarray(l * a, l * a + u);
		if (c.push(d.reduce((e, t) => t > e ? t : e, -Infinity)), t.kind === "Softmax") {
			let n = ms(e, d, f, t.shifted ? c[l] : null);
			if (!Number.isFinite(n)) throw Xo(e, i);
			s.push(n === 0);
			for (let r = 0; r < u; r++) f[r] = n === 0 ? t.empty === "uniform" ? e.nearest(1 / u) : 0 : e.nearest(f[r] / n);
		} else s.push(!1), hs(e, t.kind, d, f, c[l]);
	}
	let l = s.indexOf(!0);
	if (l >= 0 && t.kind === "Softmax" && t.empty === "error") throw new X(`${i}, position ${l}: every exp(score) rounds to 0 in ${e.text}, the largest score is ${Gi(c[l])}; write Softmax(shifted=True), or Softmax(empty='zero') or Softmax(empty='uniform') to say what is meant`);
	return {
		weights: o,
		empty: s
	};
}
function ms(e, t, n, r) {
	let i = 0;
	for (let a = 0; a < t.length; a++) n[a] = Uo(e, "exp", r === null ? t[a] : e.nearestSum(t[a] - r)), i = e.nearestSum(i + n[a]);
	return i;
}
function hs(e, t, n, r, i) {
	if (t === "LeftmostHard") r[n.indexOf(i)] = e.round(1);
	else if (t === "RightmostHard") r[n.lastIndexOf(i)] = e.round(1);
	else {
		let t = e.round(1 / n.reduce((e, t) => e + +(t === i), 0));
		for (let e = 0; e < n.length; e++) n[e] === i && (r[e] = t);
	}
}
function gs(e, t, n, r, i) {
	let a = t.rows, o = Wo(a, n.columns), s = qo(n), c = new Int32Array(a), l = new Float64Array(n.columns);
	for (let u = 0; u < a; u++) {
		let d = 0;
		for (let n = 0; n < (i ? u + 1 : a); n++) (e.native || t.values[u * a + n] !== 0) && (c[d++] = n);
		if (r) for (let t = 0; t < d; t++) {
			us(e, n, c[t], r, u - c[t], l);
			for (let e = 0; e < n.columns; e++) s.values[e * a + c[t]] = l[e];
		}
		for (let r = 0; r < n.columns; r++) o.values[u * n.columns + r] = e.dot(t.values, u * a, s.values, r * a, c, d);
	}
	return o;
}
// src/engine/run.ts
function _s(e, t) {
	let n = e.vocabulary.every((e) => Array.from(e).length === 1) ? Array.from(t) : t.split(/[\s\x1c-\x1f\x85]+/u).filter((e) => e !== "");
	return vs(e, n), n;
}
function vs(e, t) {
	if (t.length === 0) throw new X(`the input is empty: write at least one of the tokens ${Ji(e.vocabulary)}`);
	let n = new Set(e.vocabulary), r = t.findIndex((e) => !n.has(e));
	if (r >= 0) throw new X(`token ${r} of the input, ${qi(t[r])}, is not in the vocabulary: write ` + Ji(e.vocabulary));
	let i = e.added_positions, a = i === null ? Infinity : i.kind === "Table" ? i.values.rows : i.max_length;
	if (t.length > a) throw new X(`the input has ${t.length} tokens and the position table holds ${a}: write at most ${a} tokens, or give the transformer a longer table`);
}
function ys(e, t) {
	vs(e, t);
	let n = ia(e.arithmetic), r = Yo(n, bs(e, t), "embedding"), i = [{
		kind: "embedding",
		block: -1,
		present: !0
	}], a = [r], o = [], s = [];
	e.blocks.forEach((t, c) => {
		let l = (r, i, a) => {
			let o = `block ${c} ${r.replace("_", "-")} norm`;
			return t.norm_placement === a ? Qo(n, t[`${r}_norm`], i, e.lanes, o) : i;
		}, { attention: u, feed_forward: d } = t, f = u ? xs(e, u, l("attention", r, "pre"), `block ${c}`) : [];
		if (u) {
			let e = Wo(r.rows, r.columns);
			for (let t of f) e = Jo(n, e, t.output.values);
			u.b_O && (e = Jo(n, e, u.b_O)), r = l("attention", Jo(n, r, e.values), "post");
		}
		a.push(Yo(n, r, `block ${c} attention`));
		let p = Wo(r.rows, 0);
		if (d) {
			p = Zo(n, d, l("feed_forward", r, "pre"));
			let e = Ko(n, d.W_2, p, d.b_2);
			r = l("feed_forward", Jo(n, r, e.values), "post");
		}
		a.push(Yo(n, r, `block ${c} feed-forward`)), i.push({
			kind: "attention",
			block: c,
			present: u !== null
		}), i.push({
			kind: "feed-forward",
			block: c,
			present: d !== null
		}), o.push(f), s.push(p);
	});
	let c = Ss(e, {
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
function bs(e, t) {
	let n = ia(e.arithmetic), r = new Map(e.vocabulary.map((e, t) => [e, t])), i = e.lanes.length, a = Wo(t.length, i), o = e.added_positions, s = o && (o.kind === "Table" ? o.values : is(n, o.base, i, t.length));
	return t.forEach((t, o) => {
		let c = r.get(t) * i;
		for (let t = 0; t < i; t++) {
			let r = e.embedding.values[c + t];
			a.values[o * i + t] = s ? n.nearestSum(r + s.values[o * s.columns + t]) : r;
		}
	}), a;
}
function xs(e, t, n, r) {
	let i = ia(e.arithmetic);
	return t.heads.map((a, o) => {
		let s = a.positions ?? e.attention_positions, c = {
			head: o,
			heads: t.heads.length,
			name: `${r}, head ${o}`
		};
		return ds(i, a, s, e.mask === "causal", n, c);
	});
}
function Ss(e, t) {
	let n = ia(e.arithmetic), r = Qo(n, e.final_norm, t, e.lanes, "final norm");
	return Yo(n, Ko(n, e.output, r, e.output_bias), "output");
}
function Cs(e) {
	let t = ia(e.arithmetic);
	return t.native ? null : t.infinity;
}
// node_modules/svelte/src/internal/disclose-version.js
typeof window < "u" && ((window.__svelte ??= {}).v ??= /* @__PURE__ */ new Set()).add("5");
// src/view/address.ts
function ws(e) {
	let t = new URLSearchParams();
	return t.set("model", String(e.model)), t.set("input", e.input), e.besideModel !== null && t.set("beside", String(e.besideModel)), e.besideModel !== null && e.besideInput !== null && t.set("beside-input", e.besideInput), e.step !== null && t.set("step", String(e.step)), e.position !== null && t.set("position", String(e.position)), e.head !== null && t.set("head", String(e.head)), e.onlyDifferences && t.set("only", "differences"), t.toString();
}
function Ts(e) {
	let t = new URLSearchParams(e.replace(/^#/, ""));
	if (!t.has("model") && !t.has("input") && !t.has("step")) return null;
	let n = Es(t.get("model")), r = t.get("input");
	return {
		...n === null ? {} : { model: n },
		...r === null ? {} : { input: r },
		besideModel: Es(t.get("beside")),
		besideInput: t.get("beside-input"),
		step: Es(t.get("step")),
		position: Es(t.get("position")),
		head: Es(t.get("head")),
		onlyDifferences: t.get("only") === "differences"
	};
}
function Es(e) {
	return e !== null && /^\d{1,9}$/.test(e) ? Number(e) : null;
}
// src/view/facts/cells.ts
function Q(e, t, n) {
	return e.values[t * e.columns + n];
}
function Ds(e, t) {
	return e.values.subarray(t * e.columns, (t + 1) * e.columns);
}
function Os(e) {
	return {
		rows: 1,
		columns: e.length,
		values: e
	};
}
function $(e) {
	return Array.from({ length: e }, (e, t) => t);
}
// src/view/facts/lens.ts
var ks = /* @__PURE__ */ new WeakMap();
function As(e, t, n) {
	let [r, i] = [e.stream.length - 1, e.tokens.length - 1];
	if (t === r && n === i) return e.logits;
	let a = ks.get(e) ?? /* @__PURE__ */ new Map();
	ks.set(e, a);
	let o = t * e.tokens.length + n, s = a.get(o) ?? Ss(e.model, Os(Ds(e.stream[t], n))).values;
	return a.set(o, s), s;
}
function js(e) {
	return e.reduce((t, n, r) => n > e[t] ? r : t, 0);
}
function Ms(e, t, n) {
	return js(As(e, t, n));
}
function Ns(e, t) {
	return $(e.tokens.length).map((n) => e.model.classes[Ms(e, t, n)]);
}
function Ps(e) {
	let t = js(e), n = $(e.length).filter((e) => e !== t), r = n.length === 0 ? null : n.reduce((t, n) => e[n] > e[t] ? n : t);
	return {
		first: t,
		second: r,
		by: r === null ? 0 : e[t] - e[r],
		tied: e.filter((n) => n === e[t]).length
	};
}
function Fs(e) {
	let t = e.reduce((e, t) => Math.max(e, t), -Infinity), n = e.map((e) => Math.exp(e - t)), r = n.reduce((e, t) => e + t, 0);
	return n.map((e) => e / r);
}
// src/view/answer.ts
function Is(e, t, n) {
	if (t.second === null) return "";
	if (t.tied > 1) return "a tie: the first class wins";
	let [r, i] = [e[t.first], e[t.second]];
	return n.isInfinite(r) || n.isInfinite(i) ? `${n.short(r)} against ${n.short(i)}` : `ahead by ${n.short(t.by)}`;
}
// src/view/Bar.svelte
var Ls = /* @__PURE__ */ H("<option> </option>"), Rs = /* @__PURE__ */ H("<option>none yet</option>"), zs = /* @__PURE__ */ H("<button class=\"plain\">open a .safetensors file</button>"), Bs = /* @__PURE__ */ H("<label class=\"field input svelte-16eihtk\"><span class=\"svelte-16eihtk\">input of B</span> <input type=\"text\" spellcheck=\"false\" autocomplete=\"off\" placeholder=\"the same\" class=\"svelte-16eihtk\"/></label>"), Vs = /* @__PURE__ */ H("<label class=\"field input svelte-16eihtk\"><span class=\"svelte-16eihtk\">input: type, it runs</span> <input type=\"text\" data-input=\"\" spellcheck=\"false\" autocomplete=\"off\" autocapitalize=\"off\" class=\"svelte-16eihtk\"/></label> <label class=\"field svelte-16eihtk\"><span class=\"svelte-16eihtk\">beside</span> <select class=\"svelte-16eihtk\"><option>nothing</option><option>the same model, another input</option><!></select></label> <!>", 1), Hs = /* @__PURE__ */ H("<b class=\"svelte-16eihtk\"> </b> <small class=\"svelte-16eihtk\"> </small>", 1), Us = /* @__PURE__ */ H("<b class=\"svelte-16eihtk\"> <span class=\"and svelte-16eihtk\">and</span> </b> <small class=\"svelte-16eihtk\"> </small>", 1), Ws = /* @__PURE__ */ H("<div role=\"status\"><!></div>"), Gs = /* @__PURE__ */ H("<header class=\"svelte-16eihtk\"><span class=\"brand svelte-16eihtk\">Weightsmith</span> <label class=\"field svelte-16eihtk\"><span class=\"svelte-16eihtk\">model</span> <select aria-label=\"model\" class=\"svelte-16eihtk\"><!><!><option>open a file …</option></select></label> <input class=\"spoken\" type=\"file\" accept=\".safetensors\" tabindex=\"-1\" aria-label=\"open a model file\"/> <!> <button class=\"plain theme svelte-16eihtk\" title=\"light or dark\">◐</button> <!></header>");
function Ks(e, t) {
	We(t, !0);
	let n = Ii(t, "page", 7), r = "input", i = "file", a, o = /* @__PURE__ */ k(() => n().view), s = /* @__PURE__ */ k(() => n().beside === null ? "" : n().beside.model === n().model ? r : String(n().beside.model)), c = /* @__PURE__ */ k(() => B(o) === null ? null : Ps(B(o).run.logits));
	function l(e) {
		let { value: t } = e.currentTarget;
		t === i ? (e.currentTarget.value = String(n().model), a.click()) : n().chooseModel(Number(t));
	}
	function u(e) {
		let { value: t } = e.currentTarget;
		t === "" ? n().chooseBeside(null) : t === r ? n().chooseBeside({
			model: n().model,
			input: n().input
		}) : n().chooseBeside({
			model: Number(t),
			input: null
		});
	}
	function d(e) {
		let { beside: t } = n();
		t !== null && (n().beside = {
			...t,
			input: e === "" && t.model !== n().model ? null : e
		}, n().typed());
	}
	async function f(e) {
		let t = e.currentTarget.files?.[0];
		e.currentTarget.value = "", t !== void 0 && await n().openFile(t);
	}
	var p = Gs(), m = I(N(p), 2), h = I(N(m), 2), g = N(h);
	q(g, 17, () => n().models, Ur, (e, t, n) => {
		let r = () => B(t).name;
		var i = Ls(), a = F(i, !0), o = {};
		L((e) => {
			G(a, r()), o !== (o = e) && (i.value = (i.__value = o) ?? "");
		}, [() => String(n)]), W(e, i);
	});
	var _ = I(g), v = (e) => {
		var t = Rs();
		t.value = t.__value = "0", W(e, t);
	};
	K(_, (e) => {
		n().models.length === 0 && e(v);
	});
	var y = I(_);
	y.value = y.__value = i, O(h);
	var b;
	pi(h), O(m);
	var x = I(m, 2);
	Ni(x, (e) => a = e, () => a);
	var S = I(x, 2), C = (e) => {
		var t = zs();
		V("click", t, () => a.click()), W(e, t);
	}, w = (e) => {
		var t = Vs(), i = P(t), a = I(N(i), 2);
		bi(a), O(i);
		var o = I(i, 2), c = I(N(o), 2), l = N(c);
		l.value = l.__value = "";
		var f = I(l);
		f.value = f.__value = r, q(I(f), 17, () => n().models, Ur, (e, t, r) => {
			let i = () => B(t).name;
			var a = kr(), o = P(a), s = (e) => {
				var t = Ls(), n = F(t, !0), a = {};
				L((e) => {
					G(n, i()), a !== (a = e) && (t.value = (t.__value = a) ?? "");
				}, [() => String(r)]), W(e, t);
			};
			K(o, (e) => {
				r !== n().model && e(s);
			}), W(e, a);
		}), O(c);
		var p;
		pi(c), O(o);
		var m = I(o, 2), h = (e) => {
			var t = Bs(), r = I(N(t), 2);
			bi(r), O(t), L(() => xi(r, n().beside.input ?? "")), V("input", r, (e) => d(e.currentTarget.value)), W(e, t);
		};
		K(m, (e) => {
			n().beside !== null && e(h);
		}), L(() => {
			Y(a, "aria-invalid", n().problem !== null), p !== (p = B(s)) && (c.value = (c.__value = p) ?? "", fi(c, p));
		}), V("input", a, () => n().typed()), Ei(a, () => n().input, (e) => n().input = e), V("change", c, u), W(e, t);
	};
	K(S, (e) => {
		n().models.length === 0 ? e(C) : e(w, -1);
	});
	var T = I(S, 2), ee = I(T, 2), te = (e) => {
		var t = Ws();
		let r;
		var i = N(t), a = (e) => {
			var t = Hs(), n = P(t), r = F(n), i = F(I(n, 2), !0);
			L((e) => {
				G(r, `→ ${B(o).run.decision ?? ""}`), G(i, e);
			}, [() => B(c) === null ? "" : Is(B(o).run.logits, B(c), B(o).numbers)]), W(e, t);
		}, s = (e) => {
			var t = Us(), n = P(t), r = N(n), i = I(r, 2);
			O(n);
			var a = F(I(n, 2), !0);
			L(() => {
				G(r, `→ ${B(o).run.decision ?? ""} `), G(i, ` ${B(o).beside.decision ?? ""}`), G(a, B(o).run.decision === B(o).beside.decision ? "the same decision" : "different decisions");
			}), W(e, t);
		};
		K(i, (e) => {
			B(o).beside === null ? e(a) : e(s, -1);
		}), O(t), L(() => r = J(t, 1, "answer svelte-16eihtk", null, r, { old: n().problem !== null })), W(e, t);
	};
	K(ee, (e) => {
		B(o) !== null && e(te);
	}), O(p), L((e) => {
		b !== (b = e) && (h.value = (h.__value = b) ?? "", fi(h, b)), Y(T, "aria-label", `${B(o)?.theme === "dark" ? "light" : "dark"} colours`);
	}, [() => String(n().model)]), V("change", h, l), V("change", x, f), V("click", T, () => n().themeChosen = n().theme === "dark" ? "light" : "dark"), W(e, p), Ge();
}
yr([
	"change",
	"click",
	"input"
]);
var qs = class {
	model;
	infinity;
	steps;
	constructor(e) {
		this.model = e, this.infinity = Cs(e);
		let t = /^fixed\(\d+,(\d+)/.exec(e.arithmetic.replaceAll(" ", ""));
		this.steps = t === null ? null : 2 ** Number(t[1]);
	}
	isInfinite(e) {
		return this.infinity !== null && Math.abs(e) === this.infinity;
	}
	short(e) {
		return this.isInfinite(e) ? e > 0 ? "∞" : "−∞" : Ys(Js(e));
	}
	signed(e) {
		return e > 0 ? `+${this.short(e)}` : this.short(e);
	}
	exact(e) {
		let t = Ys(String(e));
		return this.isInfinite(e) ? `${e > 0 ? "∞" : "−∞"} = ${t}` : this.steps === null || Number.isInteger(e) ? t : `${t} = ${Ys(String(e * this.steps))}/${this.steps}`;
	}
};
function Js(e) {
	let t = Math.abs(e);
	if (t === 0) return "0";
	if (t < .005 || t >= 1e5) return e.toExponential(t < .005 ? 0 : 1).replace("e+", "e");
	let n = e.toFixed(t >= 100 ? 0 : t >= 10 ? 1 : 2);
	return n.includes(".") ? n.replace(/\.?0+$/, "") : n;
}
function Ys(e) {
	return e.replaceAll("-", "−");
}
function Xs(e) {
	let t = e * 100;
	return e > 0 && t < .1 ? "< 0.1 %" : `${t >= 10 || e === 0 ? Math.round(t) : t.toFixed(1)} %`;
}
function Zs(e, t, n = `${t}s`) {
	return `${e} ${e === 1 ? t : n}`;
}
// src/view/facts/tokens.ts
var Qs = {
	" ": "␣",
	"": "∅",
	"\n": "⏎",
	"	": "⇥"
};
function $s(e) {
	return Qs[e] ?? e.replaceAll("\n", "⏎").replaceAll("	", "⇥");
}
function ec(e, t) {
	return e.some((n, r) => r !== t && n === e[t]);
}
function tc(e, t) {
	let n = $s(e[t]);
	return ec(e, t) ? n + nc(t) : n;
}
function nc(e) {
	return [...String(e)].map((e) => String.fromCharCode(8320 + Number(e))).join("");
}
// src/view/difference.ts
function rc(e) {
	let t = e.pair, { first: n } = t, r = Math.max(t.a.tokens.length, t.b.tokens.length) - t.partners, i = r === 0 ? "" : ` (inputs are aligned at their ends; ${Zs(r, "position has", "positions have")} no partner)`;
	if (n === null) {
		let t = e.numbers.infinity === null ? "in every digit" : "bit for bit";
		return [
			ac("The two runs are "),
			oc("equal"),
			ac(` ${t}, at every sublayer${i}.`)
		];
	}
	let a = t.counts[e.step], o = a === 0 ? [ac(e.step < n.step ? "Nothing differs here yet" : "Nothing differs here")] : [oc(String(a)), ac(` of ${t.partners * t.lanes.length} values ${a === 1 ? "differs" : "differ"} here`)], s = [e.numbers, e.besideNumbers], { a: c, b: l, lane: u, position: d } = n;
	return [
		...o,
		ac(`${i}. The first difference is at the `),
		oc(ic(e, n.step)),
		ac(`, position ${d} `),
		{
			kind: "token",
			text: tc(e.run.tokens, d)
		},
		ac(", lane "),
		oc(u.name),
		ac(`: ${u.a < 0 ? "no such lane" : s[0].short(c)} against ${u.b < 0 ? "no such lane" : s[1].short(l)}.`)
	];
}
function ic(e, t) {
	let { kind: n, block: r, besideBlock: i } = e.steps[t];
	return n === "embedding" ? n : r === null ? `${n} of block ${i} of B` : `${n} of block ${r}`;
}
function ac(e) {
	return {
		kind: "words",
		text: e
	};
}
function oc(e) {
	return {
		kind: "name",
		text: e
	};
}
// src/view/Differences.svelte
var sc = /* @__PURE__ */ H("<p class=\"note\">A and B are equal here, at every position and lane that both have.</p>"), cc = /* @__PURE__ */ H("<tr><td class=\"svelte-10ppg6d\"> <span class=\"token\"> </span></td><td class=\"svelte-10ppg6d\"> </td><td class=\"number svelte-10ppg6d\"> </td><td class=\"number svelte-10ppg6d\"> </td></tr>"), lc = /* @__PURE__ */ H("<button class=\"more svelte-10ppg6d\"> </button>"), uc = /* @__PURE__ */ H("<p class=\"note\"><!></p>"), dc = /* @__PURE__ */ H("<table class=\"svelte-10ppg6d\"><thead><tr><th class=\"svelte-10ppg6d\">position</th><th class=\"svelte-10ppg6d\">lane</th><th class=\"number svelte-10ppg6d\">A</th><th class=\"number svelte-10ppg6d\">B</th></tr></thead><tbody></tbody></table> <!>", 1), fc = /* @__PURE__ */ H("<section class=\"panel\" aria-label=\"what differs here\"><h2>What differs here <small> </small></h2> <!></section>");
function pc(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ j(!1), r = /* @__PURE__ */ k(() => t.view.pair.differences(t.view.step)), i = /* @__PURE__ */ k(() => B(r).slice(0, B(n) ? 200 : 9));
	var a = fc(), o = N(a), s = F(I(N(o)), !0);
	O(o);
	var c = I(o, 2), l = (e) => {
		W(e, sc());
	}, u = (e) => {
		var a = dc(), o = P(a), s = I(N(o));
		q(s, 21, () => B(i), ({ position: e, lane: t, a: n, b: r }) => `${e} ${t.name}`, (e, n) => {
			let r = () => B(n).position, i = () => B(n).lane, a = () => B(n).a, o = () => B(n).b;
			var s = cc(), c = N(s), l = N(c), u = F(I(l), !0);
			O(c);
			var d = I(c), f = F(d, !0), p = I(d), m = F(p, !0), h = F(I(p), !0);
			O(s), L((e, t, n) => {
				G(l, `${r() ?? ""} `), G(u, e), G(f, i().name), G(m, t), G(h, n);
			}, [
				() => $s(t.view.run.tokens[r()]),
				() => i().a < 0 ? "no lane" : t.view.numbers.short(a()),
				() => i().b < 0 ? "no lane" : t.view.besideNumbers.short(o())
			]), W(e, s);
		}), O(s), O(o);
		var c = I(o, 2), l = (e) => {
			var t = uc(), a = N(t), o = (e) => {
				var t = Or();
				L(() => G(t, `and ${B(r).length - B(i).length} smaller ones`)), W(e, t);
			}, s = (e) => {
				var t = lc(), i = F(t);
				L(() => G(i, `and ${B(r).length - 9} smaller ones`)), V("click", t, () => M(n, !0)), W(e, t);
			};
			K(a, (e) => {
				B(n) ? e(o) : e(s, -1);
			}), O(t), W(e, t);
		};
		K(c, (e) => {
			B(r).length > B(i).length && e(l);
		}), W(e, a);
	};
	K(c, (e) => {
		B(r).length === 0 ? e(l) : e(u, -1);
	}), O(a), L((e) => G(s, e), [() => Zs(B(r).length, "value")]), W(e, a), Ge();
}
yr(["click"]);
// src/view/Help.svelte
var mc = /* @__PURE__ */ H("<dt class=\"svelte-jk15ws\"> </dt> <dd class=\"svelte-jk15ws\"> </dd>", 1), hc = /* @__PURE__ */ H("<dialog aria-label=\"keys\" class=\"svelte-jk15ws\"><h2 class=\"svelte-jk15ws\">Keys</h2> <dl class=\"svelte-jk15ws\"></dl> <form method=\"dialog\"><button class=\"plain\">close</button></form></dialog>");
function gc(e, t) {
	let n = [
		["← →", "the sublayer before, the next one"],
		["Home End", "the start, the last sublayer"],
		["Space", "play, pause"],
		["[ ]", "the position before, the next one"],
		["↑ ↓", "the lane above, below"],
		["h", "choose a head, then the next, then all"],
		["n", "choose a neuron that fired, then the next"],
		["d", "two runs: only differences"],
		["/", "to the input"],
		["Esc", "let go of what was chosen"],
		["?", "these keys"]
	];
	function r(e) {
		e.showModal();
	}
	var i = hc(), a = I(N(i), 2);
	q(a, 21, () => n, ([e, t]) => e, (e, t) => {
		var n = /* @__PURE__ */ k(() => m(B(t), 2));
		let r = () => B(n)[0], i = () => B(n)[1];
		var a = mc(), o = P(a), s = F(o, !0), c = F(I(o, 2), !0);
		L(() => {
			G(s, r()), G(c, i());
		}), W(e, a);
	}), O(a), Te(2), O(i), $r(i, () => r), vr("close", i, function(...e) {
		t.close?.apply(this, e);
	}), W(e, i);
}
// src/view/facts/reading.ts
var _c = (e) => 1 + 2 * e, vc = (e) => 2 + 2 * e;
function yc(e, t) {
	let { kind: n, block: r } = e.stages[t], { norm_placement: i, attention_norm: a, feed_forward_norm: o } = e.model.blocks[r], s = n === "attention" ? a : o, c = e.stream[t - 1];
	return i === "pre" && s !== null ? Sc(e, s, c) : c;
}
function bc(e, t, n, r) {
	let { values: i } = e.heads[t][n], a = e.model.blocks[t].attention.heads[n].positions ?? e.model.attention_positions;
	if (a?.kind !== "Relative" || a.values === null) return i;
	let o = a.values, s = (e) => Math.max(0, Math.min(r - e, o.rows - 1)), c = i.values.map((e, t) => {
		let n = Math.floor(t / i.columns);
		return e + Q(o, s(n), t % i.columns);
	});
	return {
		...i,
		values: c
	};
}
function xc(e, t, n) {
	let r = e.model.blocks[t].attention.heads[n].positions ?? e.model.attention_positions;
	return r?.kind !== "Relative" || r.values === null;
}
function Sc(e, t, n) {
	return n;
}
// src/view/facts/rounding.ts
function Cc(e, t) {
	let n = Cs(e);
	return n === null ? t : Math.max(-n, Math.min(n, t));
}
function wc(e, t) {
	let n = e.added_positions;
	if (n === null) return null;
	if (n.kind === "Table") return Ds(n.values, t);
	let r = e.lanes.length;
	return Float64Array.from(e.lanes, (i, a) => {
		let o = t / n.base ** (2 * Math.floor(a / 2) / r);
		return Cc(e, a % 2 == 0 ? Math.sin(o) : Math.cos(o));
	});
}
// src/view/facts/neurons.ts
function Tc(e, t, n) {
	let r = e.model.blocks[t].feed_forward;
	if (r === null) return [];
	let i = Ds(yc(e, vc(t)), n), a = Ds(e.activations[t], n), o = $(a.length).filter((e) => a[e] !== 0).map((t) => ({
		neuron: t,
		name: Ec(r, t),
		activation: a[t],
		key: Dc(r, t, i),
		bias: r.b_1[t],
		adds: Oc(e, r, t, a[t]),
		clears: kc(r, t)
	})), s = (e) => Number(e.clears !== null);
	return o.sort((e, t) => s(e) - s(t) || Math.abs(t.activation) - Math.abs(e.activation));
}
function Ec(e, t) {
	return e.names[t] || `neuron ${t}`;
}
function Dc(e, t, n) {
	let r = (e) => Math.abs(e.weight * e.value);
	return Array.from(Ds(e.W_1, t), (e, t) => ({
		lane: t,
		weight: e,
		value: n[t]
	})).filter(({ weight: e }) => e !== 0).sort((e, t) => r(t) - r(e));
}
function Oc(e, t, n, r) {
	return $(t.W_2.rows).map((i) => ({
		lane: i,
		amount: Cc(e.model, Q(t.W_2, i, n) * r)
	})).filter(({ amount: e }) => e !== 0).sort((e, t) => Math.abs(t.amount) - Math.abs(e.amount));
}
function kc(e, t) {
	if (e.b_1[t] !== 0 || e.W_3 !== null) return null;
	let n = $(e.W_1.columns).filter((n) => Q(e.W_1, t, n) !== 0), r = $(e.W_2.rows).filter((n) => Q(e.W_2, n, t) !== 0);
	return n.length !== 1 || r.length !== 1 || n[0] !== r[0] ? null : Q(e.W_1, t, n[0]) === -Q(e.W_2, r[0], t) ? n[0] : null;
}
// src/view/keyboard.ts
var Ac = {
	ArrowRight: ({ view: e }) => e.go(e.step + 1),
	ArrowLeft: ({ view: e }) => e.go(e.step - 1),
	Home: ({ view: e }) => e.go(0),
	End: ({ view: e }) => e.go(e.steps.length - 1),
	" ": (e) => e.togglePlay(),
	"[": ({ view: e }) => Nc(e, e.position - 1),
	"]": ({ view: e }) => Nc(e, e.position + 1),
	ArrowDown: ({ view: e }) => Pc(e, 1),
	ArrowUp: ({ view: e }) => Pc(e, -1),
	h: ({ view: e }) => Fc(e),
	n: ({ view: e }) => Ic(e),
	d: ({ view: e }) => {
		e.pair !== null && (e.onlyDifferences = !e.onlyDifferences);
	},
	"/": (e) => e.toInput(),
	Escape: ({ view: e }) => e.release(),
	"?": (e) => e.help()
};
function jc(e, t) {
	let n = Ac[e.key];
	if (n === void 0 || e.ctrlKey || e.metaKey || e.altKey) return !1;
	let r = e.target;
	return Mc(r) && e.key !== "Escape" || e.key === " " && r.matches("button, summary, a") ? !1 : (e.key === "Escape" && Mc(r) && r.blur(), n(t), !0);
}
function Mc(e) {
	return e.matches("select, textarea, dialog *") ? !0 : e.matches("input") && !e.matches("[type=range], [type=checkbox]");
}
function Nc(e, t) {
	e.pinned = Math.max(0, Math.min(t, e.run.tokens.length - 1)), e.neuron = null;
}
function Pc(e, t) {
	let n = e.lanesShown;
	if (n.length === 0) return;
	let r = e.lane === null ? -1 : n.indexOf(e.lane);
	e.lane = n[r < 0 ? t > 0 ? 0 : n.length - 1 : Math.max(0, Math.min(r + t, n.length - 1))];
}
function Fc(e) {
	let t = e.run.heads[e.run.stages[e.stage].block]?.length ?? 0;
	if (e.here.kind !== "attention" || t === 0) return;
	let n = e.head === null ? 0 : e.head + 1;
	e.head = n < t ? n : null;
}
function Ic(e) {
	if (e.here.kind !== "feed-forward" || e.here.block === null) return;
	let t = Tc(e.run, e.here.block, e.position);
	if (t.length === 0) return;
	let n = t.findIndex(({ neuron: t }) => t === e.neuron);
	e.pinned = e.position, e.neuron = t[(Math.max(n, e.neuron === null ? 0 : n) + 1) % t.length].neuron;
}
// src/view/facts/changes.ts
function Lc(e) {
	return $(e.stages.length).filter((t) => e.stages[t].present);
}
function Rc(e, t) {
	let n = e.stream[t].values, r = t > 0 ? e.stream[t - 1].values : n;
	return Uint8Array.from(n, (e, t) => e === r[t] ? 0 : 1);
}
function zc(e, t, n) {
	if (t === 0) return [];
	let [r, i] = [Ds(e.stream[t - 1], n), Ds(e.stream[t], n)];
	return $(i.length).filter((e) => r[e] !== i[e]).map((e) => ({
		lane: e,
		before: r[e],
		after: i[e]
	}));
}
function Bc(e, t, n) {
	return zc(e, t, n).reduce((e, t) => e + Math.abs(t.after - t.before), 0);
}
function Vc(e, t) {
	let n = e.tokens.length - 1, r = $(e.tokens.length).map((n) => Bc(e, t, n)), i = Math.max(...r);
	return i === 0 || r[n] > 0 ? n : r.lastIndexOf(i);
}
function Hc(e, t, n) {
	return n !== null && n < e.tokens.length ? n : Vc(e, t);
}
function Uc(e) {
	let t = Lc(e), n = e.tokens.length - 1, r = Ms(e, t.at(-1), n), i = t.length - 1;
	for (; i > 0 && Ms(e, t[i - 1], n) === r;) i--;
	return t[i] || t[Math.min(1, t.length - 1)];
}
function Wc(e) {
	let t = Array(e.lanes.length).fill(null);
	if (e.added_positions?.kind === "Sinusoidal") return t;
	let n = Yc(e.embedding, /* @__PURE__ */ new Set());
	return e.added_positions !== null && Yc(e.added_positions.values, n), e.blocks.forEach((r, i) => {
		for (let a of Gc(e, r)) n.has(a) || (t[a] = i);
		for (let t of Gc(e, r)) n.add(t);
	}), t;
}
function Gc(e, t) {
	let n = /* @__PURE__ */ new Set();
	if (t.attention?.heads.forEach((e) => Jc(e.W_O, n)), qc(t.attention?.b_O ?? null, n), t.feed_forward !== null && (Jc(t.feed_forward.W_2, n), qc(t.feed_forward.b_2, n)), t.norm_placement === "post") for (let r of [t.attention_norm, t.feed_forward_norm]) Kc(e, r, n);
	return n;
}
function Kc(e, t, n) {
	for (let r of t === null ? [] : t.lanes ?? e.lanes) n.add(e.lanes.indexOf(r));
}
function qc(e, t) {
	e?.forEach((e, n) => e !== 0 && t.add(n));
}
function Jc(e, t) {
	e.values.forEach((n, r) => n !== 0 && t.add(Math.floor(r / e.columns)));
}
function Yc(e, t) {
	return e.values.forEach((n, r) => n !== 0 && t.add(r % e.columns)), t;
}
// src/view/panels/AnswerChart.svelte
var Xc = /* @__PURE__ */ U("<text class=\"end svelte-1spsl6r\" text-anchor=\"end\"> </text>"), Zc = /* @__PURE__ */ U("<polyline></polyline>"), Qc = /* @__PURE__ */ U("<text> </text>"), $c = /* @__PURE__ */ U("<svg role=\"img\" class=\"svelte-1spsl6r\"><line class=\"zero svelte-1spsl6r\"></line><line class=\"now svelte-1spsl6r\" y1=\"2\"></line><!><!><!></svg>");
function el(e, t) {
	We(t, !0);
	let [n, r, i, a, o, s] = [
		384,
		92,
		92,
		10,
		12,
		6.7
	], c = /* @__PURE__ */ k(() => Lc(t.run)), l = /* @__PURE__ */ k(() => new qs(t.run.model)), u = /* @__PURE__ */ k(() => B(c).map((e) => As(t.run, e, t.position))), d = /* @__PURE__ */ k(() => B(u).flatMap((e) => t.classes.map((t) => e[t]))), f = /* @__PURE__ */ k(() => Math.min(0, ...B(d))), p = /* @__PURE__ */ k(() => Math.max(0, ...B(d)) === B(f) ? B(f) + 1 : Math.max(0, ...B(d))), m = /* @__PURE__ */ k(() => 8 + s * Math.max(3, B(l).short(B(f)).length, B(l).short(B(p)).length)), h = /* @__PURE__ */ k(() => (n - B(m) - i) / Math.max(1, B(c).length - 1)), g = /* @__PURE__ */ k(() => Ms(t.run, B(c).at(-1), t.position)), _ = /* @__PURE__ */ k(() => Math.max(0, B(c).findLastIndex((e) => e <= t.stage))), v = (e) => B(m) + e * B(h), y = (e) => r - a - (e - B(f)) / (B(p) - B(f)) * (r - 2 * a), b = /* @__PURE__ */ k(() => {
		let e = B(u).at(-1), n = t.classes.map((t) => ({
			place: t,
			at: y(e[t]) + 4
		})).sort((e, t) => e.at - t.at);
		n.forEach((e, t) => e.at = Math.max(e.at, t === 0 ? a : n[t - 1].at + o));
		let i = Math.max(0, (n.at(-1)?.at ?? 0) - r + 2);
		return n.map(({ place: e, at: t }) => ({
			place: e,
			at: t - i
		}));
	}), x = /* @__PURE__ */ k(() => B(c).map((e, n) => `${S(e)} ${t.run.model.classes[B(g)]} ${B(l).short(B(u)[n][B(g)])}`).join(", "));
	function S(e) {
		let { kind: n, block: r } = t.run.stages[e];
		return n === "embedding" ? n : `block ${r} ${n}`;
	}
	function C(e) {
		let r = e.currentTarget.getBoundingClientRect(), i = Math.round(((e.clientX - r.left) / r.width * n - B(m)) / B(h));
		t.onstage(B(c)[Math.max(0, Math.min(B(c).length - 1, i))]);
	}
	function w(e) {
		return e.length > 13 ? `${e.slice(0, 12)}…` : e;
	}
	var T = $c(), ee = N(T), te = I(ee), ne = I(te);
	q(ne, 16, () => [.../* @__PURE__ */ new Set([B(f), B(p)])], (e) => e, (e, t) => {
		var n = Xc(), r = F(n, !0);
		L((e, t) => {
			Y(n, "x", B(m) - 6), Y(n, "y", e), G(r, t);
		}, [() => y(t) + 4, () => B(l).short(t)]), W(e, n);
	});
	var re = I(ne);
	q(re, 16, () => t.classes, (e) => e, (e, t) => {
		var n = Zc();
		let r;
		L((e) => {
			Y(n, "points", e), r = J(n, 0, "svelte-1spsl6r", null, r, { winner: t === B(g) });
		}, [() => B(u).map((e, n) => `${v(n)},${y(e[t])}`).join(" ")]), W(e, n);
	}), q(I(re), 17, () => B(b), ({ place: e, at: t }) => e, (e, r) => {
		let a = () => B(r).place, o = () => B(r).at;
		var s = Qc();
		let c;
		var l = F(s, !0);
		L((e) => {
			Y(s, "x", n - i + 6), Y(s, "y", o()), c = J(s, 0, "svelte-1spsl6r", null, c, { winner: a() === B(g) }), G(l, e);
		}, [() => w(t.run.model.classes[a()])]), W(e, s);
	}), O(T), L((e, t, a, o) => {
		Y(T, "viewBox", `0 0 ${n ?? ""} ${r ?? ""}`), Y(T, "aria-label", `logits over the sublayers: ${B(x) ?? ""}`), Y(ee, "x1", B(m)), Y(ee, "x2", n - i), Y(ee, "y1", e), Y(ee, "y2", t), Y(te, "x1", a), Y(te, "x2", o), Y(te, "y2", r - 2);
	}, [
		() => y(0),
		() => y(0),
		() => v(B(_)),
		() => v(B(_))
	]), V("click", T, C), W(e, T), Ge();
}
yr(["click"]);
// src/view/facts/attribution.ts
function tl(e, t, n = e.tokens.length - 1) {
	let { model: r } = e, i = r.classes.indexOf(t), a = e.stream.length - 1, o = As(e, a, n)[i], s = r.output_bias === null ? [] : [sl("bias", r.output_bias[i], { name: "output bias" })], c = Ds(e.stream[a], n), l = dl(r, r.final_norm, c, Ds(r.output, i), "bias of the final norm", null), u = [[...l.parts, ...s]], d = l.direction;
	for (let t of $(r.blocks.length).reverse()) for (let r of [ll, ul]) {
		let i = r(e, t, n, d);
		u.push(i.parts), d = i.direction;
	}
	u.push(cl(e, n, d));
	let f = u.reverse().flat();
	return {
		wanted: t,
		position: n,
		logit: o,
		parts: f,
		residue: o - f.reduce((e, { amount: t }) => e + t, 0)
	};
}
function nl(e, t) {
	return e.parts.filter(({ amount: e }) => e !== 0).sort((e, t) => Math.abs(t.amount) - Math.abs(e.amount)).slice(0, t);
}
function rl(e) {
	return il(e, (e) => e.kind === "head" ? sl("head", 0, {
		block: e.block,
		place: e.place
	}) : e.kind === "neuron" || e.kind === "bias" && e.name === `block ${e.block}, b_2` ? sl("feed-forward", 0, { block: e.block }) : e);
}
function il(e, t) {
	let n = /* @__PURE__ */ new Map();
	for (let r of e.parts) {
		let { kind: e, block: i, place: a, source: o, name: s } = t(r), c = JSON.stringify([
			e,
			i,
			a,
			o,
			s
		]), l = n.get(c)?.amount ?? 0;
		n.set(c, {
			kind: e,
			block: i,
			place: a,
			source: o,
			name: s,
			amount: l + r.amount
		});
	}
	return [...n.values()];
}
function al(e) {
	switch (e.kind) {
		case "head": return `block ${e.block}, head ${e.place}${e.source === null ? "" : `, from ${e.name} at ${e.source}`}`;
		case "neuron": return `block ${e.block}, ${e.name || `neuron ${e.place}`}`;
		case "feed-forward": return `block ${e.block}, feed-forward`;
		case "block": return `block ${e.block}`;
		case "embedding": return `embedding of ${e.name}`;
		case "bias": return e.name;
		case "position": return "position";
	}
}
function ol(e) {
	return e.block === null ? 0 : e.kind === "head" || / b_O$| attention norm$/.test(e.name) ? _c(e.block) : vc(e.block);
}
function sl(e, t, n = {}) {
	return {
		kind: e,
		amount: t,
		block: null,
		place: null,
		source: null,
		name: "",
		...n
	};
}
function cl(e, t, n) {
	let { model: r } = e, i = e.tokens[t], a = [sl("embedding", pl(Ds(r.embedding, r.vocabulary.indexOf(i)), n), { name: i })], o = wc(r, t);
	return o === null ? a : [...a, sl("position", pl(o, n))];
}
function ll(e, t, n, r) {
	let i = e.model.blocks[t], a = i.feed_forward;
	if (a === null) return {
		direction: r,
		parts: []
	};
	let o = Ds(e.activations[t], n), s = Ds(e.stream[_c(t)], n).map((e, t) => e + (pl(Ds(a.W_2, t), o) + a.b_2[t])), c = i.norm_placement === "post" ? i.feed_forward_norm : null, l = dl(e.model, c, s, r, `block ${t}, bias of the feed-forward norm`, t), u = Array.from(o, (e, n) => {
		let r = 0;
		for (let e = 0; e < a.W_2.rows; e++) r += l.direction[e] * Q(a.W_2, e, n);
		return sl("neuron", e * r, {
			block: t,
			place: n,
			name: a.names[n] ?? ""
		});
	}), d = fl(a.b_2, l.direction, `block ${t}, b_2`, t);
	return {
		direction: l.direction,
		parts: [
			...u,
			...d,
			...l.parts
		]
	};
}
function ul(e, t, n, r) {
	let i = e.model.blocks[t], a = i.attention;
	if (a === null) return {
		direction: r,
		parts: []
	};
	let o = Ds(e.stream[_c(t) - 1], n).map((r, i) => r + e.heads[t].reduce((e, t) => e + Q(t.output, n, i), 0) + (a.b_O?.[i] ?? 0)), s = i.norm_placement === "post" ? i.attention_norm : null, c = dl(e.model, s, o, r, `block ${t}, bias of the attention norm`, t), l = e.heads[t].flatMap((r, i) => {
		let { W_O: o } = a.heads[i], s = new Float64Array(o.columns);
		for (let e = 0; e < o.rows; e++) for (let t = 0; t < o.columns; t++) s[t] += c.direction[e] * Q(o, e, t);
		let l = bc(e, t, i, n);
		return e.tokens.map((e, a) => sl("head", Q(r.weights, n, a) * pl(Ds(l, a), s), {
			block: t,
			place: i,
			source: a,
			name: e
		}));
	}), u = a.b_O === null ? [] : fl(a.b_O, c.direction, `block ${t}, b_O`, t);
	return {
		direction: c.direction,
		parts: [
			...l,
			...u,
			...c.parts
		]
	};
}
function dl(e, t, n, r, i, a) {
	if (t === null) return {
		direction: r,
		parts: []
	};
	let o = (t.lanes ?? e.lanes).map((t) => e.lanes.indexOf(t)), s = Float64Array.from(o, (e) => r[e]), c = t.bias === null ? [] : fl(t.bias, s, i, a), l = t.kind === "LayerNorm", u = l ? ml(Float64Array.from(o, (e) => n[e])) : 0, d = Float64Array.from(o, (e) => (n[e] - u) ** 2), f = Math.sqrt(ml(d) + Cc(e, t.eps)), p = s.map((e, n) => e * (t.gain?.[n] ?? 1) / f), m = l ? ml(p) : 0, h = r.slice();
	return o.forEach((e, t) => h[e] = p[t] - m), {
		direction: h,
		parts: c
	};
}
function fl(e, t, n, r) {
	return e.some((e) => e !== 0) ? [sl("bias", pl(e, t), {
		block: r,
		name: n
	})] : [];
}
function pl(e, t) {
	return e.reduce((e, n, r) => e + n * t[r], 0);
}
function ml(e) {
	return e.reduce((e, t) => e + t, 0) / e.length;
}
// src/view/panels/AnswerParts.svelte
var hl = /* @__PURE__ */ H("<option> </option>"), gl = /* @__PURE__ */ H("<p class=\"note\"> </p>"), _l = /* @__PURE__ */ H("<li class=\"svelte-1yatanl\"><button class=\"svelte-1yatanl\"><span class=\"bar svelte-1yatanl\"><i></i></span> <span class=\"number\"> </span> <span class=\"where svelte-1yatanl\"> </span></button></li>"), vl = /* @__PURE__ */ H("<button class=\"more svelte-1yatanl\"> </button>"), yl = /* @__PURE__ */ H("<p class=\"note\"><!> <!> <!></p>"), bl = /* @__PURE__ */ H("<h3 class=\"svelte-1yatanl\"><label>Where the logit of <select class=\"svelte-1yatanl\"></select> comes from</label> <label class=\"whole svelte-1yatanl\"><input type=\"checkbox\" class=\"svelte-1yatanl\"/> by head</label></h3> <!> <ul class=\"svelte-1yatanl\"></ul> <!>", 1);
function xl(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ j(!1), r = /* @__PURE__ */ j(!1), i = /* @__PURE__ */ k(() => new qs(t.run.model)), a = /* @__PURE__ */ k(() => tl(t.run, t.wanted, t.position)), o = /* @__PURE__ */ k(() => B(r) ? rl(B(a)) : B(a).parts), s = /* @__PURE__ */ k(() => nl({
		...B(a),
		parts: B(o)
	}, B(o).length)), c = /* @__PURE__ */ k(() => B(s).slice(0, B(n) ? 40 : 4)), l = /* @__PURE__ */ k(() => B(s).slice(B(c).length)), u = /* @__PURE__ */ k(() => Math.max(...B(c).map((e) => Math.abs(e.amount)))), d = /* @__PURE__ */ k(() => Math.abs(B(a).residue) > 1e-9 * Math.max(1, Math.abs(B(a).logit))), f = (e) => e.reduce((e, t) => e + t.amount, 0);
	var p = bl(), m = P(p), h = N(m), g = I(N(h));
	q(g, 20, () => t.run.model.classes, (e) => e, (e, t) => {
		var n = hl(), r = F(n, !0), i = {};
		L(() => {
			G(r, t), i !== (i = t) && (n.__value = i);
		}), W(e, n);
	}), O(g);
	var _;
	pi(g), Te(), O(h);
	var v = I(h, 2), y = N(v);
	bi(y), Te(), O(v), O(m);
	var b = I(m, 2), x = (e) => {
		var t = gl(), n = F(t);
		L((e) => G(n, `No part adds to it: its logit is ${e ?? ""}.`), [() => B(i).short(B(a).logit)]), W(e, t);
	};
	K(b, (e) => {
		B(s).length === 0 && e(x);
	});
	var S = I(b, 2);
	q(S, 21, () => B(c), Ur, (e, n) => {
		var r = _l(), a = N(r), o = N(a), s = N(o);
		let c, l;
		O(o);
		var d = I(o, 2), f = F(d, !0), p = F(I(d, 2), !0);
		O(a), O(r), L((e, t, r, i) => {
			Y(a, "title", `${e ?? ""}: go there`), c = J(s, 1, "svelte-1yatanl", null, c, { minus: B(n).amount < 0 }), l = li(s, "", l, { width: t }), G(f, r), G(p, i);
		}, [
			() => B(i).exact(B(n).amount),
			() => `${Math.abs(B(n).amount) / B(u) * 100}%`,
			() => B(i).signed(B(n).amount),
			() => al(B(n))
		]), V("click", a, () => t.onpart(B(n), ol(B(n)))), W(e, r);
	}), O(S);
	var C = I(S, 2), w = (e) => {
		var t = yl(), r = N(t), o = (e) => {
			var t = Or();
			L((e, n) => G(t, `${e ?? ""}: ${n ?? ""}.`), [() => Zs(B(l).length, "smaller part"), () => B(i).signed(f(B(l)))]), W(e, t);
		};
		K(r, (e) => {
			B(l).length > 0 && e(o);
		});
		var c = I(r, 2), u = (e) => {
			var t = Or();
			L((e) => G(t, `Rounding on the way: ${e ?? ""}.`), [() => B(i).signed(B(a).residue)]), W(e, t);
		};
		K(c, (e) => {
			B(d) && e(u);
		});
		var p = I(c, 2), m = (e) => {
			var t = vl(), r = F(t, !0);
			L(() => {
				Y(t, "aria-expanded", B(n)), G(r, B(n) ? "fewer" : "show more");
			}), V("click", t, () => M(n, !B(n))), W(e, t);
		};
		K(p, (e) => {
			B(s).length > 4 && e(m);
		}), O(t), W(e, t);
	};
	K(C, (e) => {
		(B(l).length > 0 || B(n) || B(d)) && e(w);
	}), L(() => {
		_ !== (_ = t.wanted) && (g.value = (g.__value = _) ?? "", fi(g, _));
	}), V("change", g, (e) => t.onwanted(e.currentTarget.value)), Di(y, () => B(r), (e) => M(r, e)), W(e, p), Ge();
}
yr(["change", "click"]);
// src/view/panels/TokenName.svelte
var Sl = /* @__PURE__ */ H("<sub class=\"svelte-132cohn\"> </sub>"), Cl = /* @__PURE__ */ H("<span class=\"token\"> <!></span>");
function wl(e, t) {
	We(t, !0);
	var n = Cl(), r = N(n, !0), i = I(r), a = (e) => {
		var n = Sl(), r = F(n, !0);
		L(() => G(r, t.position)), W(e, n);
	}, o = /* @__PURE__ */ k(() => ec(t.tokens, t.position));
	K(i, (e) => {
		B(o) && e(a);
	}), O(n), L((e) => G(r, e), [() => $s(t.tokens[t.position])]), W(e, n), Ge();
}
// src/view/panels/Answer.svelte
var Tl = /* @__PURE__ */ H("<tr><td class=\"svelte-12tqgkr\"><!></td><td class=\"svelte-12tqgkr\"><b> </b> </td><td class=\"number svelte-12tqgkr\"> </td><td class=\"muted svelte-12tqgkr\"> </td></tr>"), El = /* @__PURE__ */ H("<table class=\"svelte-12tqgkr\"><thead><tr><th class=\"svelte-12tqgkr\">at</th><th class=\"svelte-12tqgkr\"> </th><th class=\"number svelte-12tqgkr\">logit</th><th class=\"svelte-12tqgkr\">margin</th></tr></thead><tbody></tbody></table>"), Dl = /* @__PURE__ */ H("<span class=\"which svelte-12tqgkr\">A</span>"), Ol = /* @__PURE__ */ H("<span class=\"number chance svelte-12tqgkr\"> </span>"), kl = /* @__PURE__ */ H("<span class=\"muted svelte-12tqgkr\">has no such class</span>"), Al = /* @__PURE__ */ H("<span class=\"track svelte-12tqgkr\"><i class=\"hollow svelte-12tqgkr\"></i></span> <span class=\"number\"> </span>", 1), jl = /* @__PURE__ */ H("<div class=\"class svelte-12tqgkr\"><span class=\"name svelte-12tqgkr\"></span><span class=\"which svelte-12tqgkr\">B</span> <!></div>"), Ml = /* @__PURE__ */ H("<li><button class=\"class svelte-12tqgkr\" title=\"show where its logit comes from\"><span> </span> <!> <span class=\"track svelte-12tqgkr\"><i></i></span> <span class=\"number\"> </span> <!></button> <!></li>"), Nl = /* @__PURE__ */ H("<ul></ul> <p class=\"note\"><!> </p>", 1), Pl = /* @__PURE__ */ H("<section class=\"panel\" aria-label=\"the answer\"><h2> <small> </small></h2> <div class=\"where svelte-12tqgkr\" role=\"group\" aria-label=\"positions\"><button class=\"svelte-12tqgkr\">at the last position</button> <button class=\"svelte-12tqgkr\">at every position</button></div> <!> <!> <h3>Logits over the sublayers</h3> <!></section>");
function Fl(e, t) {
	We(t, !0);
	let n = Ii(t, "view", 7), r = /* @__PURE__ */ k(() => n().run), i = /* @__PURE__ */ k(() => n().beside), a = /* @__PURE__ */ k(() => B(r).model), o = /* @__PURE__ */ k(() => B(r).tokens.length - 1), s = /* @__PURE__ */ k(() => n().step >= n().steps.length - 1), c = /* @__PURE__ */ k(() => As(B(r), n().stage, B(o))), l = /* @__PURE__ */ k(() => js(B(c))), u = /* @__PURE__ */ k(() => n().numbers), d = /* @__PURE__ */ k(() => S(B(a).classes, B(a).vocabulary)), f = /* @__PURE__ */ k(() => Fs(B(c))), p = /* @__PURE__ */ j(!1), m = /* @__PURE__ */ k(() => {
		let e = $(B(a).classes.length);
		if (e.length <= 3) return e;
		let t = B(d) ? B(c) : B(r).logits, n = e.sort((e, n) => t[n] - t[e]).slice(0, B(i) === null ? 5 : 4);
		return n.includes(B(l)) ? n : [...n.slice(0, -1), B(l)];
	}), h = /* @__PURE__ */ k(() => [...B(m)].sort((e, t) => B(r).logits[t] - B(r).logits[e]).slice(0, 4)), g = /* @__PURE__ */ k(() => Math.max(v(B(r)), B(i) === null ? 0 : v(B(i)), 1e-9)), _ = /* @__PURE__ */ k(() => B(m).some((e) => B(r).stream.some((t, n) => As(B(r), n, B(o))[e] < 0)));
	function v(e) {
		let t = e.tokens.length - 1, n = e.stream.map((n, r) => As(e, r, t).reduce((e, t) => Math.max(e, Math.abs(t)), 0));
		return Math.max(...n);
	}
	let y = /* @__PURE__ */ k(() => B(i) === null ? null : As(B(i), n().besideStage ?? 0, B(i).tokens.length - 1)), b = /* @__PURE__ */ k(() => n().besideNumbers ?? B(u));
	function x(e) {
		let t = B(i)?.model.classes.indexOf(B(a).classes[e]) ?? -1;
		return B(y) === null || t < 0 ? null : B(y)[t];
	}
	function S(e, t) {
		return e.length === t.length && e.every((e, n) => e === t[n]);
	}
	function C(e, t, n) {
		let { first: r, second: i, by: a, tied: o } = Ps(t), s = $s(e.model.classes[r]);
		return i === null ? `${s} is the only class` : o > 1 ? `A tie at ${n.short(t[r])}: the first class, ${s}, wins` : n.isInfinite(t[r]) || n.isInfinite(t[i]) ? `${s} leads: ${n.short(t[r])} against ${n.short(t[i])}` : `${s} leads by ${n.short(a)}`;
	}
	let w = /* @__PURE__ */ k(() => B(_) ? 50 : 0), T = (e) => Math.abs(e) / B(g) * (B(_) ? 50 : 100), ee = (e) => e < 0 ? B(w) - T(e) : B(w), te = /* @__PURE__ */ k(() => n().wanted !== null && B(a).classes.includes(n().wanted) ? n().wanted : B(r).decision);
	function ne(e, t) {
		n().stage = t, n().pinned = B(o), n().head = e.kind === "head" ? e.place : null, n().neuron = e.kind === "neuron" ? e.place : null;
	}
	var re = Pl(), ie = N(re), ae = N(ie), oe = F(I(ae), !0);
	O(ie);
	var se = I(ie, 2), ce = N(se), le = I(ce, 2);
	O(se);
	var ue = I(se, 2), de = (e) => {
		var t = El(), i = N(t), o = N(i), s = F(I(N(o)), !0);
		Te(2), O(o), O(i);
		var c = I(i);
		q(c, 21, () => B(r).tokens, Ur, (e, t, i) => {
			let o = /* @__PURE__ */ k(() => As(B(r), n().stage, i)), s = /* @__PURE__ */ k(() => Ps(B(o)));
			var c = Tl(), l = N(c);
			wl(N(l), {
				get tokens() {
					return B(r).tokens;
				},
				position: i
			}), O(l);
			var f = I(l), p = N(f), m = F(p, !0), h = I(p, 1, !0);
			O(f);
			var g = I(f), _ = F(g, !0), v = F(I(g), !0);
			O(c), L((e, t, n, r, i) => {
				G(m, e), G(h, t), Y(g, "title", n), G(_, r), G(v, i);
			}, [
				() => $s(B(a).classes[B(s).first]),
				() => B(d) ? ` ${Xs(Math.max(...Fs(B(o))))}` : "",
				() => B(u).exact(B(o)[B(s).first]),
				() => B(u).short(B(o)[B(s).first]),
				() => B(s).second === null ? "" : B(s).tied > 1 ? "a tie: the first wins" : `over ${$s(B(a).classes[B(s).second])} ${B(u).short(B(o)[B(s).second])}`
			]), W(e, c);
		}), O(c), O(t), L(() => G(s, B(d) ? "next token" : "decision")), W(e, t);
	}, fe = (e) => {
		var t = Nl(), o = P(t);
		let s;
		q(o, 20, () => B(m), (e) => e, (e, t) => {
			let r = /* @__PURE__ */ k(() => x(t));
			var o = Ml(), s = N(o), p = N(s);
			let m;
			var h = F(p, !0), g = I(p, 2), _ = (e) => {
				W(e, Dl());
			};
			K(g, (e) => {
				B(i) !== null && e(_);
			});
			var v = I(g, 2), y = N(v);
			let S, C;
			O(v);
			var w = I(v, 2), ne = F(w, !0), re = I(w, 2), ie = (e) => {
				var n = Ol(), r = F(n, !0);
				L((e) => G(r, e), [() => Xs(B(f)[t])]), W(e, n);
			};
			K(re, (e) => {
				B(d) && e(ie);
			}), O(s);
			var ae = I(s, 2), oe = (e) => {
				var t = jl(), n = I(N(t), 3), i = (e) => {
					W(e, kl());
				}, a = (e) => {
					var t = Al(), n = P(t), i = N(n);
					let a;
					O(n);
					var o = I(n, 2), s = F(o, !0);
					L((e, t, n, r) => {
						a = li(i, "", a, {
							left: e,
							width: t
						}), Y(o, "title", n), G(s, r);
					}, [
						() => `${ee(B(r)) ?? ""}%`,
						() => `${T(B(r)) ?? ""}%`,
						() => B(b).exact(B(r)),
						() => B(b).short(B(r))
					]), W(e, t);
				};
				K(n, (e) => {
					B(r) === null ? e(i) : e(a, -1);
				}), O(t), W(e, t);
			};
			K(ae, (e) => {
				B(i) !== null && e(oe);
			}), O(o), L((e, n, r, i, o) => {
				Y(s, "aria-pressed", B(a).classes[t] === B(te)), m = J(p, 1, "name svelte-12tqgkr", null, m, { best: t === B(l) }), G(h, e), S = J(y, 1, "svelte-12tqgkr", null, S, { best: t === B(l) }), C = li(y, "", C, {
					left: n,
					width: r
				}), Y(w, "title", i), G(ne, o);
			}, [
				() => $s(B(a).classes[t]),
				() => `${ee(B(c)[t]) ?? ""}%`,
				() => `${T(B(c)[t]) ?? ""}%`,
				() => B(u).exact(B(c)[t]),
				() => B(u).short(B(c)[t])
			]), V("click", s, () => n().wanted = B(a).classes[t]), W(e, o);
		}), O(o);
		var p = I(o, 2), h = N(p), g = (e) => {
			var t = Or();
			L((e) => G(t, `${e ?? ""}.`), [() => C(B(r), B(c), B(u))]), W(e, t);
		}, _ = (e) => {
			var t = Or();
			L((e, n) => G(t, `A: ${e ?? ""}. B: ${n ?? ""}.`), [() => C(B(r), B(c), B(u)), () => C(B(i), B(y), B(b))]), W(e, t);
		};
		K(h, (e) => {
			B(i) === null || B(y) === null ? e(g) : e(_, -1);
		});
		var v = I(h);
		O(p), L(() => {
			s = J(o, 1, "svelte-12tqgkr", null, s, {
				paired: B(i) !== null,
				speaks: B(d)
			}), G(v, ` ${B(a).classes.length > B(m).length ? `${B(a).classes.length - B(m).length} more classes below.` : ""}`);
		}), W(e, t);
	};
	K(ue, (e) => {
		B(p) ? e(de) : e(fe, -1);
	});
	var pe = I(ue, 2);
	xl(pe, {
		get run() {
			return B(r);
		},
		get wanted() {
			return B(te);
		},
		get position() {
			return B(o);
		},
		onwanted: (e) => n().wanted = e,
		onpart: ne
	}), el(I(pe, 4), {
		get run() {
			return B(r);
		},
		get classes() {
			return B(h);
		},
		get stage() {
			return n().stage;
		},
		get position() {
			return B(o);
		},
		onstage: (e) => n().stage = e
	}), O(re), L(() => {
		G(ae, `${B(d) ? "The next token" : "The answer"} `), G(oe, B(s) ? "after the last sublayer" : "as if the run ended here"), Y(ce, "aria-pressed", !B(p)), Y(le, "aria-pressed", B(p));
	}), V("click", ce, () => M(p, !1)), V("click", le, () => M(p, !0)), W(e, re), Ge();
}
yr(["click"]);
// src/view/facts/moved.ts
function Il(e, t, n, r = $(e.tokens.length)) {
	let { weights: i, scores: a } = e.heads[t][n], o = xc(e, t, n) ? Ll(e, t, n, 0) : null;
	return r.flatMap((r) => {
		let s = o ?? Ll(e, t, n, r);
		return $(e.tokens.length).filter((e) => Q(i, r, e) !== 0).map((e) => ({
			block: t,
			head: n,
			source: e,
			target: r,
			weight: Q(i, r, e),
			score: Q(a, r, e),
			unweighted: Ds(s, e)
		}));
	});
}
function Ll(e, t, n, r) {
	return Rl(bc(e, t, n, r), e.model.blocks[t].attention.heads[n].W_O);
}
function Rl(e, t) {
	let n = new Float64Array(e.rows * t.rows);
	for (let r = 0; r < e.rows; r++) for (let i = 0; i < t.rows; i++) {
		let a = 0;
		for (let n = 0; n < e.columns; n++) a += e.values[r * e.columns + n] * t.values[i * t.columns + n];
		n[r * t.rows + i] = a;
	}
	return {
		rows: e.rows,
		columns: t.rows,
		values: n
	};
}
function zl(e) {
	return $(e.unweighted.length).map((t) => ({
		lane: t,
		amount: e.weight * e.unweighted[t]
	})).filter(({ amount: e }) => e !== 0);
}
function Bl(e) {
	return e.unweighted.some((t) => e.weight * t !== 0);
}
function Vl(e, t) {
	let { W_O: n, W_V: r } = e.model.blocks[t.block].attention.heads[t.head], i = Ds(yc(e, _c(t.block)), t.source), a = [];
	for (let e = 0; e < n.rows; e++) for (let o = 0; o < r.columns; o++) {
		if (i[o] === 0) continue;
		let s = 0;
		for (let t = 0; t < n.columns; t++) s += Q(n, e, t) * Q(r, t, o);
		let c = t.weight * s * i[o];
		c !== 0 && a.push({
			from: o,
			to: e,
			amount: c
		});
	}
	return a.sort((e, t) => Math.abs(t.amount) - Math.abs(e.amount));
}
function Hl(e, t, n) {
	return Il(e, t, n).flatMap((e) => zl(e).map(({ amount: e }) => Math.abs(e))).reduce((e, t) => e + t, 0);
}
var Ul = 4;
function Wl(e, t, n) {
	let r = $(e.heads[t].length);
	if (n !== null && n < r.length) return [n];
	if (r.length <= Ul) return r;
	let i = r.map((n) => Hl(e, t, n));
	return [i.indexOf(Math.max(...i))];
}
// src/view/panels/HeadGrid.svelte
var Gl = /* @__PURE__ */ U("<path></path>"), Kl = /* @__PURE__ */ U("<text class=\"muted svelte-12yrfyj\" text-anchor=\"middle\"> </text>"), ql = /* @__PURE__ */ U("<text text-anchor=\"end\"> </text><!>", 1), Jl = /* @__PURE__ */ U("<svg role=\"img\" class=\"svelte-12yrfyj\"><!><!><rect class=\"frame svelte-12yrfyj\"></rect></svg>");
function Yl(e, t) {
	We(t, !0);
	let n = 6.7, r = /* @__PURE__ */ k(() => t.tokens.length <= 12 && t.size >= 100), i = /* @__PURE__ */ k(() => Math.max(...t.tokens.map((e) => $s(e).length))), a = /* @__PURE__ */ k(() => B(r) ? Math.min(54, 8 + n * B(i)) : 0), o = /* @__PURE__ */ k(() => Math.max(2, Math.min(24, Math.floor((t.size - B(a)) / t.tokens.length)))), s = /* @__PURE__ */ k(() => B(r) && B(o) >= 16 ? 16 : 0), c = /* @__PURE__ */ k(() => +(B(o) > 5)), l = /* @__PURE__ */ k(() => {
		let e = /* @__PURE__ */ new Map();
		for (let n = 0; n < t.tokens.length; n++) for (let r = 0; r < (t.causal ? n + 1 : t.tokens.length); r++) {
			let i = Math.min(1, Math.abs(Q(t.head.weights, n, r))), l = i === 0 ? 0 : Math.max(1, Math.round(i * 16)), u = `M${B(a) + r * B(o)} ${B(s) + n * B(o)}h${B(o) - B(c)}v${B(o) - B(c)}h${B(c) - B(o)}z`;
			e.set(l, (e.get(l) ?? "") + u);
		}
		return [...e];
	}), u = (e, t) => $s(e).slice(0, Math.max(1, Math.floor(t / n)));
	function d(e) {
		let n = e.currentTarget.getBoundingClientRect(), r = Math.floor((e.clientX - n.left - B(a)) / B(o)), i = Math.floor((e.clientY - n.top - B(s)) / B(o)), c = r >= 0 && i >= 0 && i < t.tokens.length && r < (t.causal ? i + 1 : t.tokens.length);
		t.onpoint(c ? {
			reader: i,
			source: r
		} : null);
	}
	var f = Jl(), p = N(f);
	q(p, 17, () => B(l), ([e, t]) => e, (e, t) => {
		var n = /* @__PURE__ */ k(() => m(B(t), 2));
		let r = () => B(n)[0], i = () => B(n)[1];
		var a = Gl();
		L(() => {
			Y(a, "d", i()), J(a, 0, ni(r() === 0 ? "nothing" : "weight"), "svelte-12yrfyj"), Y(a, "fill-opacity", r() === 0 ? 1 : .12 + .88 * r() / 16);
		}), W(e, a);
	});
	var h = I(p), g = (e) => {
		var n = kr();
		q(P(n), 17, () => t.tokens, Ur, (e, n, r) => {
			var i = ql(), c = P(i);
			let l;
			var d = F(c, !0), f = I(c), p = (e) => {
				var t = Kl();
				Y(t, "y", 11);
				var i = F(t, !0);
				L((e) => {
					Y(t, "x", B(a) + r * B(o) + B(o) / 2), G(i, e);
				}, [() => u(B(n), B(o) - 1)]), W(e, t);
			};
			K(f, (e) => {
				B(s) > 0 && e(p);
			}), L((e) => {
				Y(c, "x", B(a) - 4), Y(c, "y", B(s) + r * B(o) + B(o) / 2 + 4), l = J(c, 0, "svelte-12yrfyj", null, l, { chosen: r === t.reader }), G(d, e);
			}, [() => u(B(n), B(a) - 6)]), W(e, i);
		}), W(e, n);
	};
	K(h, (e) => {
		B(r) && e(g);
	});
	var _ = I(h);
	O(f), L(() => {
		Y(f, "width", B(a) + t.tokens.length * B(o) + 2), Y(f, "height", B(s) + t.tokens.length * B(o) + 2), Y(f, "aria-label", t.label), Y(_, "x", B(a) - .5), Y(_, "y", B(s) + t.reader * B(o) - .5), Y(_, "width", (t.causal ? t.reader + 1 : t.tokens.length) * B(o)), Y(_, "height", B(o));
	}), V("pointermove", f, d), vr("pointerleave", f, () => t.onpoint(null)), W(e, f), Ge();
}
yr(["pointermove"]);
// src/view/panels/LaneChip.svelte
var Xl = /* @__PURE__ */ H("<span><!></span>"), Zl = /* @__PURE__ */ H("<span><span class=\"lane svelte-1cu01gx\"> </span><!></span>");
function Ql(e, t) {
	let n = Ii(t, "value", 3, null), r = Ii(t, "dashed", 3, !1);
	var i = Zl();
	let a;
	var o = N(i), s = F(o, !0), c = I(o), l = (e) => {
		var r = Xl();
		let i;
		Qr(N(r), () => t.children), O(r), L(() => i = J(r, 1, "amount svelte-1cu01gx", null, i, {
			plus: n() !== null && n() > 0,
			minus: n() !== null && n() < 0
		})), W(e, r);
	};
	K(c, (e) => {
		t.children && e(l);
	}), O(i), L(() => {
		a = J(i, 1, "chip svelte-1cu01gx", null, a, { dashed: r() }), Y(i, "title", t.title), G(s, t.name);
	}), W(e, i);
}
// src/view/panels/Attention.svelte
var $l = /* @__PURE__ */ H("<h2> </h2> <p class=\"note\">This block has no heads: nothing moves between positions.</p>", 1), eu = /* @__PURE__ */ H("<button><!> <span> </span></button>"), tu = /* @__PURE__ */ H("<p class=\"note readout svelte-1rzciwj\"> </p>"), nu = /* @__PURE__ */ H("<th class=\"svelte-1rzciwj\">head</th>"), ru = /* @__PURE__ */ H("<td class=\"svelte-1rzciwj\"> </td>"), iu = /* @__PURE__ */ H("<span class=\"none svelte-1rzciwj\">0 in every lane</span>"), au = /* @__PURE__ */ H("<span class=\"none svelte-1rzciwj\"> </span>"), ou = /* @__PURE__ */ H("<tr><!><td class=\"svelte-1rzciwj\"><!></td><td class=\"number svelte-1rzciwj\"> </td><td class=\"weight svelte-1rzciwj\"><i class=\"svelte-1rzciwj\"></i> </td><td class=\"svelte-1rzciwj\"><!> <!></td></tr>"), su = /* @__PURE__ */ H("<button class=\"more svelte-1rzciwj\"> </button>"), cu = /* @__PURE__ */ H("<table class=\"svelte-1rzciwj\"><thead><tr><!><th class=\"svelte-1rzciwj\">from</th><th class=\"number svelte-1rzciwj\">score</th><th class=\"svelte-1rzciwj\">weight</th><th class=\"svelte-1rzciwj\"> </th></tr></thead><tbody></tbody></table> <!>", 1), lu = /* @__PURE__ */ H("<p class=\"note\">Together: <!> <!></p>"), uu = /* @__PURE__ */ H("<p class=\"note\" role=\"note\"> </p>"), du = /* @__PURE__ */ H("<!> ", 1), fu = /* @__PURE__ */ H("<p class=\"note\"> <!> </p>"), pu = /* @__PURE__ */ H("<h2> <small> </small></h2> <div class=\"heads svelte-1rzciwj\"></div> <!> <h3>What <!> </h3> <!> <!> <!>", 1), mu = /* @__PURE__ */ H("<section class=\"panel\" aria-label=\"attention\"><!></section>");
function hu(e, t) {
	We(t, !0);
	let n = Ii(t, "view", 7), r = /* @__PURE__ */ k(() => n().run), i = /* @__PURE__ */ k(() => B(r).model.lanes), a = /* @__PURE__ */ k(() => B(r).model.mask === "causal"), o = /* @__PURE__ */ k(() => B(r).stages[n().stage].block), s = /* @__PURE__ */ k(() => B(r).heads[B(o)]), c = /* @__PURE__ */ k(() => B(r).model.blocks[B(o)].attention.heads), l = /* @__PURE__ */ k(() => n().position), u = /* @__PURE__ */ k(() => Wl(B(r), B(o), n().head)), d = /* @__PURE__ */ k(() => n().numbers), f = /* @__PURE__ */ k(() => B(s).length <= 2 ? 150 : B(s).length === 3 ? 112 : 72), p = /* @__PURE__ */ k(() => zc(B(r), n().stage, B(l))), m = /* @__PURE__ */ k(() => {
		let e = B(u).flatMap((e) => Il(B(r), B(o), e, [B(l)])), t = (e) => Number(!Bl(e));
		return e.sort((e, n) => t(e) - t(n) || e.head - n.head || n.weight - e.weight);
	}), h = /* @__PURE__ */ j(!1), g = /* @__PURE__ */ k(() => B(h) ? B(m) : B(m).slice(0, 6)), _ = /* @__PURE__ */ k(() => {
		let e = /* @__PURE__ */ new Map(), t = $(B(s).length).flatMap((e) => Il(B(r), B(o), e, [B(l)]));
		for (let { lane: n } of t.flatMap(zl)) e.set(n, (e.get(n) ?? 0) + 1);
		return e;
	}), v = /* @__PURE__ */ k(() => B(p).filter(({ lane: e }) => B(d).infinity !== null && (B(_).get(e) ?? 0) > 1)), y = /* @__PURE__ */ j(null), b = /* @__PURE__ */ k(() => {
		if (B(y) === null || B(y).reader >= B(r).tokens.length || B(y).head >= B(s).length) return null;
		let { head: e, reader: t, source: n } = B(y), [i, a] = [Q(B(s)[e].weights, t, n), Q(B(s)[e].scores, t, n)];
		return `${`${tc(B(r).tokens, t)} reads ${tc(B(r).tokens, n)}`}: weight ${B(d).exact(i)}, score ${B(d).exact(a)}`;
	}), x = /* @__PURE__ */ k(() => B(u).map((e) => {
		let t = $(B(a) ? B(l) + 1 : B(r).tokens.length), n = t.filter((t) => Q(B(s)[e].weights, B(l), t) === 0);
		return {
			head: e,
			sources: n,
			empty: B(s)[e].empty[B(l)],
			every: n.length === t.length
		};
	}));
	function S(e) {
		return zl(e).sort((e, t) => Math.abs(t.amount) - Math.abs(e.amount));
	}
	function C(e) {
		n().head = n().head === e ? null : e;
	}
	function w(e) {
		return e.kind === "Softmax" && e.shifted ? "Softmax, shifted" : e.kind;
	}
	function T(e, t) {
		let n = t.map((t) => Q(B(s)[e].scores, B(l), t)), [r, i] = [Math.min(...n), Math.max(...n)];
		return r === i ? `score ${B(d).short(r)}` : `scores ${B(d).short(r)} to ${B(d).short(i)}`;
	}
	function ee(e) {
		let { weighting: t } = B(c)[e];
		return t.kind === "Softmax" && t.empty === "uniform" ? "every exponential is 0, so the softmax is empty, and every visible position gets the same weight" : "every exponential is 0, so the softmax is empty: it attends to nothing and adds 0";
	}
	var te = kr(), ne = P(te), re = (e) => {
		var t = mu(), te = N(t), ne = (e) => {
			var t = $l(), n = F(P(t));
			Te(2), L(() => G(n, `Attention, block ${B(o) ?? ""}`)), W(e, t);
		}, re = (e) => {
			var t = pu(), te = P(t), ne = N(te), re = F(I(ne));
			O(te);
			var ie = I(te, 2);
			q(ie, 21, () => B(s), Ur, (e, t, i) => {
				var o = eu();
				let s;
				var d = N(o);
				Yl(d, {
					get head() {
						return B(t);
					},
					get tokens() {
						return B(r).tokens;
					},
					get causal() {
						return B(a);
					},
					get reader() {
						return B(l);
					},
					get size() {
						return B(f);
					},
					label: `weights of head ${i}`,
					onpoint: (e) => M(y, e === null ? null : {
						head: i,
						...e
					}, !0)
				});
				var p = F(I(d, 2));
				O(o), L((e, t) => {
					s = J(o, 1, "head svelte-1rzciwj", null, s, { aside: e }), Y(o, "aria-pressed", n().head === i), G(p, `head ${i} · ${t ?? ""}`);
				}, [() => !B(u).includes(i), () => w(B(c)[i].weighting)]), V("click", o, () => C(i)), W(e, o);
			}), O(ie);
			var ae = I(ie, 2), oe = (e) => {
				var t = tu(), n = F(t, !0);
				L(() => G(n, B(b))), W(e, t);
			};
			K(ae, (e) => {
				B(b) !== null && e(oe);
			});
			var se = I(ae, 2), ce = I(N(se));
			wl(ce, {
				get tokens() {
					return B(r).tokens;
				},
				get position() {
					return B(l);
				}
			});
			var le = I(ce);
			O(se);
			var ue = I(se, 2), de = (e) => {
				var t = cu(), n = P(t), a = N(n), o = N(a), s = N(o), c = (e) => {
					W(e, nu());
				};
				K(s, (e) => {
					B(u).length > 1 && e(c);
				});
				var l = F(I(s, 4), !0);
				O(o), O(a);
				var f = I(a);
				q(f, 21, () => B(g), (e) => `${e.head} ${e.source}`, (e, t) => {
					let n = /* @__PURE__ */ k(() => S(B(t)));
					var a = ou(), o = N(a), s = (e) => {
						var n = ru(), r = F(n, !0);
						L(() => G(r, B(t).head)), W(e, n);
					};
					K(o, (e) => {
						B(u).length > 1 && e(s);
					});
					var c = I(o);
					wl(N(c), {
						get tokens() {
							return B(r).tokens;
						},
						get position() {
							return B(t).source;
						}
					}), O(c);
					var l = I(c), f = F(l, !0), m = I(l), h = N(m);
					let g;
					var v = I(h, 1, !0);
					O(m);
					var y = I(m), b = N(y);
					q(b, 17, () => B(n).slice(0, 4), ({ lane: e, amount: t }) => e, (e, t) => {
						let n = () => B(t).lane, r = () => B(t).amount, a = /* @__PURE__ */ k(() => B(p).find((e) => e.lane === n()));
						var o = kr(), s = P(o), c = (e) => {
							{
								let t = /* @__PURE__ */ k(() => B(d).exact(r()));
								Ql(e, {
									get name() {
										return B(i)[n()];
									},
									get value() {
										return r();
									},
									get title() {
										return B(t);
									},
									children: (e, t) => {
										Te();
										var n = Or();
										L((e) => G(n, e), [() => B(d).signed(r())]), W(e, n);
									},
									$$slots: { default: !0 }
								});
							}
						}, l = (e) => {
							Ql(e, {
								get name() {
									return B(i)[n()];
								},
								children: (e, t) => {
									Te();
									var n = Or();
									L((e) => G(n, e), [() => B(a) === void 0 ? "stays" : `${B(d).short(B(a).before)} → ${B(d).short(B(a).after)}`]), W(e, n);
								},
								$$slots: { default: !0 }
							});
						}, u = /* @__PURE__ */ k(() => B(_).get(n()) === 1), f = (e) => {
							Ql(e, {
								get name() {
									return B(i)[n()];
								},
								get value() {
									return r();
								},
								children: (e, t) => {
									Te();
									var n = Or();
									L(() => G(n, r() > 0 ? "up" : "down")), W(e, n);
								},
								$$slots: { default: !0 }
							});
						};
						K(s, (e) => {
							B(d).infinity === null ? e(c) : B(u) ? e(l, 1) : e(f, -1);
						}), W(e, o);
					}, (e) => {
						W(e, iu());
					});
					var x = I(b, 2), C = (e) => {
						var t = au(), r = F(t);
						L(() => G(r, `+${B(n).length - 4}`)), W(e, t);
					};
					K(x, (e) => {
						B(n).length > 4 && e(C);
					}), O(y), O(a), L((e, t, n, r, i) => {
						Y(l, "title", e), G(f, t), Y(m, "title", n), g = li(h, "", g, { width: r }), G(v, i);
					}, [
						() => B(d).exact(B(t).score),
						() => B(d).short(B(t).score),
						() => B(d).exact(B(t).weight),
						() => `${Math.max(1, Math.min(1, B(t).weight) * 30)}px`,
						() => B(d).short(B(t).weight)
					]), W(e, a);
				}), O(f), O(n);
				var v = I(n, 2), y = (e) => {
					var t = su(), n = F(t, !0);
					L(() => {
						Y(t, "aria-expanded", B(h)), G(n, B(h) ? "fewer" : `${B(m).length - 6} more with smaller weights`);
					}), V("click", t, () => M(h, !B(h))), W(e, t);
				};
				K(v, (e) => {
					B(m).length > 6 && e(y);
				}), L(() => G(l, B(d).infinity === null ? "adds" : "changes")), W(e, t);
			};
			K(ue, (e) => {
				B(m).length > 0 && e(de);
			});
			var fe = I(ue, 2), pe = (e) => {
				var t = lu(), n = I(N(t));
				q(n, 17, () => B(v).slice(0, 8), ({ lane: e, before: t, after: n }) => e, (e, t) => {
					let n = () => B(t).lane, r = () => B(t).before, a = () => B(t).after;
					Ql(e, {
						get name() {
							return B(i)[n()];
						},
						children: (e, t) => {
							Te();
							var n = Or();
							L((e, t) => G(n, `${e ?? ""} → ${t ?? ""}`), [() => B(d).short(r()), () => B(d).short(a())]), W(e, n);
						},
						$$slots: { default: !0 }
					});
				});
				var r = I(n, 2), a = (e) => {
					var t = Or();
					L((e) => G(t, `and ${e ?? ""}`), [() => Zs(B(v).length - 8, "more lane")]), W(e, t);
				};
				K(r, (e) => {
					B(v).length > 8 && e(a);
				}), O(t), W(e, t);
			};
			K(fe, (e) => {
				B(v).length > 0 && e(pe);
			}), q(I(fe, 2), 17, () => B(x), ({ head: e, sources: t, empty: n, every: r }) => e, (e, t) => {
				let n = () => B(t).head, i = () => B(t).sources, a = () => B(t).empty, o = () => B(t).every;
				var s = kr(), c = P(s), l = (e) => {
					var t = uu(), r = F(t);
					L((e, t) => G(r, `${B(u).length > 1 ? `Head ${n()}: ` : ""}${e ?? ""}${t ?? ""}.`), [() => ee(n()), () => o() ? ` (${T(n(), i())})` : ""]), W(e, t);
				}, d = (e) => {
					var t = fu(), a = N(t), o = I(a), s = (e) => {
						var t = Or();
						L((e) => G(t, e), [() => Zs(i().length, "other")]), W(e, t);
					}, c = (e) => {
						var t = kr();
						q(P(t), 16, i, (e) => e, (e, t) => {
							var n = du(), i = P(n);
							wl(i, {
								get tokens() {
									return B(r).tokens;
								},
								get position() {
									return t;
								}
							});
							var a = I(i, 1, !0);
							a.nodeValue = " ", W(e, n);
						}), W(e, t);
					};
					K(o, (e) => {
						i().length > 5 ? e(s) : e(c, -1);
					});
					var l = I(o);
					O(t), L((e) => {
						G(a, `${B(u).length > 1 ? `Head ${n()}: weight` : "Weight"} 0 for `), G(l, ` (${e ?? ""}).`);
					}, [() => T(n(), i())]), W(e, t);
				};
				K(c, (e) => {
					a() ? e(l) : i().length > 0 && e(d, 1);
				}), W(e, s);
			}), L(() => {
				G(ne, `Attention, block ${B(o) ?? ""} `), G(re, `rows read columns${B(s).length > 1 ? " · choose a head" : ""}`), G(le, ` (position ${B(l) ?? ""}) reads${B(u).length === 1 && B(s).length > 1 ? ` through head ${B(u)[0]}` : ""}`);
			}), W(e, t);
		};
		K(te, (e) => {
			!B(r).stages[n().stage].present || B(s).length === 0 ? e(ne) : e(re, -1);
		}), O(t), W(e, t);
	};
	K(ne, (e) => {
		B(r).stages[n().stage].kind === "attention" && e(re);
	}), W(e, te), Ge();
}
yr(["click"]);
// src/view/panels/Memories.svelte
var gu = /* @__PURE__ */ H("<h2> </h2> <p class=\"note\">This block has no feed-forward layer: nothing is recalled.</p>", 1), _u = /* @__PURE__ */ H("<p class=\"note\">None: no key is above its threshold at this position.</p>"), vu = /* @__PURE__ */ H("<div class=\"sides header svelte-18uhnx2\"><span>key: weight × value</span><span></span><span>adds</span></div>"), yu = /* @__PURE__ */ H(" <span class=\"read svelte-18uhnx2\"> </span>", 1), bu = /* @__PURE__ */ H("<span class=\"rest svelte-18uhnx2\"> </span>"), xu = /* @__PURE__ */ H("<span class=\"rest svelte-18uhnx2\">times its gate</span>"), Su = /* @__PURE__ */ H("<span class=\"rest svelte-18uhnx2\">nothing</span>"), Cu = /* @__PURE__ */ H("<button class=\"memory svelte-18uhnx2\"><span class=\"first svelte-18uhnx2\"><b class=\"svelte-18uhnx2\"> </b> <i class=\"svelte-18uhnx2\"></i> <span class=\"number svelte-18uhnx2\"> </span></span> <span class=\"sides svelte-18uhnx2\"><span><!> <!> <!> <!></span> <span class=\"arrow svelte-18uhnx2\" aria-hidden=\"true\">→</span> <span><!> <!></span></span></button>"), wu = /* @__PURE__ */ H("<button class=\"more svelte-18uhnx2\"> </button>"), Tu = /* @__PURE__ */ H("<div class=\"clearing svelte-18uhnx2\"><b> </b> <span class=\"rest svelte-18uhnx2\"> </span> <div><!> <!></div></div>"), Eu = /* @__PURE__ */ H("<h2><span>Memories that fired at <!></span> <small> </small></h2> <!> <!> <!> <!> <!>", 1), Du = /* @__PURE__ */ H("<section class=\"panel\" aria-label=\"feed-forward as a memory\"><!></section>");
function Ou(e, t) {
	We(t, !0);
	let n = Ii(t, "view", 7), r = /* @__PURE__ */ k(() => n().run), i = /* @__PURE__ */ k(() => B(r).model.lanes), a = /* @__PURE__ */ k(() => B(r).stages[n().stage].block), o = /* @__PURE__ */ k(() => B(r).model.blocks[B(a)].feed_forward), s = /* @__PURE__ */ k(() => n().position), c = /* @__PURE__ */ k(() => n().numbers), l = /* @__PURE__ */ k(() => Tc(B(r), B(a), B(s))), u = /* @__PURE__ */ k(() => B(l).filter((e) => e.clears === null)), d = /* @__PURE__ */ k(() => B(l).filter((e) => e.clears !== null)), f = /* @__PURE__ */ k(() => Math.max(...B(u).map((e) => Math.abs(e.activation)))), p = /* @__PURE__ */ j(!1), m = /* @__PURE__ */ k(() => B(p) ? B(u) : B(u).slice(0, 5)), h = /* @__PURE__ */ k(() => B(r).stream[n().stage - 1]), g = /* @__PURE__ */ k(() => B(r).stream[n().stage]);
	function _(e) {
		n().neuron = n().neuron === e ? null : e;
	}
	var v = kr(), y = P(v), b = (e) => {
		var t = Du(), v = N(t), y = (e) => {
			var t = gu(), n = F(P(t));
			Te(2), L(() => G(n, `Feed-forward, block ${B(a) ?? ""}`)), W(e, t);
		}, b = (e) => {
			var t = Eu(), a = P(t), v = N(a);
			wl(I(N(v)), {
				get tokens() {
					return B(r).tokens;
				},
				get position() {
					return B(s);
				}
			}), O(v);
			var y = F(I(v, 2));
			O(a);
			var b = I(a, 2), x = (e) => {
				W(e, _u());
			};
			K(b, (e) => {
				B(l).length === 0 && e(x);
			});
			var S = I(b, 2), C = (e) => {
				W(e, vu());
			};
			K(S, (e) => {
				B(u).length > 0 && e(C);
			});
			var w = I(S, 2);
			q(w, 17, () => B(m), (e) => e.neuron, (e, t) => {
				var r = Cu(), a = N(r), s = N(a), l = F(s, !0), u = I(s, 2);
				let d;
				var p = I(u, 2), m = F(p);
				O(a);
				var h = I(a, 2), g = N(h), v = N(g);
				q(v, 17, () => B(t).key.slice(0, 4), ({ lane: e, weight: t, value: n }) => e, (e, t) => {
					let n = () => B(t).lane, r = () => B(t).weight, a = () => B(t).value;
					{
						let t = /* @__PURE__ */ k(() => B(c).exact(r())), o = /* @__PURE__ */ k(() => B(c).exact(a()));
						Ql(e, {
							get name() {
								return B(i)[n()];
							},
							get value() {
								return r();
							},
							get title() {
								return `${B(t) ?? ""} × ${B(o) ?? ""}`;
							},
							children: (e, t) => {
								Te();
								var n = yu(), i = P(n, !0), o = F(I(i));
								L((e, t) => {
									G(i, e), G(o, `×${t ?? ""}`);
								}, [() => B(c).short(r()), () => B(c).short(a())]), W(e, n);
							},
							$$slots: { default: !0 }
						});
					}
				});
				var y = I(v, 2), b = (e) => {
					var n = bu(), r = F(n);
					L(() => G(r, `+${B(t).key.length - 4}`)), W(e, n);
				};
				K(y, (e) => {
					B(t).key.length > 4 && e(b);
				});
				var x = I(y, 2), S = (e) => {
					{
						let n = /* @__PURE__ */ k(() => B(c).exact(B(t).bias));
						Ql(e, {
							name: "bias",
							dashed: !0,
							get value() {
								return B(t).bias;
							},
							get title() {
								return B(n);
							},
							children: (e, n) => {
								Te();
								var r = Or();
								L((e) => G(r, e), [() => B(c).signed(B(t).bias)]), W(e, r);
							},
							$$slots: { default: !0 }
						});
					}
				};
				K(x, (e) => {
					B(t).bias !== 0 && e(S);
				});
				var C = I(x, 2), w = (e) => {
					W(e, xu());
				};
				K(C, (e) => {
					B(o).W_3 !== null && e(w);
				}), O(g);
				var T = I(g, 4), ee = N(T);
				q(ee, 17, () => B(t).adds.slice(0, 4), ({ lane: e, amount: t }) => e, (e, t) => {
					let n = () => B(t).lane, r = () => B(t).amount;
					{
						let t = /* @__PURE__ */ k(() => B(c).exact(r()));
						Ql(e, {
							get name() {
								return B(i)[n()];
							},
							get value() {
								return r();
							},
							get title() {
								return B(t);
							},
							children: (e, t) => {
								Te();
								var n = Or();
								L((e) => G(n, e), [() => B(c).signed(r())]), W(e, n);
							},
							$$slots: { default: !0 }
						});
					}
				}, (e) => {
					W(e, Su());
				});
				var te = I(ee, 2), ne = (e) => {
					var n = bu(), r = F(n);
					L(() => G(r, `+${B(t).adds.length - 4}`)), W(e, n);
				};
				K(te, (e) => {
					B(t).adds.length > 4 && e(ne);
				}), O(T), O(h), O(r), L((e, i, a) => {
					Y(r, "aria-pressed", n().neuron === B(t).neuron), G(l, B(t).name), d = li(u, "", d, { width: e }), Y(p, "title", i), G(m, `activation ${a ?? ""}`);
				}, [
					() => `${Math.max(2, Math.abs(B(t).activation) / B(f) * 90)}px`,
					() => B(c).exact(B(t).activation),
					() => B(c).short(B(t).activation)
				]), V("click", r, () => _(B(t).neuron)), W(e, r);
			});
			var T = I(w, 2), ee = (e) => {
				var t = wu(), n = F(t, !0);
				L(() => {
					Y(t, "aria-expanded", B(p)), G(n, B(p) ? "fewer" : `${B(u).length - 5} more fired, weaker`);
				}), V("click", t, () => M(p, !B(p))), W(e, t);
			};
			K(T, (e) => {
				B(u).length > 5 && e(ee);
			});
			var te = I(T, 2), ne = (e) => {
				var t = Tu(), n = N(t), r = F(n, !0), a = I(n, 2), o = F(a), l = I(a, 2), u = N(l);
				q(u, 17, () => B(d).slice(0, 12), ({ neuron: e, clears: t }) => e, (e, t) => {
					let n = () => B(t).clears;
					Ql(e, {
						get name() {
							return B(i)[n()];
						},
						children: (e, t) => {
							Te();
							var r = Or();
							L((e, t) => G(r, `${e ?? ""} → ${t ?? ""}`), [() => B(c).short(Q(B(h), B(s), n())), () => B(c).short(Q(B(g), B(s), n()))]), W(e, r);
						},
						$$slots: { default: !0 }
					});
				});
				var f = I(u, 2), p = (e) => {
					var t = bu(), n = F(t);
					L(() => G(n, `+${B(d).length - 12}`)), W(e, t);
				};
				K(f, (e) => {
					B(d).length > 12 && e(p);
				}), O(l), O(t), L((e) => {
					G(r, e), G(o, `${B(d).length === 1 ? "it takes" : "each takes"} away the lane it reads`);
				}, [() => Zs(B(d).length, "neuron clears", "neurons clear")]), W(e, t);
			};
			K(te, (e) => {
				B(d).length > 0 && e(ne);
			}), L((e) => G(y, `${B(l).length ?? ""} of ${e ?? ""} · ${B(o).activation ?? ""}`), [() => Zs(B(o).W_1.rows, "neuron")]), W(e, t);
		};
		K(v, (e) => {
			B(o) === null ? e(y) : e(b, -1);
		}), O(t), W(e, t);
	};
	K(y, (e) => {
		B(r).stages[n().stage].kind === "feed-forward" && e(b);
	}), W(e, v), Ge();
}
yr(["click"]);
// src/view/facts/matrices.ts
function ku(e) {
	return [
		...Au(e),
		...e.blocks.flatMap((t, n) => [
			...Iu(e, t.attention_norm, `block ${n}`, "attention norm"),
			...t.attention === null ? [] : Nu(e, t.attention, n),
			...Iu(e, t.feed_forward_norm, `block ${n}`, "feed-forward norm"),
			...t.feed_forward === null ? [] : Fu(e, t.feed_forward, n)
		]),
		...Iu(e, e.final_norm, "end", "final norm"),
		Lu("end", "output", "a class reads lanes", e.classes, e.lanes, () => e.output, e.output_bias)
	];
}
function Au(e) {
	let t = e.vocabulary.map($s), n = Lu("start", "embedding", e.tied ? "a token writes lanes; transposed it is the output" : "a token writes lanes", t, e.lanes, () => e.embedding), r = e.added_positions;
	if (r === null) return [n];
	let i = r.kind === "Table" ? r.values.rows : Math.min(r.max_length, ju);
	return [n, Lu("start", "positions", "a position writes lanes", Hu("", i), e.lanes, () => r.kind === "Table" ? r.values : Mu(e, i))];
}
var ju = 64;
function Mu(e, t) {
	let n = $(t).flatMap((t) => Array.from(wc(e, t)));
	return {
		rows: t,
		columns: e.lanes.length,
		values: Float64Array.from(n)
	};
}
function Nu(e, t, n) {
	let r = t.heads.flatMap((t, r) => Pu(e, t, `block ${n} head ${r}`)), i = t.b_O, a = () => ({
		rows: e.lanes.length,
		columns: 1,
		values: i
	});
	return i === null ? r : [...r, Lu(`block ${n}`, "b_O", "what attention adds besides its heads", e.lanes, ["b_O"], a)];
}
function Pu(e, t, n) {
	let { lanes: r } = e, [i, a] = [t.W_Q.rows, t.W_V.rows], o = [
		Lu(n, "W_Q", "a coordinate of the query reads lanes", Hu("q", i), r, () => t.W_Q, t.b_Q),
		Lu(n, "W_K", "a coordinate of the key reads lanes", Hu("k", i), r, () => t.W_K, t.b_K),
		Lu(n, "W_V", "a coordinate of the value reads lanes", Hu("v", a), r, () => t.W_V, t.b_V),
		Lu(n, "W_O", "a lane is written from the value", r, Hu("v", a), () => t.W_O),
		Ru(n, "W_Qᵀ W_K", "a lane at the reader meets a lane at the source", r, () => Vu(Bu(t.W_Q), t.W_K)),
		Ru(n, "W_O W_V", "a lane at the reader is written from a lane at the source", r, () => Vu(t.W_O, t.W_V))
	], s = t.positions;
	if (s?.kind !== "Relative") return o;
	let c = Hu("distance ", s.keys.rows);
	return o.push(Lu(n, "keys by distance", "a distance adds to the key", c, Hu("k", i), () => s.keys)), o;
}
function Fu(e, t, n) {
	let r = $(t.W_1.rows).map((e) => Ec(t, e)), i = `block ${n} feed-forward`, a = [Lu(i, "W_1", "a neuron's key reads lanes", r, e.lanes, () => t.W_1, t.b_1), Lu(i, "W_2", "a lane is written by neurons", e.lanes, r, () => t.W_2, t.b_2)];
	if (t.W_3 === null) return a;
	let o = t.W_3;
	return [...a, Lu(i, "W_3", "a neuron's gate reads lanes", r, e.lanes, () => o, t.b_3)];
}
function Iu(e, t, n, r) {
	if (t === null || t.gain === null && t.bias === null) return [];
	let i = t.lanes ?? e.lanes, a = [t.gain, t.bias].filter((e) => e !== null);
	return [Lu(n, r, "times the gain, plus the bias", [t.gain === null ? "" : "gain", t.bias === null ? "" : "bias"].filter(Boolean), i, () => ({
		rows: a.length,
		columns: i.length,
		values: Float64Array.from(a.flatMap((e) => Array.from(e)))
	}))];
}
function Lu(e, t, n, r, i, a, o = null) {
	let s = o !== null && o.some((e) => e !== 0);
	return {
		id: e === "start" || e === "end" ? t : `${e} ${t}`,
		group: e,
		title: t,
		reading: n,
		rows: r,
		columns: s ? [...i, "bias"] : i,
		exact: !0,
		values: s ? () => zu(a(), o) : a
	};
}
function Ru(e, t, n, r, i) {
	return {
		...Lu(e, t, n, r, r, i),
		exact: !1
	};
}
function zu(e, t) {
	let n = e.columns + 1, r = new Float64Array(e.rows * n);
	for (let i = 0; i < e.rows; i++) r.set(e.values.subarray(i * e.columns, (i + 1) * e.columns), i * n), r[i * n + e.columns] = t[i];
	return {
		rows: e.rows,
		columns: n,
		values: r
	};
}
function Bu(e) {
	let t = $(e.columns).flatMap((t) => $(e.rows).map((n) => Q(e, n, t)));
	return {
		rows: e.columns,
		columns: e.rows,
		values: Float64Array.from(t)
	};
}
function Vu(e, t) {
	let n = new Float64Array(e.rows * t.columns);
	for (let r = 0; r < e.rows; r++) for (let i = 0; i < e.columns; i++) {
		let a = Q(e, r, i);
		if (a !== 0) for (let e = 0; e < t.columns; e++) n[r * t.columns + e] += a * Q(t, i, e);
	}
	return {
		rows: e.rows,
		columns: t.columns,
		values: n
	};
}
function Hu(e, t) {
	return $(t).map((t) => `${e}${t}`);
}
function Uu(e) {
	let [t, n] = [/* @__PURE__ */ new Set(), /* @__PURE__ */ new Set()];
	e.values.forEach((r, i) => {
		r !== 0 && (t.add(Math.floor(i / e.columns)), n.add(i % e.columns));
	});
	let r = (e) => [...e].sort((e, t) => e - t);
	return {
		rows: r(t),
		columns: r(n)
	};
}
// src/view/facts/scale.ts
var Wu = {
	light: {
		surface: "#ffffff",
		plus: [
			"#dcebf7",
			"#9dc6e6",
			"#4a8fc7",
			"#0f5a99"
		],
		minus: [
			"#fde7d3",
			"#f5be8e",
			"#dd7f2f",
			"#a54c06"
		],
		infinity: "#05294d",
		minusInfinity: "#552300"
	},
	dark: {
		surface: "#161a20",
		plus: [
			"#1a3049",
			"#22547f",
			"#3a86c8",
			"#7fbcf0"
		],
		minus: [
			"#3b2916",
			"#7a4719",
			"#c9772a",
			"#f3b377"
		],
		infinity: "#dceeff",
		minusInfinity: "#ffe6cc"
	}
}, Gu = [
	.12,
	.4,
	.7,
	1
];
function Ku(...e) {
	let t = e.filter((e) => e !== null), n = t.map((e) => Cs(e.model)), r = t.map((e, t) => n[t] ?? qu(e));
	return {
		top: Math.max(...r),
		infinity: n[0] ?? null
	};
}
function qu(e) {
	let t = e.stream.map((e) => e.values.reduce((e, t) => Math.max(e, Math.abs(t)), 0));
	return Math.max(...t) || 1;
}
function Ju(e, t) {
	return {
		top: e || 1,
		infinity: t
	};
}
function Yu(e, t) {
	return Math.min(1, Math.log1p(4 * Math.abs(e)) / Math.log1p(4 * t.top));
}
function Xu(e, t, n) {
	if (e === 0) return null;
	let r = Wu[n];
	if (Math.abs(e) === t.infinity) return e > 0 ? r.infinity : r.minusInfinity;
	let i = e > 0 ? r.plus : r.minus, a = Yu(e, t), o = Gu.findIndex((e) => a <= e);
	if (o === 0) return td(r.surface, i[0], .5 + .5 * (a / Gu[0]));
	let [s, c] = [Gu[o - 1], Gu[o]];
	return td(i[o - 1], i[o], (a - s) / (c - s));
}
function Zu(e) {
	for (let t of ["#14171b", "#ffffff"]) if (Qu(t, e) >= 4.5) return t;
	return "#000000";
}
function Qu(e, t) {
	let [n, r] = [$u(e), $u(t)].sort((e, t) => e - t);
	return (r + .05) / (n + .05);
}
function $u(e) {
	let [t, n, r] = ed(e).map((e) => {
		let t = e / 255;
		return t <= .03928 ? t / 12.92 : ((t + .055) / 1.055) ** 2.4;
	});
	return .2126 * t + .7152 * n + .0722 * r;
}
function ed(e) {
	return [
		1,
		3,
		5
	].map((t) => parseInt(e.slice(t, t + 2), 16));
}
function td(e, t, n) {
	let r = ed(t);
	return `#${ed(e).map((e, t) => Math.round(e + (r[t] - e) * n)).map((e) => e.toString(16).padStart(2, "0")).join("")}`;
}
// src/view/panels/MatrixOverview.svelte
var nd = /* @__PURE__ */ H("<div class=\"overview svelte-lm03zr\" role=\"grid\" tabindex=\"0\"><canvas class=\"svelte-lm03zr\"></canvas> <span class=\"frame svelte-lm03zr\"></span></div>");
function rd(e, t) {
	We(t, !0);
	let [n, r] = [720, 420], i, a = /* @__PURE__ */ k(() => Math.min(8, n / t.matrix.columns, r / t.matrix.rows));
	_n(() => {
		let e = i.getContext("2d"), n = e.createImageData(t.matrix.columns, t.matrix.rows), r = /* @__PURE__ */ new Map(), a = new DataView(n.data.buffer);
		t.matrix.values.forEach((e, n) => {
			if (e === 0) return;
			let i = r.get(e) ?? parseInt(`${Xu(e, t.scale, t.theme).slice(1)}ff`, 16);
			r.set(e, i), a.setUint32(4 * n, i);
		}), e.putImageData(n, 0, 0);
	});
	function o(e) {
		if (e.type === "pointermove" && e.buttons === 0) return;
		let n = i.getBoundingClientRect(), r = (e, t) => Math.max(0, Math.min(t - 1, Math.floor(e * t))), a = r((e.clientY - n.top) / n.height, t.matrix.rows);
		t.onat({
			row: a,
			column: r((e.clientX - n.left) / n.width, t.matrix.columns)
		});
	}
	let s = {
		ArrowUp: [-1, 0],
		ArrowDown: [1, 0],
		ArrowLeft: [0, -1],
		ArrowRight: [0, 1]
	};
	function c(e) {
		let n = s[e.key];
		if (n === void 0) return;
		e.preventDefault(), e.stopPropagation();
		let r = (e, t) => Math.max(0, Math.min(t - 1, e)), i = r(t.frame.row + Math.floor(t.frame.rows / 2) + n[0] * t.frame.rows, t.matrix.rows);
		t.onat({
			row: i,
			column: r(t.frame.column + Math.floor(t.frame.columns / 2) + n[1] * t.frame.columns, t.matrix.columns)
		});
	}
	var l = nd();
	let u;
	var d = N(l);
	Ni(d, (e) => i = e, () => i);
	var f = I(d, 2);
	let p;
	O(l), L(() => {
		Y(l, "aria-label", `${t.label ?? ""}, overview: arrow keys move the part that is shown in full`), u = li(l, "", u, {
			width: `${t.matrix.columns * B(a)}px`,
			"aspect-ratio": `${t.matrix.columns ?? ""} / ${t.matrix.rows ?? ""}`
		}), Y(d, "width", t.matrix.columns), Y(d, "height", t.matrix.rows), p = li(f, "", p, {
			left: `${t.frame.column / t.matrix.columns * 100}%`,
			top: `${t.frame.row / t.matrix.rows * 100}%`,
			width: `${t.frame.columns / t.matrix.columns * 100}%`,
			height: `${t.frame.rows / t.matrix.rows * 100}%`
		});
	}), V("pointerdown", l, o), V("pointermove", l, o), V("keydown", l, c), W(e, l), Ge();
}
yr([
	"pointerdown",
	"pointermove",
	"keydown"
]);
// src/view/panels/MatrixTable.svelte
var id = /* @__PURE__ */ H("<th scope=\"col\"><span class=\"svelte-f5ma80\"> </span></th>"), ad = /* @__PURE__ */ H("<td role=\"gridcell\"> </td>"), od = /* @__PURE__ */ H("<tr><th scope=\"row\"> </th><!></tr>"), sd = /* @__PURE__ */ H("<div class=\"scroll svelte-f5ma80\" data-unrolled=\"\"><table role=\"grid\" class=\"svelte-f5ma80\"><thead class=\"svelte-f5ma80\"><tr><td class=\"svelte-f5ma80\"></td><!></tr></thead><tbody class=\"svelte-f5ma80\"></tbody></table></div>");
function cd(e, t) {
	We(t, !0);
	let n, r = /* @__PURE__ */ k(() => t.at !== null && t.rows.includes(t.at.row) && t.columns.includes(t.at.column)), i = /* @__PURE__ */ k(() => B(r) ? t.at : {
		row: t.rows[0],
		column: t.columns[0]
	}), a = {
		ArrowUp: [-1, 0],
		ArrowDown: [1, 0],
		ArrowLeft: [0, -1],
		ArrowRight: [0, 1],
		Home: [0, -Infinity],
		End: [0, Infinity],
		PageUp: [-Infinity, 0],
		PageDown: [Infinity, 0]
	};
	function o(e, r, i) {
		let o = a[e.key];
		if (o === void 0) return;
		e.preventDefault(), e.stopPropagation();
		let s = (e, t, n) => e[Math.max(0, Math.min(e.length - 1, e.indexOf(t) + n))], c = {
			row: s(t.rows, r, o[0]),
			column: s(t.columns, i, o[1])
		};
		t.onat(c), n.querySelector(`[data-place="${c.row} ${c.column}"]`)?.focus();
	}
	function s(e, n) {
		return `${t.rowNames[e]}, ${t.columnNames[n]}: ${t.numbers.exact(Q(t.matrix, e, n))}`;
	}
	var c = sd(), l = N(c), u = N(l), d = N(u);
	q(I(N(d)), 16, () => t.columns, (e) => e, (e, n) => {
		var i = id();
		let a;
		var o = F(N(i), !0);
		O(i), L(() => {
			Y(i, "title", t.columnNames[n]), a = J(i, 1, "svelte-f5ma80", null, a, { chosen: B(r) && n === t.at?.column }), G(o, t.columnNames[n]);
		}), W(e, i);
	}), O(d), O(u);
	var f = I(u);
	q(f, 20, () => t.rows, (e) => e, (e, n) => {
		var a = od(), c = N(a);
		let l;
		var u = F(c, !0);
		q(I(c), 16, () => t.columns, (e) => e, (e, r) => {
			let a = /* @__PURE__ */ k(() => Q(t.matrix, n, r)), c = /* @__PURE__ */ k(() => Xu(B(a), t.scale, t.theme));
			var l = ad();
			let u, d;
			var f = F(l, !0);
			L((e, t, a, o) => {
				Y(l, "data-place", `${n ?? ""} ${r ?? ""}`), Y(l, "tabindex", n === B(i).row && r === B(i).column ? 0 : -1), Y(l, "aria-label", e), u = J(l, 1, "svelte-f5ma80", null, u, {
					zero: B(c) === null,
					infinite: t
				}), d = li(l, "", d, {
					"background-color": B(c),
					color: a
				}), G(f, o);
			}, [
				() => s(n, r),
				() => t.numbers.isInfinite(B(a)),
				() => B(c) === null ? null : Zu(B(c)),
				() => B(c) === null ? "·" : t.numbers.short(B(a))
			]), V("keydown", l, (e) => o(e, n, r)), vr("focus", l, () => t.onat({
				row: n,
				column: r
			})), vr("pointerenter", l, () => t.onat({
				row: n,
				column: r
			})), W(e, l);
		}), O(a), L(() => {
			Y(c, "title", t.rowNames[n]), l = J(c, 1, "svelte-f5ma80", null, l, { chosen: B(r) && n === t.at?.row }), G(u, t.rowNames[n]);
		}), W(e, a);
	}), O(f), O(l), Ni(l, (e) => n = e, () => n), O(c), L(() => Y(l, "aria-label", t.label)), W(e, c), Ge();
}
yr(["keydown"]);
// src/view/panels/picture.ts
function ld(e) {
	let t = ud(e);
	try {
		let t = e.getBoundingClientRect(), n = new pd(t.left, t.top);
		n.element(e);
		let [r, i] = [Math.ceil(t.width), Math.ceil(t.height)];
		return {
			text: `<svg xmlns="http://www.w3.org/2000/svg" ${`width="${r}" height="${i}" viewBox="0 0 ${r} ${i}"`}>\n${n.parts.join("\n")}\n</svg>\n`,
			width: r,
			height: i
		};
	} finally {
		t();
	}
}
function ud(e) {
	let t = [], n = (e, n, r) => {
		let i = e.style.getPropertyValue(n);
		t.push(() => e.style.setProperty(n, i)), e.style.setProperty(n, r);
	};
	for (let t of e.querySelectorAll("[data-unsaved]")) n(t, "display", "none");
	let r = [...e.querySelectorAll("[data-unrolled]")], i = Math.max(0, ...r.map((e) => e.scrollWidth - e.clientWidth));
	i > 0 && n(e, "width", `${e.getBoundingClientRect().width + i}px`), i > 0 && n(e, "max-width", "none");
	for (let e of r) n(e, "max-height", "none");
	for (let e of r) n(e, "overflow", "visible");
	return () => t.forEach((e) => e());
}
async function dd(e, t = 2) {
	let n = new Image();
	n.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(e.text)}`, await n.decode();
	let r = document.createElement("canvas");
	return [r.width, r.height] = [e.width * t, e.height * t], r.getContext("2d").drawImage(n, 0, 0, r.width, r.height), new Promise((e, t) => {
		r.toBlob((n) => n === null ? t(/* @__PURE__ */ Error("the picture is too large")) : e(n), "image/png");
	});
}
function fd(e, t) {
	let n = document.createElement("a");
	n.href = URL.createObjectURL(e), n.download = t, n.click(), setTimeout(() => URL.revokeObjectURL(n.href), 1e4);
}
var pd = class {
	left;
	top;
	parts = [];
	clips = 0;
	constructor(e, t) {
		this.left = e, this.top = t;
	}
	element(e) {
		let t = getComputedStyle(e);
		if (md(e, t)) return;
		let n = this.placed(e.getBoundingClientRect()), r = Number(t.opacity);
		if (r < 1 && this.parts.push(`<g opacity="${r}">`), e instanceof SVGSVGElement) this.inlineSvg(e);
		else {
			this.box(n, t);
			let r = t.overflowX === "visible" ? null : `clip${++this.clips}`;
			r !== null && this.parts.push(`<clipPath id="${r}">${Od(n, "")}</clipPath>`, `<g clip-path="url(#${r})">`), this.content(e, t, n), r !== null && this.parts.push("</g>");
		}
		r < 1 && this.parts.push("</g>");
	}
	content(e, t, n) {
		if (e instanceof HTMLCanvasElement) this.canvas(e, n);
		else if (e instanceof HTMLSelectElement) this.field(e.selectedOptions[0]?.text ?? "", t, n);
		else if (e instanceof HTMLInputElement) this.input(e, t, n);
		else for (let n of hd(e)) n instanceof Element ? this.element(n) : n instanceof Text && this.text(n, t);
	}
	placed(e) {
		return {
			x: e.left - this.left,
			y: e.top - this.top,
			width: e.width,
			height: e.height
		};
	}
	box(e, t) {
		let n = Math.min(parseFloat(t.borderTopLeftRadius) || 0, e.height / 2), r = n > 0 ? ` rx="${n}"` : "", i = Cd(t.boxShadow);
		i !== null && this.parts.push(wd(i.inset ? Td(e, i.spread) : Ed(e, i.spread), i)), kd(t.backgroundColor) && this.parts.push(Od(e, `${r} ${jd(t.backgroundColor)}`)), this.borders(e, t, r);
	}
	borders(e, t, n) {
		let r = [
			"Top",
			"Right",
			"Bottom",
			"Left"
		].map((e) => ({
			width: t[`border${e}Style`] === "none" ? 0 : parseFloat(t[`border${e}Width`]),
			colour: t[`border${e}Color`],
			dashed: t[`border${e}Style`] === "dashed"
		})), i = r.map((e) => e.width > 0 && kd(e.colour));
		if (r.every((e) => e.width === r[0].width && e.colour === r[0].colour) && i[0]) {
			let { width: t, colour: i, dashed: a } = r[0], o = a ? " stroke-dasharray=\"3 3\"" : "";
			this.parts.push(Od(Td(e, t), `${n} fill="none" ${Md(i, t)}${o}`));
			return;
		}
		let { x: a, y: o, width: s, height: c } = e, [l, u, d, f] = r.map((e) => e.width / 2);
		[
			[
				a,
				o + l,
				a + s,
				o + l
			],
			[
				a + s - u,
				o,
				a + s - u,
				o + c
			],
			[
				a,
				o + c - d,
				a + s,
				o + c - d
			],
			[
				a + f,
				o,
				a + f,
				o + c
			]
		].forEach(([e, t, n, a], o) => {
			i[o] && this.parts.push(`<line x1="${e}" y1="${t}" x2="${n}" y2="${a}" ${Md(r[o].colour, r[o].width)}/>`);
		});
	}
	text(e, t) {
		let n = e.parentElement, r = t.textOverflow === "ellipsis" && n.scrollWidth > n.clientWidth ? n.getBoundingClientRect().right - parseFloat(t.fontSize) : Infinity;
		for (let n of bd(e, r)) this.line(n.text, this.placed(n.box), t);
	}
	line(e, t, n) {
		let r = parseFloat(n.fontSize), { ascent: i, descent: a } = Sd(n), o = t.y + (t.height - i - a) / 2 + i, s = n.textTransform === "uppercase" ? e.toUpperCase() : e, c = s.length > 1 && !s.endsWith("…") ? ` textLength="${Pd(t.width)}" lengthAdjust="spacingAndGlyphs"` : "", l = `${Nd(n)} font-size="${r}" ${jd(n.color)}${c} xml:space="preserve"`;
		if (this.parts.push(`<text x="${Pd(t.x)}" y="${Pd(o)}" ${l}>${Fd(s)}</text>`), !n.textDecorationLine.includes("underline")) return;
		let u = o + 3;
		this.parts.push(`<line x1="${t.x}" y1="${u}" x2="${t.x + t.width}" y2="${u}" ${Md(n.textDecorationColor, 1)}/>`);
	}
	field(e, t, n) {
		let { ascent: r, descent: i } = Sd(t), [a, o] = [n.x + (parseFloat(t.paddingLeft) || 0) + 4, n.y + (n.height + r - i) / 2], s = `${Nd(t)} font-size="${parseFloat(t.fontSize)}" ${jd(t.color)}`;
		this.parts.push(`<text x="${Pd(a)}" y="${Pd(o)}" ${s} xml:space="preserve">${Fd(e)}</text>`);
	}
	input(e, t, n) {
		if (e.type === "checkbox" || e.type === "radio") {
			let r = Td(n, 1), i = e.checked ? jd(t.color) : "fill=\"none\"";
			this.parts.push(Od(r, `rx="${e.type === "radio" ? r.width / 2 : 2}" ${i} ${Md(t.color, 1)}`));
		} else e.type !== "range" && this.field(e.value, t, n);
	}
	canvas(e, t) {
		if (e.width === 0 || e.height === 0) return;
		let n = `x="${t.x}" y="${t.y}" width="${t.width}" height="${t.height}"`;
		this.parts.push(`<image ${n} preserveAspectRatio="none" image-rendering="pixelated" href="${e.toDataURL()}"/>`);
	}
	inlineSvg(e) {
		let t = e.getScreenCTM(), n = e.getBoundingClientRect(), [r, i, a] = t === null ? [
			1,
			n.left,
			n.top
		] : [
			t.a,
			t.e,
			t.f
		];
		this.parts.push(`<g transform="translate(${Pd(i - this.left)} ${Pd(a - this.top)}) scale(${r})">`);
		let o = vd(e), s = new XMLSerializer().serializeToString(o);
		this.parts.push(s.slice(s.indexOf(">") + 1, s.lastIndexOf("</")), "</g>");
	}
};
function md(e, t) {
	let n = t.display === "none" || t.visibility === "hidden" || t.opacity === "0", r = e.classList.contains("spoken");
	return n || r || e.hasAttribute("data-unsaved") || e.tagName === "OPTION";
}
function hd(e) {
	let t = (e) => {
		if (!(e instanceof Element)) return 0;
		let t = getComputedStyle(e);
		return t.position === "static" ? 0 : 1 + (parseInt(t.zIndex) || 0);
	};
	return [...e.childNodes].sort((e, n) => t(e) - t(n));
}
var gd = [
	"fill",
	"fill-opacity",
	"stroke",
	"stroke-width",
	"stroke-opacity",
	"stroke-dasharray",
	"stroke-linecap",
	"stroke-linejoin",
	"opacity",
	"font-family",
	"font-size",
	"font-weight",
	"font-style",
	"text-anchor",
	"dominant-baseline"
], _d = {
	"fill-opacity": "1",
	"stroke-opacity": "1",
	stroke: "none",
	"stroke-dasharray": "none",
	"stroke-linecap": "butt",
	"stroke-linejoin": "miter",
	opacity: "1",
	"font-style": "normal",
	"text-anchor": "start",
	"dominant-baseline": "auto"
};
function vd(e) {
	let t = e.cloneNode(!1), n = getComputedStyle(e);
	for (let n of [
		"class",
		"style",
		"tabindex",
		"role",
		...e.getAttributeNames().filter(yd)
	]) t.removeAttribute(n);
	let r = e instanceof SVGTextContentElement;
	for (let e of gd) {
		let i = n.getPropertyValue(e);
		i !== _d[e] && (r || !e.startsWith("font-")) && t.setAttribute(e, i.replaceAll("\"", "'"));
	}
	for (let n of e.childNodes) n instanceof Element && md(n, getComputedStyle(n)) || (n instanceof Element ? t.append(vd(n)) : n instanceof Text && t.append(n.cloneNode()));
	return t;
}
var yd = (e) => e.startsWith("data-") || e.startsWith("aria-");
function bd(e, t) {
	if (e.data.trim() === "") return [];
	let n = document.createRange(), r = [];
	for (let i = 0; i < e.data.length; i++) {
		n.setStart(e, i), n.setEnd(e, i + 1);
		let a = n.getClientRects()[0];
		if (a === void 0 || a.width === 0) continue;
		let o = r.at(-1);
		if (a.right > t) {
			o !== void 0 && (o.text += "…");
			break;
		}
		o !== void 0 && Math.abs(o.box.top - a.top) < a.height / 2 ? (o.text += e.data[i], o.box = new DOMRect(o.box.left, o.box.top, a.right - o.box.left, o.box.height)) : r.push({
			text: e.data[i],
			box: a
		});
	}
	return r.map(({ text: e, box: t }) => ({
		text: e.replaceAll("\n", " "),
		box: t
	}));
}
var xd = /* @__PURE__ */ new Map();
function Sd(e) {
	let t = `${e.fontStyle} ${e.fontWeight} ${e.fontSize} ${e.fontFamily}`, n = xd.get(t);
	if (n !== void 0) return n;
	let r = document.createElement("canvas").getContext("2d");
	r.font = t;
	let { fontBoundingBoxAscent: i, fontBoundingBoxDescent: a } = r.measureText("x"), o = {
		ascent: i,
		descent: a
	};
	return xd.set(t, o), o;
}
function Cd(e) {
	let t = /^(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px( inset)?$/.exec(e);
	return t === null ? null : {
		colour: t[1],
		spread: Number(t[2]),
		inset: t[3] !== void 0
	};
}
function wd(e, t) {
	return Od(e, `fill="none" ${Md(t.colour, t.spread)}`);
}
var Td = (e, t) => Dd(e, t / 2), Ed = (e, t) => Dd(e, -t / 2), Dd = ({ x: e, y: t, width: n, height: r }, i) => ({
	x: e + i,
	y: t + i,
	width: Math.max(0, n - 2 * i),
	height: Math.max(0, r - 2 * i)
});
function Od({ x: e, y: t, width: n, height: r }, i) {
	return `<rect x="${Pd(e)}" y="${Pd(t)}" width="${Pd(n)}" height="${Pd(r)}" ${i}/>`;
}
var kd = (e) => e !== "transparent" && !/^rgba\(.*, 0\)$/.test(e);
function Ad(e, t) {
	let n = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(t);
	return n === null ? `${e}="${t}"` : `${e}="rgb(${n[1]}, ${n[2]}, ${n[3]})" ${e}-opacity="${n[4]}"`;
}
var jd = (e) => Ad("fill", e), Md = (e, t) => `${Ad("stroke", e)} stroke-width="${t}"`;
function Nd(e) {
	let t = e.fontStyle === "normal" ? "" : ` font-style="${e.fontStyle}"`;
	return `font-family="${e.fontFamily.replaceAll("\"", "'")}" font-weight="${e.fontWeight}"${t}`;
}
var Pd = (e) => Math.round(e * 100) / 100;
function Fd(e) {
	return e.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
// src/view/panels/Save.svelte
var Id = /* @__PURE__ */ H("<span role=\"alert\"> </span>"), Ld = /* @__PURE__ */ H("<span class=\"save svelte-13u25vk\" data-unsaved=\"\"><button class=\"plain svelte-13u25vk\">SVG</button> <button class=\"plain svelte-13u25vk\">PNG</button> <!></span>");
function Rd(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ j("");
	async function r(e) {
		let r = t.target();
		if (r !== null) {
			M(n, "");
			try {
				let n = ld(r);
				fd(e === "svg" ? new Blob([n.text], { type: "image/svg+xml" }) : await dd(n), `${t.name.replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.${e}`);
			} catch (e) {
				M(n, `The picture could not be made: ${e instanceof Error ? e.message : String(e)}`);
			}
		}
	}
	var i = Ld(), a = N(i), o = I(a, 2), s = I(o, 2), c = (e) => {
		var t = Id(), r = F(t, !0);
		L(() => G(r, B(n))), W(e, t);
	};
	K(s, (e) => {
		B(n) && e(c);
	}), O(i), L(() => {
		Y(a, "aria-label", `save ${t.name ?? ""} as SVG`), Y(o, "aria-label", `save ${t.name ?? ""} as PNG`);
	}), V("click", a, () => r("svg")), V("click", o, () => r("png")), W(e, i), Ge();
}
yr(["click"]);
// src/view/panels/Weights.svelte
var zd = /* @__PURE__ */ H("<option> </option>"), Bd = /* @__PURE__ */ H("<optgroup></optgroup>"), Vd = /* @__PURE__ */ H("<label class=\"svelte-1m7dcqy\"><input type=\"checkbox\"/> leave out rows and columns of zeros</label>"), Hd = /* @__PURE__ */ H("<p class=\"note\">Every weight is 0.</p>"), Ud = /* @__PURE__ */ H("<p class=\"note\"> </p>"), Wd = /* @__PURE__ */ H("<section class=\"panel\" aria-label=\"weights\"><h2><span> </span> <small> </small></h2> <div class=\"controls svelte-1m7dcqy\" data-unsaved=\"\"><label class=\"svelte-1m7dcqy\">matrix <select class=\"svelte-1m7dcqy\"></select></label> <!> <!></div> <p class=\"readout svelte-1m7dcqy\" aria-live=\"polite\"> </p> <!> <!> <!> <!></section>");
function Gd(e, t) {
	We(t, !0);
	let [n, r] = [24, 16], i, a = /* @__PURE__ */ k(() => t.view.run.model), o = /* @__PURE__ */ k(() => t.view.numbers), s = /* @__PURE__ */ k(() => ku(B(a))), c = /* @__PURE__ */ k(() => [...new Set(B(s).map((e) => e.group))]), l = /* @__PURE__ */ j(null), u = /* @__PURE__ */ k(() => B(s).find((e) => e.id === B(l)) ?? ne(t.view.stage)), d = /* @__PURE__ */ k(() => B(u).values()), f = /* @__PURE__ */ k(() => B(d).values.reduce((e, t) => Math.max(e, Math.abs(t)), 0)), p = /* @__PURE__ */ k(() => B(u).exact && B(o).infinity !== null ? Ju(B(o).infinity, B(o).infinity) : Ju(B(f), null)), m = /* @__PURE__ */ j(null), h = /* @__PURE__ */ k(() => ({
		rows: $(B(d).rows),
		columns: $(B(d).columns)
	})), g = /* @__PURE__ */ k(() => Uu(B(d))), _ = /* @__PURE__ */ k(() => B(g).rows.length < B(d).rows || B(g).columns.length < B(d).columns), v = /* @__PURE__ */ k(() => B(m) ?? B(d).columns > 24), y = /* @__PURE__ */ k(() => B(v) && B(g).rows.length > 0 ? B(g) : B(h)), b = /* @__PURE__ */ k(() => B(y).rows.length * B(y).columns.length > 4e3), x = /* @__PURE__ */ j(null), S = /* @__PURE__ */ j(Jt({
		row: 0,
		column: 0
	})), C = /* @__PURE__ */ k(() => ({
		row: Math.max(0, Math.min(B(S).row, B(y).rows.length - n)),
		column: Math.max(0, Math.min(B(S).column, B(y).columns.length - r)),
		rows: Math.min(n, B(y).rows.length),
		columns: Math.min(r, B(y).columns.length)
	})), w = /* @__PURE__ */ k(() => B(b) ? B(y).rows.slice(B(C).row, B(C).row + B(C).rows) : B(y).rows), T = /* @__PURE__ */ k(() => B(b) ? B(y).columns.slice(B(C).column, B(C).column + B(C).columns) : B(y).columns), ee = /* @__PURE__ */ k(() => {
		let e = new Float64Array(B(y).rows.length * B(y).columns.length), t = 0;
		for (let n of B(y).rows) for (let r of B(y).columns) e[t++] = Q(B(d), n, r);
		return {
			rows: B(y).rows.length,
			columns: B(y).columns.length,
			values: e
		};
	}), te = /* @__PURE__ */ k(() => B(x) === null || B(x).row >= B(d).rows || B(x).column >= B(d).columns ? B(u).reading : `${B(u).rows[B(x).row]} · ${B(u).columns[B(x).column]}: ${B(o).exact(Q(B(d), B(x).row, B(x).column))}`);
	function ne(e) {
		let { kind: n, block: r } = t.view.run.stages[e], i = t.view.head ?? 0, a = n === "attention" ? `block ${r} head ${i} W_O W_V` : `block ${r} feed-forward W_1`;
		return B(s).find((e) => e.id === a) ?? B(s)[0];
	}
	function re(e) {
		M(l, e, !0), M(x, null), M(S, {
			row: 0,
			column: 0
		}, !0);
	}
	function ie(e) {
		M(S, {
			row: e.row - Math.floor(n / 2),
			column: e.column - Math.floor(r / 2)
		}, !0);
	}
	var ae = Wd(), oe = N(ae), se = N(oe), ce = F(se), le = F(I(se, 2));
	O(oe);
	var ue = I(oe, 2), de = N(ue), fe = I(N(de));
	q(fe, 20, () => B(c), (e) => e, (e, t) => {
		var n = Bd();
		q(n, 21, () => B(s).filter((e) => e.group === t), (e) => e.id, (e, t) => {
			var n = zd(), r = F(n, !0), i = {};
			L(() => {
				G(r, B(t).title), i !== (i = B(t).id) && (n.value = (n.__value = i) ?? "");
			}), W(e, n);
		}), O(n), L(() => Y(n, "label", t)), W(e, n);
	}), O(fe);
	var pe;
	pi(fe), O(de);
	var me = I(de, 2), he = (e) => {
		var t = Vd(), n = N(t);
		bi(n), Te(), O(t), L(() => Si(n, B(v))), V("change", n, () => M(m, !B(v))), W(e, t);
	};
	K(me, (e) => {
		B(_) && e(he);
	}), Rd(I(me, 2), {
		target: () => i,
		get name() {
			return `weights ${B(u).id ?? ""}`;
		}
	}), O(ue);
	var ge = I(ue, 2), _e = F(ge, !0), ve = I(ge, 2), ye = (e) => {
		W(e, Hd());
	};
	K(ve, (e) => {
		B(g).rows.length === 0 && e(ye);
	});
	var be = I(ve, 2), xe = (e) => {
		rd(e, {
			get matrix() {
				return B(ee);
			},
			get scale() {
				return B(p);
			},
			get theme() {
				return t.view.theme;
			},
			get label() {
				return B(u).id;
			},
			get frame() {
				return B(C);
			},
			onat: ie
		});
	};
	K(be, (e) => {
		B(b) && e(xe);
	});
	var E = I(be, 2);
	cd(E, {
		get matrix() {
			return B(d);
		},
		get rowNames() {
			return B(u).rows;
		},
		get columnNames() {
			return B(u).columns;
		},
		get rows() {
			return B(w);
		},
		get columns() {
			return B(T);
		},
		get scale() {
			return B(p);
		},
		get theme() {
			return t.view.theme;
		},
		get numbers() {
			return B(o);
		},
		get label() {
			return B(u).id;
		},
		get at() {
			return B(x);
		},
		onat: (e) => M(x, e, !0)
	});
	var Se = I(E, 2), D = (e) => {
		var t = Ud(), n = F(t);
		L(() => G(n, `Left out, because all 0: ${B(d).rows - B(g).rows.length} of ${B(d).rows ?? ""} rows, ${B(d).columns - B(g).columns.length} of ${B(d).columns ?? ""} columns.`)), W(e, t);
	};
	K(Se, (e) => {
		B(y) === B(g) && B(_) && e(D);
	}), O(ae), Ni(ae, (e) => i = e, () => i), L(() => {
		G(ce, `Weights: ${B(u).id ?? ""}`), G(le, `${B(d).rows ?? ""} × ${B(d).columns ?? ""} · ${(B(u).exact ? B(a).arithmetic : "product in float64, not rounded") ?? ""}`), pe !== (pe = B(u).id) && (fe.value = (fe.__value = pe) ?? "", fi(fe, pe)), G(_e, B(te));
	}), V("change", fe, (e) => re(e.currentTarget.value)), W(e, ae), Ge();
}
yr(["change"]);
// src/view/facts/sentence.ts
var Kd = 3;
function qd(e, t, n) {
	let { kind: r, block: i, present: a } = e.stages[t];
	if (r === "embedding") return Jd();
	if (!a) return [rf(`Block ${i} has no ${r}: nothing changes here.`)];
	let o = Hc(e, t, n);
	return r === "attention" ? Yd(e, t, o) : Zd(e, t, o);
}
function Jd() {
	return [rf("Every token becomes a vector: a column for each position, a row for each lane. From here on attention moves "), rf("values between columns, and feed-forward works inside one.")];
}
function Yd(e, t, n) {
	let { block: r } = e.stages[t], i = $(e.heads[r].length).flatMap((t) => Il(e, r, t).filter(Bl)), a = i.filter((e) => e.target === n), o = new Set(i.map((e) => e.target).filter((e) => e !== n)).size, s = o === 0 ? [] : [{
		kind: "aside",
		text: ` ${Zs(o, "other position")} ${o === 1 ? "reads" : "read"} too.`
	}], c = tf(zc(e, t, n));
	if (i.length === 0 && c.length === 0) return [rf(Xd(e, r))];
	let l = af(e, n);
	if (a.length === 0) return [
		l,
		...c.length === 0 ? [rf(" takes nothing in here.")] : [
			rf(" takes nothing in, but "),
			...$d(e, c),
			rf(".")
		],
		...s
	];
	let u = [...new Set(a.map((e) => e.source))].sort((e, t) => Number(e === n) - Number(t === n) || e - t), d = u.slice(0, Kd).map((t) => t === n ? rf("itself") : af(e, t)), f = u.length > Kd ? [rf(` and ${u.length - Kd} more`)] : [], p = c.length === 0 ? [rf(", but what arrives cancels out")] : [rf(": "), ...$d(e, c)];
	return [
		l,
		rf(" reads "),
		...nf(d, f.length > 0),
		...f,
		...p,
		rf("."),
		...s
	];
}
function Xd(e, t) {
	return e.heads[t].every((e) => e.empty.every(Boolean)) && e.heads[t].length > 0 ? "No head attends anywhere: every exponential is 0, so the softmax is empty and nothing is added." : "No head moves anything here.";
}
function Zd(e, t, n) {
	let { block: r } = e.stages[t], i = Tc(e, r, n), a = zc(e, t, n);
	if (a.length === 0) {
		let t = i.length === 0 ? "no neuron fires" : `${Zs(i.length, "neuron fires", "neurons fire")}, but what they add cancels out or is absorbed`;
		return [
			rf("Nothing changes at "),
			af(e, n),
			rf(`: ${t}.`)
		];
	}
	let o = tf(a.filter((e) => e.after !== 0)), s = a.filter((e) => e.after === 0), c = s.length === 0 ? [] : [rf(o.length > 0 ? "; " : ""), ...ef(e, s)];
	return [
		rf("At "),
		af(e, n),
		...Qd(e, r, i),
		rf(": "),
		...o.length > 0 ? $d(e, o) : [],
		...c,
		rf(".")
	];
}
function Qd(e, t, n) {
	if (n.length === 0) return [rf(" no neuron fires, and the bias alone adds")];
	let r = e.model.blocks[t].feed_forward.names[n[0].neuron];
	return n.length === 1 && r ? [
		rf(" the memory "),
		{
			kind: "name",
			text: r
		},
		rf(" fires")
	] : [rf(` ${Zs(n.length, "neuron fires", "neurons fire")}`)];
}
function $d(e, t) {
	let n = new qs(e.model), r = t.slice(0, Kd).flatMap((t, r) => [
		rf(r === 0 ? "" : ", "),
		{
			kind: "name",
			text: e.model.lanes[t.lane]
		},
		rf(" becomes "),
		{
			kind: "value",
			text: n.short(t.after)
		}
	]);
	return t.length > Kd ? [...r, rf(` and ${t.length - Kd} more`)] : r;
}
function ef(e, t) {
	let n = t.slice(0, 2).map((t) => ({
		kind: "name",
		text: e.model.lanes[t.lane]
	})), r = t.length > 2 ? ` and ${t.length - 2} more` : "";
	return [...nf(n, r !== ""), rf(`${r} ${t.length === 1 ? "is" : "are"} cleared to 0`)];
}
function tf(e) {
	let t = (e) => Math.abs(e.after - e.before);
	return [...e].sort((e, n) => t(n) - t(e));
}
function nf(e, t) {
	return e.flatMap((n, r) => {
		let i = r === 0 ? "" : r === e.length - 1 && !t ? " and " : ", ";
		return i === "" ? [n] : [rf(i), n];
	});
}
function rf(e) {
	return {
		kind: "words",
		text: e
	};
}
function af(e, t) {
	return {
		kind: "token",
		text: tc(e.tokens, t)
	};
}
// src/view/Sentence.svelte
var of = /* @__PURE__ */ H("<span class=\"token\"> </span> ", 1), sf = /* @__PURE__ */ H("<!> ", 1), cf = /* @__PURE__ */ H("<span class=\"problem svelte-1phe61y\" role=\"alert\"> <!> </span>"), lf = /* @__PURE__ */ H("<span class=\"token\"> </span>"), uf = /* @__PURE__ */ H("<b class=\"svelte-1phe61y\"> </b>"), df = /* @__PURE__ */ H("<span class=\"value svelte-1phe61y\"> </span>"), ff = /* @__PURE__ */ H("<span class=\"aside svelte-1phe61y\"> </span>"), pf = /* @__PURE__ */ H("<span></span>"), mf = /* @__PURE__ */ H("<p class=\"sentence svelte-1phe61y\"><!></p>");
function hf(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ k(() => t.view === null ? [] : t.view.pair === null ? qd(t.view.run, t.view.stage, t.view.pinned) : rc(t.view));
	var r = mf(), i = N(r), a = (e) => {
		var n = cf(), r = N(n), i = I(r), a = (e) => {
			var n = sf(), r = P(n);
			q(r, 17, () => t.problem.vocabulary.slice(0, 40), Ur, (e, t) => {
				var n = of(), r = P(n), i = F(r, !0), a = I(r, 1, !0);
				a.nodeValue = " ", L((e) => G(i, e), [() => $s(B(t))]), W(e, n);
			});
			var i = I(r, 1, !0);
			L(() => G(i, t.problem.vocabulary.length > 40 ? `and ${t.problem.vocabulary.length - 40} more.` : "")), W(e, n);
		};
		K(i, (e) => {
			t.problem.vocabulary !== null && e(a);
		});
		var o = I(i);
		O(n), L(() => {
			G(r, `${t.problem.text ?? ""} `), G(o, ` ${t.view === null ? "" : " The last run stays below."}`);
		}), W(e, n);
	}, o = (e) => {
		var t = pf();
		q(t, 21, () => B(n), Ur, (e, t) => {
			var n = kr(), r = P(n), i = (e) => {
				var n = lf(), r = F(n, !0);
				L(() => G(r, B(t).text)), W(e, n);
			}, a = (e) => {
				var n = uf(), r = F(n, !0);
				L(() => G(r, B(t).text)), W(e, n);
			}, o = (e) => {
				var n = df(), r = F(n, !0);
				L(() => G(r, B(t).text)), W(e, n);
			}, s = (e) => {
				var n = ff(), r = F(n, !0);
				L(() => G(r, B(t).text)), W(e, n);
			}, c = (e) => {
				var n = Or();
				L(() => G(n, B(t).text)), W(e, n);
			};
			K(r, (e) => {
				B(t).kind === "token" ? e(i) : B(t).kind === "name" ? e(a, 1) : B(t).kind === "value" ? e(o, 2) : B(t).kind === "aside" ? e(s, 3) : e(c, -1);
			}), W(e, n);
		}), O(t), W(e, t);
	};
	K(i, (e) => {
		t.problem === null ? e(o, -1) : e(a);
	}), O(r), L(() => Y(r, "aria-live", t.view?.playing ? "off" : "polite")), W(e, r), Ge();
}
// src/view/Start.svelte
var gf = /* @__PURE__ */ H("<span class=\"lane svelte-174b4yx\"> <em> </em></span>"), _f = /* @__PURE__ */ H("<span class=\"note\"> </span>"), vf = /* @__PURE__ */ H("<section class=\"panel\" aria-label=\"the token's vector\"><h2><span>Token <span class=\"token\"> </span></span> <small> </small></h2> <p class=\"note\"> </p> <p class=\"lanes svelte-174b4yx\"><!> <!></p></section>");
function yf(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ k(() => Array.from(Ds(t.view.run.stream[0], t.view.position), (e, t) => ({
		value: e,
		lane: t
	})).filter(({ value: e }) => e !== 0)), r = /* @__PURE__ */ k(() => t.view.run.model.added_positions !== null);
	var i = vf(), a = N(i), o = N(a), s = F(I(N(o)), !0);
	O(o);
	var c = F(I(o, 2));
	O(a);
	var l = I(a, 2), u = F(l), d = I(l, 2), f = N(d);
	q(f, 17, () => B(n).slice(0, 24), ({ lane: e, value: t }) => e, (e, n) => {
		let r = () => B(n).lane, i = () => B(n).value;
		var a = gf(), o = N(a), s = I(o);
		let c;
		var l = F(s, !0);
		O(a), L((e) => {
			G(o, `${t.view.run.model.lanes[r()] ?? ""} `), c = J(s, 1, "svelte-174b4yx", null, c, { minus: i() < 0 }), G(l, e);
		}, [() => t.view.numbers.signed(i())]), W(e, a);
	});
	var p = I(f, 2), m = (e) => {
		var t = _f(), r = F(t);
		L((e) => G(r, `and ${e ?? ""}`), [() => Zs(B(n).length - 24, "more lane", "more lanes")]), W(e, t);
	};
	K(p, (e) => {
		B(n).length > 24 && e(m);
	}), O(d), O(i), L((e) => {
		G(s, e), G(c, `position ${t.view.position ?? ""}`), G(u, `${B(r) ? "Its row of the embedding, with its position added" : "Its row of the embedding"}: ${B(n).length === 0 ? "every lane is 0." : "lanes that are not 0."}`);
	}, [() => tc(t.view.run.tokens, t.view.position)]), W(e, i), Ge();
}
// src/view/lanegroups.ts
var bf = [
	["signed_infinity_form(", "±∞ form"],
	["infinity_form(", "∞ form"],
	["zero_one_form(", "0-1 form"]
];
function xf(e) {
	let t = Cf(e), n = new Set(e.flags), r = wf(e.lanes), i = Tf(e), a = [];
	return e.lanes.forEach((o, s) => {
		let c = t.has(s) || n.has(o) ? "" : r[s], l = t.has(s) ? Sf(e) : n.has(o) ? "flags" : c.trim() || i[s], u = a.at(-1);
		u?.name === l && u.prefix === c ? u.lanes.push(s) : a.push({
			name: l,
			prefix: c,
			lanes: [s]
		});
	}), a;
}
function Sf(e) {
	let t = e.provenance.at(-1) ?? "";
	return bf.find(([e]) => t.startsWith(e))?.[1] ?? "answer";
}
function Cf(e) {
	let { output: t } = e, n = /* @__PURE__ */ new Set();
	for (let e = 0; e < t.rows; e++) {
		let r = t.values.subarray(e * t.columns, (e + 1) * t.columns), i = r.findIndex((e) => e !== 0);
		if (i < 0 || r[i] !== 1 || r.some((e, t) => e !== 0 && t !== i)) return /* @__PURE__ */ new Set();
		n.add(i);
	}
	return e.classes.length > 3 || n.size !== e.classes.length ? /* @__PURE__ */ new Set() : n;
}
function wf(e) {
	let t = e.map((e) => e.split(" ")), n = (e, n) => t[e].length > n ? t[e].slice(0, n).join(" ") + " " : "", r = (t, r, i) => {
		let a = n(t, r);
		if (a === "") return !1;
		let [o, s] = [t, t];
		for (; o > 0 && n(o - 1, r) === a;) o--;
		for (; s + 1 < e.length && n(s + 1, r) === a;) s++;
		return s - o + 1 >= i;
	};
	return e.map((e, t) => r(t, 2, 3) ? n(t, 2) : r(t, 1, 2) ? n(t, 1) : "");
}
function Tf(e) {
	let t = Wc(e), n = e.added_positions?.kind === "Table" ? e.added_positions.values : null, r = e.added_positions?.kind === "Sinusoidal";
	return e.lanes.map((i, a) => Ef(e.embedding, a) ? "token" : r || n !== null && Ef(n, a) ? "position" : t[a] === null ? "not written" : "written by blocks");
}
function Ef(e, t) {
	for (let n = t; n < e.values.length; n += e.columns) if (e.values[n] !== 0) return !0;
	return !1;
}
// src/view/stream/layout.ts
var Df = 64, Of = 24, kf = 16, Af = 34, jf = 22, Mf = 28, Nf = 24;
function Pf(e) {
	return e.pair?.lanes ?? e.run.model.lanes.map((e, t) => ({
		name: e,
		a: t,
		b: -1
	}));
}
function Ff(e, t, n) {
	let r = Pf(e), i = r.length > Df, a = Lf(e, r, i), o = a.groups.reduce((e, t) => e + t.rows.length, 0), s = o <= 18 ? 22 : o <= 26 ? 18 : 16, c = (n ? 104 : 158) + (i ? 34 : 0), l = If(e, n), u = Hf(e, t - c, n, i), d = l + Mf + 4, { rows: f, groups: p, bottom: m } = Vf(e, a, r, d, s), h = m + 4 + Nf + (u.split ? 16 : 0), { columns: g, columnWidth: _, width: v, history: y, roomForBoth: b } = u;
	return {
		narrow: n,
		labelWidth: c,
		columns: g,
		rows: f,
		groups: p,
		columnWidth: _,
		rowHeight: s,
		arcs: l,
		top: d,
		bottom: m + 4,
		width: v,
		height: h,
		history: y,
		roomForBoth: b,
		manyLanes: i,
		hidden: a.hidden,
		total: r.length
	};
}
function If(e, t) {
	let n = e.run.tokens.length;
	return e.pair === null ? n > 20 ? 120 : n > 6 ? 88 : 70 : t ? 22 : 70;
}
function Lf(e, t, n) {
	let { pair: r } = e, i = (t) => r === null || !e.onlyDifferences || r.everDiffers[t], a = t.filter((e, t) => !i(t)).length;
	if (n) return {
		groups: [zf(e, t, i)],
		hidden: a
	};
	let o = Rf(e, "a"), s = Rf(e, "b"), c = [];
	return t.forEach((e, t) => {
		if (!i(t)) return;
		let n = e.a >= 0 ? o[e.a] : s[e.b], r = c.at(-1);
		r?.name === n.name && r.prefix === n.prefix ? r.rows.push(t) : c.push({
			...n,
			rows: [t]
		});
	}), {
		groups: c,
		hidden: a
	};
}
function Rf(e, t) {
	let n = t === "a" ? e.run.model : e.beside?.model;
	return n === void 0 ? [] : xf(n).flatMap((e) => e.lanes.map(() => ({
		name: e.name,
		prefix: e.prefix
	})));
}
function zf(e, t, n) {
	let r = $(t.length).filter(n), i = e.search.trim().toLowerCase();
	if (i !== "") {
		let n = r.filter((e) => t[e].name.toLowerCase().includes(i)), a = `${n.length} of ${t.length} lanes have “${e.search.trim()}” in their name`;
		return {
			name: n.length > Df ? `${a}; the first ${Df}` : a,
			prefix: "",
			rows: n.slice(0, Df)
		};
	}
	if (e.around !== null) {
		let n = r.findIndex((t) => t >= e.around), i = Math.max(0, Math.min((n < 0 ? r.length : n) - Of / 2, r.length - Of)), a = r.slice(i, i + Of);
		return {
			name: `lanes ${a[0]} to ${a.at(-1)}, of ${t.length}`,
			prefix: "",
			rows: a
		};
	}
	let a = Bf(e, t), o = [...r].sort((e, t) => a[t] - a[e] || e - t).slice(0, Of).sort((e, t) => e - t), s = e.pair === null ? e.stage === 0 ? "are largest" : "changed" : "differ";
	return {
		name: `the ${o.length} lanes that ${s === "are largest" ? s : `${s} most`}, of ${t.length}`,
		prefix: "",
		rows: o
	};
}
function Bf(e, t) {
	let n = new Float64Array(t.length);
	if (e.pair !== null) {
		let r = new Map(t.map((e, t) => [e, t]));
		for (let { lane: t, a: i, b: a } of e.pair.differences(e.step)) n[r.get(t)] += Math.abs(i - a);
		return n;
	}
	let r = e.run.stream[e.stage], i = e.stage > 0 ? e.run.stream[e.stage - 1].values : null;
	return r.values.forEach((e, t) => n[t % r.columns] += Math.abs(e - (i?.[t] ?? 0))), n;
}
function Vf(e, t, n, r, i) {
	let a = Wc(e.run.model), o = [], s = [], c = r;
	for (let e of t.groups) {
		s.push({
			name: e.name,
			y: c
		}), c += kf;
		for (let t of e.rows) {
			let r = n[t], s = r.a < 0 ? "B" : a[r.a] === null ? "" : `b${a[r.a]}`, l = r.name.startsWith(e.prefix) ? r.name.slice(e.prefix.length) : r.name;
			o.push({
				lane: r,
				shared: t,
				label: l,
				writer: s,
				y: c
			}), c += i;
		}
	}
	return {
		rows: o,
		groups: s,
		bottom: c
	};
}
function Hf(e, t, n, r) {
	if (e.pair !== null) return n ? qf(e, e.pair, t) : Kf(e, e.pair, t);
	let i = e.run.tokens.length, a = e.steps.length, o = n || r ? null : Wf(e, t);
	if (o === null && e.across === "sublayers" && a > 1) return Gf(e, t, n);
	let s = Uf(i, t - (o === null ? 0 : Af + o.width * o.steps.length) - (n ? 10 : o === null ? 12 : 0), n, o !== null), c = $(i).map((t) => Jf(e, t, t * s, s)), l = i * s;
	if (o === null) return {
		columns: c,
		columnWidth: s,
		width: l + 12,
		history: null,
		roomForBoth: a <= 1,
		split: !1
	};
	let u = l + Af, d = o.steps.map((t, n) => Yf(e, t, u + n * o.width, o.width)), f = u + o.width * o.steps.length + 2;
	return {
		columns: [...c, ...d],
		columnWidth: s,
		width: f,
		history: {
			x: u,
			width: o.width
		},
		roomForBoth: !0,
		split: !1
	};
}
function Uf(e, t, n, r) {
	return n && e > 20 ? Math.max(3.4, t / e) : Math.max(n ? e > 7 ? 26 : 34 : 9, Math.min(r ? 98 : 104, Math.floor(t / e)));
}
function Wf(e, t) {
	let [n, r] = [e.run.tokens.length, e.steps.length], i = n > 5 ? 58 : 66;
	for (let e of [
		38,
		34,
		30,
		26,
		22
	]) if ((t - Af - e * r) / n >= i) return {
		width: e,
		steps: $(r)
	};
	let a = Math.floor((t - Af - n * 58) / 30);
	if (a < 5) return null;
	let o = Math.max(0, Math.min(e.step - Math.floor(a / 2), r - a));
	return {
		width: 30,
		steps: $(a).map((e) => o + e)
	};
}
function Gf(e, t, n) {
	let r = e.steps.length, i = Math.max(n ? 34 : 22, Math.min(58, Math.floor((t - 10) / r)));
	return {
		columns: $(r).map((t) => Yf(e, t, t * i, i)),
		columnWidth: i,
		width: r * i + 10,
		history: {
			x: 0,
			width: i
		},
		roomForBoth: !1,
		split: !1
	};
}
function Kf(e, t, n) {
	let [r, i] = [t.a.tokens.length, t.b.tokens.length], a = Math.max(r, i), o = Math.max(9, Math.min(104, Math.floor((n - jf) / (2 * a)))), s = a * o + jf, c = $(r).map((t) => Jf(e, t, (t + a - r) * o, o)), l = $(i).map((n) => ({
		...Jf(e, n, s + (n + a - i) * o, o),
		side: "b",
		stage: e.besideStage,
		partner: n + t.shift >= 0
	})), u = s + a * o;
	return {
		columns: [...c, ...l],
		columnWidth: o,
		width: u,
		history: null,
		roomForBoth: !0,
		split: !1
	};
}
function qf(e, t, n) {
	let r = t.a.tokens.length, i = Math.max(58, Math.floor((n - 8) / r));
	return {
		columns: $(r).map((t) => ({
			...Jf(e, t, t * i, i),
			side: "both"
		})),
		columnWidth: i,
		width: r * i + 8,
		history: null,
		roomForBoth: !0,
		split: !0
	};
}
function Jf(e, t, n, r) {
	let i = e.pair?.hasPartner(t) ?? !0;
	return {
		side: "a",
		kind: "position",
		position: t,
		step: e.step,
		stage: e.stage,
		x: n,
		width: r,
		partner: i
	};
}
function Yf(e, t, n, r) {
	let { stage: i } = e.steps[t];
	return {
		side: "a",
		kind: "sublayer",
		position: e.position,
		step: t,
		stage: i,
		x: n,
		width: r,
		partner: !0
	};
}
function Xf(e, t) {
	let n = e.rows.find((e) => e.lane.a === t);
	return n === void 0 ? null : n.y + e.rowHeight / 2;
}
function Zf(e) {
	if (e.pair !== null) return !1;
	let t = Rc(e.run, e.stage);
	return t.reduce((e, t) => e + t, 0) > .6 * t.length;
}
// src/view/stream/arcs.ts
var Qf = 20, $f = 240;
function ep(e) {
	let { run: t, block: n, reader: r, chosenHead: i } = e, a = new Set(Wl(t, n, i)), o = t.tokens.length > Qf, s = $(t.heads[n].length).filter((e) => a.has(e) || !o).flatMap((e) => Il(t, n, e)).map((e) => ({
		move: e,
		moved: Bl(e)
	})).filter(({ move: e, moved: t }) => !o || t || e.target === r);
	return (s.length <= $f ? s : tp(s, r)).map(({ move: t, moved: n }) => np(e, t, n, a.has(t.head), o)).sort((e, t) => Number(e.strong) - Number(t.strong) || e.width - t.width);
}
function tp(e, t) {
	let n = ({ move: e }) => e.weight + (e.target === t ? 2 : 0);
	return [...e].sort((e, t) => n(t) - n(e)).slice(0, $f);
}
function np(e, t, n, r, i) {
	let { columns: a, layout: o, reader: s, room: c } = e, l = a[0].width, u = o.arcs - 3, [d, f] = [rp(a[t.source]), rp(a[t.target])], p = Math.abs(t.target - t.source), m = 14 + c * .86 * Math.sqrt(p / Math.max(4, a.length - 1)), h = Math.min(c, p === 0 ? 26 : m), g = (s === null || t.target === s) && r, _ = i ? .16 : .38, v = g && n && p > 0 && a.length <= 12 && l > 40 && t.weight < .995;
	return {
		line: p === 0 ? ap(f, u, h, l) : ip(d, f, u, h),
		move: t,
		moved: n,
		strong: g,
		width: n ? 1 + Math.abs(t.weight) * 2.6 : 1,
		opacity: (g ? 1 : _) * (r ? 1 : .5) * (n ? 1 : .75),
		label: v && s !== null ? {
			x: (d + f) / 2,
			y: u - h - 4
		} : null
	};
}
function rp(e) {
	return e.x + e.width / 2;
}
function ip(e, t, n, r) {
	let i = n - r * 1.3;
	return `M${e},${n} C${e},${i} ${t},${i} ${t},${n - 2}`;
}
function ap(e, t, n, r) {
	let [i, a] = [Math.min(7, r * .3), Math.min(16, r * .6)];
	return `M${e - i},${t} C${e - a},${t - n} ${e + a},${t - n} ${e + i},${t - 1}`;
}
var op = 6, sp = 12, cp = 20;
function lp(e) {
	let { run: t, block: n, columns: r, reader: i, chosenHead: a, layout: o } = e;
	if (i === null || r[0].width < cp) return [];
	let s = Wl(t, n, a).flatMap((e) => Il(t, n, e, [i])).filter(Bl).sort((e, t) => t.weight - e.weight).slice(0, op).flatMap((e) => Vl(t, e).slice(0, sp).map((t) => ({
		...t,
		source: e.source
	}))).sort((e, t) => Math.abs(t.amount) - Math.abs(e.amount)).slice(0, sp), c = Math.max(...s.map((e) => Math.abs(e.amount)), 1e-300);
	return s.flatMap((e) => {
		let [t, n] = [Xf(o, e.from), Xf(o, e.to)];
		if (t === null || n === null) return [];
		let a = 1 + 1.6 * Math.abs(e.amount) / c, s = r[i];
		return e.source === i ? [{
			...up(s, t, n),
			width: a
		}] : [{
			...dp(r[e.source], s, t, n, o.rowHeight),
			width: a
		}];
	});
}
function up(e, t, n) {
	let r = e.x + e.width;
	return {
		line: t === n ? `M${r + 9},${t} L${r + 1},${n}` : `M${r},${t} C${r + 15},${t} ${r + 15},${n} ${r + 1},${n}`,
		start: {
			x: r,
			y: t
		}
	};
}
function dp(e, t, n, r, i) {
	let a = e.x < t.x, o = a ? 1 : -1, s = e.x + (a ? e.width : 0) - o, c = t.x + (a ? 0 : t.width) - o, l = c - o * 6, u = Math.abs(s - c) < 6, d = u ? n : n + i / 2 - 2;
	if (n === r || Math.abs(r - d) < 2) return {
		line: `M${s},${d} L${c},${d}`,
		start: {
			x: s,
			y: d
		}
	};
	let f = r > d ? 1 : -1, p = Math.min(6, Math.abs(r - d) / 2), m = `L${l},${r - f * p} Q${l},${r} ${l + o * p},${r} L${c},${r}`;
	return u ? {
		line: `M${l},${d} ${m}`,
		start: {
			x: l,
			y: d
		}
	} : {
		line: `${`M${s},${d} L${l - o * p},${d} Q${l},${d} ${l},${d + f * p}`} ${m}`,
		start: {
			x: s,
			y: d
		}
	};
}
// src/view/stream/Arcs.svelte
var fp = /* @__PURE__ */ U("<text class=\"svelte-1akhwyt\"> </text>"), pp = /* @__PURE__ */ U("<path></path><!>", 1), mp = /* @__PURE__ */ U("<path class=\"halo svelte-1akhwyt\"></path><path class=\"path draws svelte-1akhwyt\"></path><circle class=\"start svelte-1akhwyt\" r=\"3\"></circle>", 1), hp = /* @__PURE__ */ U("<!><!>", 1);
function gp(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ k(() => ({
		run: t.run,
		block: t.run.stages[t.stage].block,
		columns: t.columns,
		reader: t.view.pair === null ? t.view.position : null,
		chosenHead: t.view.head,
		layout: t.layout,
		room: t.layout.arcs - (t.view.pair === null ? 10 : 26)
	})), r = /* @__PURE__ */ k(() => ep(B(n))), i = /* @__PURE__ */ k(() => lp(B(n))), a = /* @__PURE__ */ k(() => t.run === t.view.run ? t.view.numbers : t.view.besideNumbers);
	var o = kr();
	Hr(P(o), () => `${t.stage} ${B(n).reader}`, (e) => {
		var n = hp(), o = P(n);
		q(o, 17, () => B(r), (e) => `${e.move.head} ${e.move.target} ${e.move.source}`, (e, n) => {
			var r = pp(), i = P(r);
			let o;
			var s = I(i), c = (e) => {
				var t = fp(), r = F(t, !0);
				L((e) => {
					Y(t, "x", B(n).label.x), Y(t, "y", B(n).label.y), G(r, e);
				}, [() => B(a).short(B(n).move.weight)]), W(e, t);
			};
			K(s, (e) => {
				B(n).label !== null && e(c);
			}), L(() => {
				o = J(i, 0, "arc svelte-1akhwyt", null, o, {
					moved: B(n).moved && B(n).opacity > .1,
					draws: B(n).moved && B(n).strong
				}), Y(i, "pathLength", B(n).moved && B(n).strong ? 1 : void 0), Y(i, "d", B(n).line), Y(i, "stroke-width", B(n).width), Y(i, "opacity", B(n).opacity), Y(i, "marker-end", B(n).moved && B(n).strong ? `url(#${t.arrow})` : void 0), Y(i, "data-arc", `${B(n).move.head} ${B(n).move.target} ${B(n).move.source}`);
			}), W(e, r);
		}), q(I(o), 17, () => B(i), Ur, (e, n) => {
			var r = mp(), i = P(r), a = I(i);
			Y(a, "pathLength", 1);
			var o = I(a);
			L(() => {
				Y(i, "d", B(n).line), Y(i, "stroke-width", B(n).width + 2.5), Y(a, "d", B(n).line), Y(a, "stroke-width", B(n).width), Y(a, "marker-end", `url(#${t.arrow})`), Y(o, "cx", B(n).start.x), Y(o, "cy", B(n).start.y);
			}), W(e, r);
		}), W(e, n);
	}), W(e, o), Ge();
}
// src/view/stream/looks.ts
var _p = .61;
function vp(e, t, n) {
	let r = n === "b" ? t.lane.b : t.lane.a;
	return r < 0 ? null : n === "b" ? {
		run: e.beside,
		lane: r,
		numbers: e.besideNumbers
	} : {
		run: e.run,
		lane: r,
		numbers: e.numbers
	};
}
function yp(e, t, n, r) {
	let i = vp(e, n, r);
	if (i === null) return null;
	let { run: a, lane: o } = i, s = r === "b" ? t.side === "b" ? t.stage : e.besideStage : t.stage, c = (r === "b" && t.side !== "b" ? t.position - e.pair.shift : t.position) * a.stream[s].columns + o;
	return {
		value: a.stream[s].values[c],
		before: s === 0 ? null : a.stream[s - 1].values[c]
	};
}
function bp(e, t, n, r) {
	if (e.pair === null) return r.before !== null && r.before !== r.value;
	let i = t.side === "b" ? t.position + e.pair.shift : t.position;
	return i >= 0 && e.pair.differs(e.step, i, n.shared);
}
function xp(e, t, n, r, i) {
	let { view: a, scale: o, theme: s, noisy: c, rowHeight: l } = e, u = yp(a, t, n, r);
	if (u === null) return null;
	let { value: d } = u, f = r === "b" ? a.besideNumbers : a.numbers, p = bp(a, t, n, u), m = p && !c, h = f.isInfinite(d), g = Xu(d, o, s), _ = p && a.pair === null && i >= 30 && t.kind === "position", v = _ ? Math.max(4, Math.min(9, i * .13)) : 0, y = m && i >= 14 ? 3 : h ? 0 : i >= 14 ? 1 : i >= 6 ? .5 : 0, b = d === 0 && !p, x = t.kind === "sublayer" && i < 44 ? 11 : i >= 44 ? 12.5 : i >= 34 ? 11.5 : 11, S = h && l >= 16 ? x + 3 : x, C = b ? "" : f.short(d), w = i >= (t.kind === "sublayer" ? 22 : 26) && C.length * S * _p <= i - v - 3, T = h && i >= 12 ? "∞" : "";
	return {
		value: d,
		before: p && a.pair === null ? u.before : null,
		fill: g,
		inset: y,
		ring: m,
		sliver: _ ? Xu(u.before ?? 0, o, s) : void 0,
		sliverWidth: v,
		text: w ? C : T,
		ink: g === null ? "var(--muted)" : Zu(g),
		size: w ? S : Math.min(11, S),
		bold: m || h,
		dot: b
	};
}
function Sp(e, t, n) {
	let r = t.side === "b" ? "b" : "a", i = vp(e, n, r), a = r === "b" ? e.beside.tokens : e.run.tokens, o = `${n.lane.name} at ${$s(a[t.position])}, position ${t.position}`;
	if (i === null) return `${o}: ${r === "b" ? "B" : "A"} has no such lane`;
	let s = yp(e, t, n, r), c = `${o}: ${i.numbers.short(s.value)}`;
	if (t.side === "both") {
		let r = t.partner ? yp(e, t, n, "b") : null;
		return r === null ? c : `${c} in A, ${e.besideNumbers.short(r.value)} in B`;
	}
	return e.pair === null ? s.before !== null && s.before !== s.value ? `${c}, before ${i.numbers.short(s.before)}` : c : `${c}${bp(e, t, n, s) ? ", differs" : ""}`;
}
// src/view/stream/canvas.ts
var Cp = 4e3;
function wp(e) {
	let t = getComputedStyle(e), n = (e) => t.getPropertyValue(`--${e}`).trim();
	return {
		surface: n("surface"),
		muted: n("muted"),
		hair: n("hair"),
		move: n("move")
	};
}
function Tp(e, t, n, r) {
	let i = Math.min(2, window.devicePixelRatio || 1), [a, o] = [Math.ceil(n.width * i), Math.ceil(n.height * i)];
	(e.width !== a || e.height !== o) && ([e.width, e.height] = [a, o]);
	let s = e.getContext("2d");
	if (s !== null) {
		s.setTransform(i, 0, 0, i, 0, 0), s.clearRect(0, 0, n.width, n.height), s.textAlign = "center";
		for (let e of n.columns) {
			let i = e.side === "b" ? "b" : "a";
			s.globalAlpha = e.partner ? 1 : .35;
			for (let a of n.rows) {
				let o = xp(t, e, a, i, e.width);
				o !== null && Ep(s, o, e.x, a.y, e.width, n.rowHeight, r);
			}
		}
	}
}
function Ep(e, t, n, r, i, a, o) {
	let { inset: s } = t;
	if (t.dot) {
		if (i < 5) return;
		e.fillStyle = o.hair, e.fillRect(n + i / 2 - .5, r + a / 2 - .5, 1, 1);
	} else t.fill !== null && (e.fillStyle = t.fill, e.fillRect(n + s, r + s, i - 2 * s, a - 2 * s)), t.text !== "" && (e.fillStyle = t.fill === null ? o.muted : t.ink, e.font = `${t.bold ? 700 : 400} ${t.size}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`, e.fillText(t.text, n + i / 2, r + a / 2 + t.size * .35)), t.ring && (e.strokeStyle = o.move, e.lineWidth = i < 14 ? 1 : 1.5, e.strokeRect(n + .75, r + .75, i - 1.5, a - 1.5));
}
// src/view/stream/Cell.svelte
var Dp = /* @__PURE__ */ U("<circle class=\"zero svelte-1ytft50\"></circle>"), Op = /* @__PURE__ */ U("<rect></rect>"), kp = /* @__PURE__ */ U("<line class=\"was-zero svelte-1ytft50\"></line>"), Ap = /* @__PURE__ */ U("<rect class=\"gap svelte-1ytft50\"></rect><!>", 1), jp = /* @__PURE__ */ U("<text class=\"svelte-1ytft50\"> </text>"), Mp = /* @__PURE__ */ U("<rect class=\"ring svelte-1ytft50\"></rect>"), Np = /* @__PURE__ */ U("<!><!><!><!>", 1);
function Pp(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ k(() => t.height - 2 * t.look.inset);
	var r = kr(), i = P(r), a = (e) => {
		var n = Dp();
		L(() => {
			Y(n, "cx", t.x + t.width / 2), Y(n, "cy", t.y + t.height / 2), Y(n, "r", t.width < 14 ? .6 : 1);
		}), W(e, n);
	}, o = (e) => {
		var r = Np(), i = P(r), a = (e) => {
			var r = Op();
			L(() => {
				Y(r, "x", t.x + t.look.inset), Y(r, "y", t.y + t.look.inset), Y(r, "width", t.width - 2 * t.look.inset), Y(r, "height", B(n)), Y(r, "fill", t.look.fill);
			}), W(e, r);
		};
		K(i, (e) => {
			t.look.fill !== null && e(a);
		});
		var o = I(i), s = (e) => {
			let r = /* @__PURE__ */ k(() => t.x + t.look.inset + t.look.sliverWidth);
			var i = Ap(), a = P(i), o = I(a), s = (e) => {
				var r = Op();
				L(() => {
					Y(r, "x", t.x + t.look.inset), Y(r, "y", t.y + t.look.inset), Y(r, "width", t.look.sliverWidth), Y(r, "height", B(n)), Y(r, "fill", t.look.sliver);
				}), W(e, r);
			}, c = (e) => {
				var i = kp();
				L(() => {
					Y(i, "x1", B(r) + .75), Y(i, "x2", B(r) + .75), Y(i, "y1", t.y + t.look.inset), Y(i, "y2", t.y + t.look.inset + B(n));
				}), W(e, i);
			};
			K(o, (e) => {
				t.look.sliver === null ? e(c, -1) : e(s);
			}), L(() => {
				Y(a, "x", t.x + t.look.inset), Y(a, "y", t.y + t.look.inset), Y(a, "width", t.look.sliverWidth + 1.5), Y(a, "height", B(n));
			}), W(e, i);
		};
		K(o, (e) => {
			t.look.sliver !== void 0 && e(s);
		});
		var c = I(o), l = (e) => {
			var n = jp();
			let r;
			var i = F(n, !0);
			L(() => {
				Y(n, "x", t.x + t.width / 2 + t.look.sliverWidth / 2), Y(n, "y", t.y + t.height / 2 + t.look.size * .35), Y(n, "font-size", t.look.size), Y(n, "font-weight", t.look.bold ? 700 : 400), r = li(n, "", r, { fill: t.look.ink }), G(i, t.look.text);
			}), W(e, n);
		};
		K(c, (e) => {
			t.look.text !== "" && e(l);
		});
		var u = I(c), d = (e) => {
			var n = Mp();
			L(() => {
				Y(n, "x", t.x + .75), Y(n, "y", t.y + .75), Y(n, "width", t.width - 1.5), Y(n, "height", t.height - 1.5);
			}), W(e, n);
		};
		K(u, (e) => {
			t.look.ring && e(d);
		}), W(e, r);
	};
	K(i, (e) => {
		t.look.dot ? e(a) : e(o, -1);
	}), W(e, r), Ge();
}
// src/view/stream/Cells.svelte
var Fp = /* @__PURE__ */ U("<!><!>", 1), Ip = /* @__PURE__ */ U("<g role=\"gridcell\" class=\"svelte-xdd7mn\"><!></g>"), Lp = /* @__PURE__ */ U("<g role=\"row\"><g role=\"rowheader\"></g><!></g>");
function Rp(e, t) {
	We(t, !0);
	function n(e, n) {
		if (!e.partner) return .35;
		if (t.view.pair === null || !t.view.onlyDifferences) return 1;
		let r = yp(t.view, e, n, e.side === "b" ? "b" : "a");
		return r !== null && bp(t.view, e, n, r) ? 1 : .35;
	}
	let r = (e, n) => e.side !== "both" || !e.partner ? !1 : t.view.pair.differs(t.view.step, e.position, n.shared), i = /* @__PURE__ */ k(() => t.layout.rows.find((e) => e.lane.a === t.view.lane && e.lane.a >= 0) ?? t.layout.rows[0]), a = (e, t) => t === B(i) && e.side !== "b" && o(e), o = (e) => e.kind === "position" ? e.position === t.view.position : e.step === t.view.step && t.layout.columns[0].kind === "sublayer";
	var s = kr();
	q(P(s), 19, () => t.layout.rows, (e) => e.shared, (e, i, o) => {
		var s = Lp(), c = N(s);
		q(I(c), 17, () => t.layout.columns, Ur, (e, s, c) => {
			var l = Ip();
			Y(l, "data-column", c);
			var u = N(l), d = (e) => {
				let n = /* @__PURE__ */ k(() => B(s).width / 2), r = /* @__PURE__ */ k(() => xp(t.painting, B(s), B(i), "a", B(n))), a = /* @__PURE__ */ k(() => xp(t.painting, B(s), B(i), "b", B(n)));
				var o = Fp(), c = P(o), l = (e) => {
					Pp(e, {
						get look() {
							return B(r);
						},
						get x() {
							return B(s).x;
						},
						get y() {
							return B(i).y;
						},
						get width() {
							return B(n);
						},
						get height() {
							return t.layout.rowHeight;
						}
					});
				};
				K(c, (e) => {
					B(r) !== null && e(l);
				});
				var u = I(c), d = (e) => {
					{
						let r = /* @__PURE__ */ k(() => B(s).x + B(n));
						Pp(e, {
							get look() {
								return B(a);
							},
							get x() {
								return B(r);
							},
							get y() {
								return B(i).y;
							},
							get width() {
								return B(n);
							},
							get height() {
								return t.layout.rowHeight;
							}
						});
					}
				};
				K(u, (e) => {
					B(a) !== null && e(d);
				}), W(e, o);
			}, f = /* @__PURE__ */ k(() => r(B(s), B(i))), p = (e) => {
				let n = /* @__PURE__ */ k(() => xp(t.painting, B(s), B(i), B(s).side === "b" ? "b" : "a", B(s).width));
				var r = kr(), a = P(r), o = (e) => {
					Pp(e, {
						get look() {
							return B(n);
						},
						get x() {
							return B(s).x;
						},
						get y() {
							return B(i).y;
						},
						get width() {
							return B(s).width;
						},
						get height() {
							return t.layout.rowHeight;
						}
					});
				};
				K(a, (e) => {
					B(n) !== null && e(o);
				}), W(e, r);
			};
			K(u, (e) => {
				B(f) ? e(d) : e(p, -1);
			}), O(l), L((e, t, n) => {
				Y(l, "aria-label", e), Y(l, "tabindex", t), Y(l, "data-row", B(o)), Y(l, "opacity", n);
			}, [
				() => Sp(t.view, B(s), B(i)),
				() => a(B(s), B(i)) ? 0 : -1,
				() => n(B(s), B(i))
			]), W(e, l);
		}), O(s), L(() => {
			Y(s, "aria-rowindex", B(o) + 2), Y(c, "aria-label", B(i).lane.name);
		}), W(e, s);
	}), W(e, s), Ge();
}
// src/view/stream/Headers.svelte
var zp = /* @__PURE__ */ U("<text> <title> </title></text>"), Bp = /* @__PURE__ */ U("<line class=\"strong svelte-drcb8a\"></line>"), Vp = /* @__PURE__ */ U("<text class=\"token strong svelte-drcb8a\" font-size=\"13.5\"> </text>"), Hp = /* @__PURE__ */ U("<text class=\"ruler svelte-drcb8a\"> </text>"), Up = /* @__PURE__ */ U("<g role=\"columnheader\" class=\"svelte-drcb8a\"><!><!></g><!><!>", 1), Wp = /* @__PURE__ */ U("<g role=\"columnheader\" class=\"svelte-drcb8a\"><text> </text></g>"), Gp = /* @__PURE__ */ U("<text class=\"block svelte-drcb8a\"> </text>"), Kp = /* @__PURE__ */ U("<!><line class=\"block svelte-drcb8a\"></line>", 1), qp = /* @__PURE__ */ U("<text class=\"through svelte-drcb8a\"><tspan class=\"whose svelte-drcb8a\"> </tspan> through the run</text>"), Jp = /* @__PURE__ */ U("<line class=\"joined svelte-drcb8a\"></line>"), Yp = /* @__PURE__ */ U("<text> </text>"), Xp = /* @__PURE__ */ U("<!><!>", 1), Zp = /* @__PURE__ */ U("<text class=\"said strong svelte-drcb8a\"> </text>"), Qp = /* @__PURE__ */ U("<g role=\"row\"><!><!></g><!><!><!><!><!>", 1);
function $p(e, t) {
	We(t, !0);
	let n = 7.9, r = 7.3, i = /* @__PURE__ */ k(() => t.layout.arcs + 17), a = /* @__PURE__ */ k(() => t.layout.columns.filter((e) => e.kind === "position")), o = /* @__PURE__ */ k(() => t.layout.columns.filter((e) => e.kind === "sublayer")), s = /* @__PURE__ */ k(() => t.view.run.tokens.length > 20), c = (e) => (e.side === "b" ? t.view.beside : t.view.run).tokens, l = (e, t, n) => {
		let r = Math.max(1, Math.floor((t + 2) / n));
		return e.length > r ? r < 3 ? e.slice(0, r) : `${e.slice(0, r - 1)}…` : e;
	};
	function u(e) {
		if (t.view.pair === null) return e.position === t.view.position;
		if (!e.partner) return !1;
		let { shift: n } = t.view.pair;
		return e.side === "b" ? t.view.run.tokens[e.position + n] !== t.view.beside.tokens[e.position] : t.view.beside.tokens[e.position - n] !== t.view.run.tokens[e.position];
	}
	function d(e) {
		if (e.length === 0) return [];
		let n = Ns(e[0].side === "b" ? t.view.beside : t.view.run, e[0].stage), i = e.some((e) => n[e.position].length * r > e.width), a = [];
		for (let t of e) {
			let e = n[t.position], r = t.position === n.length - 1, o = a.at(-1);
			i && o?.word === e ? a[a.length - 1] = {
				...o,
				width: o.width + t.width,
				last: r
			} : a.push({
				x: t.x,
				width: t.width,
				word: e,
				joined: i,
				last: r
			});
		}
		return a;
	}
	let f = /* @__PURE__ */ k(() => [...d(B(a).filter((e) => e.side !== "b")), ...d(B(a).filter((e) => e.side === "b"))]), p = /* @__PURE__ */ k(() => t.layout.columns[0].kind === "sublayer" ? B(o).map((e) => ({
		column: e,
		word: Ns(t.view.run, e.stage)[e.position]
	})) : []), m = /* @__PURE__ */ k(() => {
		if (t.view.pair === null || t.layout.columns[0].side !== "both") return [];
		let [e, n] = [Ns(t.view.run, t.view.stage), Ns(t.view.beside, t.view.besideStage)];
		return B(a).filter((r) => r.partner && n[r.position - t.view.pair.shift] !== e[r.position]).map((e) => ({
			column: e,
			word: n[e.position - t.view.pair.shift]
		}));
	}), h = /* @__PURE__ */ k(() => {
		let e = [];
		for (let n of B(o)) {
			let { block: r } = t.view.run.stages[n.stage], i = e.at(-1);
			i?.block === r ? i.width += n.width : e.push({
				block: r,
				x: n.x,
				width: n.width
			});
		}
		return e;
	}), g = (e, t) => e.kind === "embedding" ? t >= 28 ? "emb" : "e" : e.kind === "attention" ? t >= 28 ? "att" : "a" : "ff", _ = {
		embedding: "embedding",
		attention: "attention",
		"feed-forward": "feed-forward"
	};
	var v = Qp(), y = P(v);
	Y(y, "aria-rowindex", 1);
	var b = N(y);
	q(b, 17, () => B(a), Ur, (e, r) => {
		let a = /* @__PURE__ */ k(() => $s(c(B(r))[B(r).position])), o = /* @__PURE__ */ k(() => u(B(r)));
		var d = Up(), f = P(d);
		Y(f, "tabindex", -1);
		var p = N(f), m = (e) => {
			var t = zp();
			let s;
			var c = N(t, !0), u = F(I(c), !0);
			O(t), L((e) => {
				s = J(t, 0, "token svelte-drcb8a", null, s, { strong: B(o) }), Y(t, "x", B(r).x + B(r).width / 2), Y(t, "y", B(i)), Y(t, "font-size", B(r).width < 14 ? 11.5 : 13.5), G(c, e), G(u, B(a));
			}, [() => B(r).width < 8 ? B(a).slice(0, 6) : l(B(a), B(r).width, B(r).width < 14 ? 6.8 : n)]), W(e, t);
		}, h = /* @__PURE__ */ k(() => B(r).width >= 8 || t.labelled.has(B(r).position) || B(o));
		K(p, (e) => {
			B(h) && e(m);
		});
		var g = I(p), _ = (e) => {
			var n = Bp();
			L(() => {
				Y(n, "x1", B(r).x + 2), Y(n, "x2", B(r).x + B(r).width - 2), Y(n, "y1", t.layout.arcs + 25), Y(n, "y2", t.layout.arcs + 25);
			}), W(e, n);
		};
		K(g, (e) => {
			B(o) && e(_);
		}), O(f);
		var v = I(f), y = (e) => {
			var i = Vp(), a = F(i, !0);
			L((e) => {
				Y(i, "x", B(r).x + B(r).width / 2), Y(i, "y", t.layout.arcs - 2), G(a, e);
			}, [() => l($s(t.view.beside.tokens[B(r).position - t.view.pair.shift]), B(r).width, n)]), W(e, i);
		};
		K(v, (e) => {
			t.layout.columns[0].side === "both" && B(o) && e(y);
		});
		var b = I(v), x = (e) => {
			var n = Hp(), i = F(n, !0);
			L(() => {
				Y(n, "x", B(r).x + B(r).width / 2), Y(n, "y", t.layout.arcs + 30), G(i, B(r).position);
			}), W(e, n);
		};
		K(b, (e) => {
			B(s) && B(r).position % 10 == 0 && e(x);
		}), L(() => {
			Y(f, "data-position", B(r).position), Y(f, "data-side", B(r).side), Y(f, "aria-label", `position ${B(r).position}, ${B(a)}`), Y(f, "opacity", B(r).partner ? 1 : .5);
		}), W(e, d);
	}), q(I(b), 17, () => B(o), (e) => e.step, (e, n) => {
		let r = /* @__PURE__ */ k(() => t.view.steps[B(n).step]);
		var a = Wp();
		Y(a, "tabindex", -1);
		var o = N(a);
		let s;
		var c = F(o, !0);
		O(a), L((e) => {
			Y(a, "data-step", B(n).step), Y(a, "aria-label", `${_[B(r).kind]}${B(r).block === -1 ? "" : ` of block ${B(r).block}`}`), s = J(o, 0, "kind svelte-drcb8a", null, s, { strong: B(n).step === t.view.step }), Y(o, "x", B(n).x + B(n).width / 2), Y(o, "y", B(i)), G(c, e);
		}, [() => g(B(r), B(n).width)]), W(e, a);
	}), O(y);
	var x = I(y);
	q(x, 17, () => B(h), ({ block: e, x: t, width: n }) => t, (e, n) => {
		let r = () => B(n).block, i = () => B(n).x, a = () => B(n).width;
		var o = Kp(), s = P(o), c = (e) => {
			var n = Gp(), o = F(n, !0);
			L(() => {
				Y(n, "x", i() + a() / 2), Y(n, "y", t.layout.arcs - 6), G(o, a() > 54 ? `block ${r()}` : a() > 18 ? `b${r()}` : r());
			}), W(e, n);
		};
		K(s, (e) => {
			r() >= 0 && e(c);
		});
		var l = I(s);
		L(() => {
			Y(l, "x1", i() + 2), Y(l, "x2", i() + a() - 2), Y(l, "y1", t.layout.arcs), Y(l, "y2", t.layout.arcs);
		}), W(e, o);
	});
	var S = I(x), C = (e) => {
		let r = /* @__PURE__ */ k(() => t.layout.columns[0].kind === "sublayer" ? 0 : t.layout.width - 2);
		var i = qp();
		let a;
		var o = F(N(i), !0);
		Te(), O(i), L((e) => {
			Y(i, "x", B(r)), Y(i, "y", t.layout.arcs - 26), a = li(i, "", a, { "text-anchor": B(r) === 0 ? "start" : "end" }), G(o, e);
		}, [() => l($s(t.view.run.tokens[t.view.position]), 110, n)]), W(e, i);
	};
	K(S, (e) => {
		t.layout.history !== null && e(C);
	});
	var w = I(S);
	q(w, 17, () => B(f), ({ x: e, width: t, word: n, joined: r, last: i }) => e, (e, n) => {
		let i = () => B(n).x, a = () => B(n).width, o = () => B(n).word, s = () => B(n).joined, c = () => B(n).last;
		var l = Xp(), u = P(l), d = (e) => {
			var n = Jp();
			L(() => {
				Y(n, "x1", i() + 2), Y(n, "x2", i() + a() - 2), Y(n, "y1", t.layout.bottom + 3), Y(n, "y2", t.layout.bottom + 3);
			}), W(e, n);
		};
		K(u, (e) => {
			s() && e(d);
		});
		var f = I(u), p = (e) => {
			var n = Yp();
			let r;
			var s = F(n, !0);
			L(() => {
				r = J(n, 0, "said svelte-drcb8a", null, r, { strong: c() }), Y(n, "x", i() + a() / 2), Y(n, "y", t.layout.bottom + 17), G(s, o());
			}), W(e, n);
		};
		K(f, (e) => {
			(!s() || a() > o().length * r - (c() ? 20 : 0)) && e(p);
		}), W(e, l);
	});
	var T = I(w);
	q(T, 17, () => B(p), ({ column: e, word: t }) => e.step, (e, n) => {
		let i = () => B(n).column, a = () => B(n).word;
		var o = Yp();
		let s;
		var c = F(o, !0);
		L((e) => {
			s = J(o, 0, "said svelte-drcb8a", null, s, { strong: i().step === t.view.step }), Y(o, "x", i().x + i().width / 2), Y(o, "y", t.layout.bottom + 17), G(c, e);
		}, [() => l(a(), i().width, r)]), W(e, o);
	}), q(I(T), 17, () => B(m), ({ column: e, word: t }) => e.position, (e, n) => {
		let i = () => B(n).column, a = () => B(n).word;
		var o = Zp(), s = F(o, !0);
		L((e) => {
			Y(o, "x", i().x + i().width / 2), Y(o, "y", t.layout.bottom + 33), G(s, e);
		}, [() => l(a(), i().width, r)]), W(e, o);
	}), W(e, v), Ge();
}
// src/view/stream/Labels.svelte
var em = /* @__PURE__ */ U("<text class=\"above svelte-woqpkb\" x=\"0\"> </text>"), tm = /* @__PURE__ */ U("<text class=\"says svelte-woqpkb\">A, left half</text><text class=\"says svelte-woqpkb\">B, right half</text>", 1), nm = /* @__PURE__ */ U("<text class=\"group svelte-woqpkb\"> </text>"), rm = /* @__PURE__ */ U("<text class=\"writer svelte-woqpkb\" x=\"0\"> </text>"), im = /* @__PURE__ */ U("<text> <title> </title></text><!>", 1), am = /* @__PURE__ */ U("<svg class=\"labels svelte-woqpkb\" aria-hidden=\"true\"><rect class=\"ground svelte-woqpkb\"></rect><!><!><!><!><text class=\"says svelte-woqpkb\">would say</text></svg>");
function om(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ k(() => t.layout.labelWidth - 8), r = /* @__PURE__ */ k(() => t.layout.narrow ? 14 : 20), i = /* @__PURE__ */ k(() => t.view.pair !== null || t.layout.columns[0].kind === "sublayer" ? [] : t.view.here.kind === "attention" ? ["who reads", "whom"] : t.view.here.kind === "feed-forward" ? ["which neurons", "fired"] : []), a = /* @__PURE__ */ k(() => t.layout.columns[0].side === "both"), o = (e) => e.length > B(r) ? `${e.slice(0, B(r) - 1)}…` : e, s = (e) => t.view.lane !== null && e.lane.a === t.view.lane;
	var c = am(), l = N(c), u = I(l);
	q(u, 17, () => B(i), Ur, (e, n, r) => {
		var i = em(), a = F(i, !0);
		L(() => {
			Y(i, "y", t.layout.arcs - 26 + r * 15), G(a, B(n));
		}), W(e, i);
	});
	var d = I(u), f = (e) => {
		var r = tm(), i = P(r), a = I(i);
		L(() => {
			Y(i, "x", B(n)), Y(i, "y", t.layout.arcs + 18), Y(a, "x", B(n)), Y(a, "y", t.layout.arcs - 2);
		}), W(e, r);
	};
	K(d, (e) => {
		B(a) && e(f);
	});
	var p = I(d);
	q(p, 17, () => t.layout.groups, (e) => e.y, (e, n) => {
		var r = nm(), i = F(r, !0);
		L(() => {
			Y(r, "x", t.layout.manyLanes ? 34 : 0), Y(r, "y", B(n).y + 11), G(i, t.layout.manyLanes ? "" : B(n).name);
		}), W(e, r);
	});
	var m = I(p);
	q(m, 17, () => t.layout.rows, (e) => e.shared, (e, r) => {
		let i = /* @__PURE__ */ k(() => B(r).y + t.layout.rowHeight / 2 + 4);
		var a = im(), c = P(a);
		let l;
		var u = N(c, !0), d = F(I(u), !0);
		O(c);
		var f = I(c), p = (e) => {
			var t = rm(), n = F(t, !0);
			L(() => {
				Y(t, "y", B(i)), G(n, B(r).writer);
			}), W(e, t);
		};
		K(f, (e) => {
			!t.layout.narrow && !t.layout.manyLanes && e(p);
		}), L((e, t) => {
			l = J(c, 0, "lane svelte-woqpkb", null, l, { current: e }), Y(c, "x", B(n)), Y(c, "y", B(i)), G(u, t), G(d, B(r).lane.name);
		}, [() => s(B(r)), () => o(B(r).label)]), W(e, a);
	});
	var h = I(m);
	O(c), L(() => {
		Y(c, "width", t.layout.labelWidth), Y(c, "height", t.layout.height), Y(l, "width", t.layout.labelWidth), Y(l, "height", t.layout.height), Y(h, "x", B(n)), Y(h, "y", t.layout.bottom + 16);
	}), W(e, c), Ge();
}
// src/view/stream/Legend.svelte
var sm = /* @__PURE__ */ H("<i class=\"end svelte-f5o6dp\">−∞</i>"), cm = /* @__PURE__ */ H("<i class=\"svelte-f5o6dp\"></i>"), lm = /* @__PURE__ */ H("<i class=\"end svelte-f5o6dp\">∞</i>"), um = /* @__PURE__ */ H("<span class=\"svelte-f5o6dp\">most values changed: no rings</span>"), dm = /* @__PURE__ */ U("<rect x=\"3\" y=\"3\" width=\"4\" height=\"8\"></rect>"), fm = /* @__PURE__ */ H("<span class=\"svelte-f5o6dp\"><svg width=\"22\" height=\"14\" aria-hidden=\"true\"><!><rect class=\"ring svelte-f5o6dp\" x=\"1\" y=\"1\" width=\"20\" height=\"12\"></rect></svg> </span>"), pm = /* @__PURE__ */ H("<span class=\"svelte-f5o6dp\"> </span>"), mm = /* @__PURE__ */ H("<span class=\"svelte-f5o6dp\"><span class=\"writer svelte-f5o6dp\">B</span> a lane that only B has</span>"), hm = /* @__PURE__ */ H("<span class=\"svelte-f5o6dp\"><span class=\"writer svelte-f5o6dp\">b0</span> first block that writes the lane</span> <!>", 1), gm = /* @__PURE__ */ H("<div class=\"legend svelte-f5o6dp\"><span class=\"svelte-f5o6dp\"><span class=\"ramp svelte-f5o6dp\" aria-hidden=\"true\"><!> <!> <!></span> </span> <span class=\"svelte-f5o6dp\">· zero</span> <!> <!> <!></div>");
function _m(e, t) {
	We(t, !0);
	let n = [
		-1,
		-.8,
		-.6,
		-.4,
		-.2,
		0,
		.2,
		.4,
		.6,
		.8,
		1
	], r = /* @__PURE__ */ k(() => Math.log1p(4 * t.view.scale.top)), i = /* @__PURE__ */ k(() => n.map((e) => Math.sign(e) * Math.expm1(Math.abs(e) * B(r) * .9999) * .25).map((e) => Xu(e, t.view.scale, t.view.theme) ?? "transparent")), a = /* @__PURE__ */ k(() => {
		let { infinity: e } = t.view.scale;
		if (e === null) return null;
		let [n, r] = [e, -e].map((e) => Xu(e, t.view.scale, t.view.theme));
		return {
			plus: n,
			minus: r
		};
	}), o = /* @__PURE__ */ k(() => Xu(t.view.scale.top / 4, t.view.scale, t.view.theme)), s = /* @__PURE__ */ k(() => t.view.numbers.short(t.view.scale.top));
	var c = gm(), l = N(c), u = N(l), d = N(u), f = (e) => {
		var t = sm();
		let n;
		L((e) => n = li(t, "", n, {
			background: B(a).minus,
			color: e
		}), [() => Zu(B(a).minus)]), W(e, t);
	};
	K(d, (e) => {
		B(a) && e(f);
	});
	var p = I(d, 2);
	q(p, 17, () => B(i), Ur, (e, t) => {
		var n = cm();
		let r;
		L(() => r = li(n, "", r, { background: B(t) })), W(e, n);
	});
	var m = I(p, 2), h = (e) => {
		var t = lm();
		let n;
		L((e) => n = li(t, "", n, {
			background: B(a).plus,
			color: e
		}), [() => Zu(B(a).plus)]), W(e, t);
	};
	K(m, (e) => {
		B(a) && e(h);
	}), O(u);
	var g = I(u);
	O(l);
	var _ = I(l, 4), v = (e) => {
		W(e, um());
	}, y = (e) => {
		var n = fm(), r = N(n), i = N(r), a = (e) => {
			var t = dm();
			L(() => Y(t, "fill", B(o))), W(e, t);
		};
		K(i, (e) => {
			t.view.pair === null && e(a);
		}), Te(), O(r);
		var s = I(r);
		O(n), L(() => G(s, ` ${t.view.pair === null ? "changed here; sliver: value before" : "A and B differ"}`)), W(e, n);
	};
	K(_, (e) => {
		t.noisy ? e(v) : e(y, -1);
	});
	var b = I(_, 2), x = (e) => {
		var n = pm(), r = F(n, !0);
		L((e) => G(r, e), [() => Zs(t.layout.hidden, "lane never differs and is hidden", "lanes never differ and are hidden")]), W(e, n);
	};
	K(b, (e) => {
		t.view.pair !== null && t.view.onlyDifferences && t.layout.hidden > 0 && e(x);
	});
	var S = I(b, 2), C = (e) => {
		var n = hm(), r = I(P(n), 2), i = (e) => {
			W(e, mm());
		}, a = /* @__PURE__ */ k(() => t.layout.rows.some((e) => e.writer === "B"));
		K(r, (e) => {
			B(a) && e(i);
		}), W(e, n);
	};
	K(S, (e) => {
		!t.layout.narrow && !t.layout.manyLanes && e(C);
	}), O(c), L(() => G(g, ` ${t.view.scale.infinity === null ? `−${B(s)} to ${B(s)}, log scale` : `∞ = ${t.view.scale.infinity}`}`)), W(e, c), Ge();
}
// src/view/stream/Neurons.svelte
var vm = /* @__PURE__ */ U("<text class=\"none svelte-1s652zg\">none</text>"), ym = /* @__PURE__ */ U("<g><rect height=\"16\" rx=\"8\" class=\"svelte-1s652zg\"></rect><text class=\"svelte-1s652zg\"> <title> </title></text></g>"), bm = /* @__PURE__ */ U("<circle></circle>"), xm = /* @__PURE__ */ U("<text class=\"more svelte-1s652zg\"> </text>"), Sm = /* @__PURE__ */ U("<!><!><!>", 1), Cm = /* @__PURE__ */ U("<path class=\"halo svelte-1s652zg\"></path><path class=\"line svelte-1s652zg\"></path>", 1), wm = /* @__PURE__ */ U("<line class=\"line svelte-1s652zg\"></line><circle class=\"key svelte-1s652zg\" r=\"3\"></circle>", 1), Tm = /* @__PURE__ */ U("<path class=\"line svelte-1s652zg\"></path>"), Em = /* @__PURE__ */ U("<!><!>", 1);
function Dm(e, t) {
	We(t, !0);
	let n = Ii(t, "view", 7), r = /* @__PURE__ */ k(() => n().run.stages[n().stage].block), i = /* @__PURE__ */ k(() => t.layout.columns.filter((e) => e.kind === "position")), a = /* @__PURE__ */ k(() => t.layout.columnWidth >= 56), o = /* @__PURE__ */ k(() => B(a) ? t.layout.arcs < 84 ? 2 : 3 : t.layout.columnWidth >= 14 ? 4 : 2), s = /* @__PURE__ */ k(() => B(i).map((e) => {
		let t = Tc(n().run, B(r), e.position), i = t.filter((e) => e.clears === null);
		return {
			column: e,
			all: t,
			fired: i,
			clearing: t.length - i.length
		};
	})), c = /* @__PURE__ */ k(() => B(s)[n().position]), l = /* @__PURE__ */ k(() => B(c).all.find((e) => e.neuron === n().neuron) ?? B(c).all[0]), u = (e) => B(a) ? t.layout.arcs - 12 - e * 18 : t.layout.arcs - 9 - e * 9;
	function d(e) {
		let r = e.name.replace(/^neuron /, "#"), i = e.adds.length === 1 ? `→ ${n().run.model.lanes[e.adds[0].lane]}` : "", a = Math.floor((t.layout.columnWidth - 8) / 6.6), o = r.startsWith("#") && i !== "" && i.length <= a ? i : r;
		return o.length > a ? `${o.slice(0, a - 1)}…` : o;
	}
	let f = /* @__PURE__ */ k(() => {
		if (B(l) === void 0 || t.layout.columnWidth < 20) return null;
		let { column: e } = B(c), n = Math.min(Math.max(0, B(c).fired.indexOf(B(l))), B(o) - 1), r = u(B(l).clears === null ? n : 0), i = (e) => e.map((e) => Xf(t.layout, e)).filter((e) => e !== null), s = i(B(l).key.map((e) => e.lane)), d = i(B(l).adds.map((e) => e.lane)), [f, p] = [e.x - 5, e.x + e.width + 7], m = B(a) ? 3 : e.width / 2 - 4;
		return {
			keys: s,
			values: d,
			left: f,
			right: p,
			from: e.x,
			to: e.x + e.width,
			rise: `M${f},${Math.max(...s, r)} L${f},${r + 5} Q${f},${r} ${f + 5},${r} L${e.x + m},${r}`,
			fall: `M${e.x + e.width - m},${r} L${p - 5},${r} Q${p},${r} ${p},${r + 5} L${p},${Math.max(...d, r)}`
		};
	});
	function p(e, t) {
		n().pinned = e, n().neuron = t;
	}
	var m = Em(), h = P(m);
	q(h, 17, () => B(s), ({ column: e, all: t, fired: n, clearing: r }) => e.position, (e, r) => {
		let i = () => B(r).column, s = () => B(r).all, c = () => B(r).fired, f = () => B(r).clearing, m = /* @__PURE__ */ k(() => i().x + i().width / 2);
		var h = Sm(), g = P(h), _ = (e) => {
			var n = vm();
			L(() => {
				Y(n, "x", B(m)), Y(n, "y", t.layout.arcs - 7);
			}), W(e, n);
		};
		K(g, (e) => {
			s().length === 0 && i().width >= 36 && e(_);
		});
		var v = I(g);
		q(v, 19, () => c().slice(0, B(o)), (e) => e.neuron, (e, t, r) => {
			let o = /* @__PURE__ */ k(() => i().position === n().position && B(t) === B(l));
			var s = kr(), c = P(s), f = (e) => {
				var n = ym();
				let a;
				var s = N(n), c = I(s), l = N(c, !0), f = F(I(l), !0);
				O(c), O(n), L((e, r, u) => {
					a = J(n, 0, "mark svelte-1s652zg", null, a, { on: B(o) }), Y(s, "x", i().x + 3), Y(s, "y", e), Y(s, "width", i().width - 6), Y(c, "x", B(m)), Y(c, "y", r), G(l, u), G(f, B(t).name);
				}, [
					() => u(B(r)) - 8,
					() => u(B(r)) + 4,
					() => d(B(t))
				]), V("click", n, () => p(i().position, B(t).neuron)), W(e, n);
			}, h = (e) => {
				var t = bm();
				let a;
				L((e, r) => {
					a = J(t, 0, "dot svelte-1s652zg", null, a, { on: i().position === n().position }), Y(t, "cx", B(m)), Y(t, "cy", e), Y(t, "r", r);
				}, [() => u(B(r)), () => Math.min(3.5, i().width * .35)]), W(e, t);
			};
			K(c, (e) => {
				B(a) ? e(f) : e(h, -1);
			}), W(e, s);
		});
		var y = I(v), b = (e) => {
			var t = xm(), n = F(t);
			L((e) => {
				Y(t, "x", B(m)), Y(t, "y", e), G(n, `${c().length > B(o) ? `+${c().length - B(o)}, ` : c().length > 0 ? "+" : ""}${f() ?? ""} clear${f() > 1 ? "" : "s"}`);
			}, [() => u(Math.min(c().length, B(o))) + 4]), W(e, t);
		}, x = (e) => {
			var t = xm(), n = F(t);
			L((e) => {
				Y(t, "x", B(m)), Y(t, "y", e), G(n, `+${c().length - B(o)}`);
			}, [() => u(B(o)) + (B(a) ? 4 : 2)]), W(e, t);
		};
		K(y, (e) => {
			i().width >= 56 && f() > 0 ? e(b) : c().length > B(o) && i().width >= 24 && e(x, 1);
		}), W(e, h);
	});
	var g = I(h), _ = (e) => {
		var n = Sm(), r = P(n);
		q(r, 17, () => [{
			line: B(f).rise,
			rows: B(f).keys
		}, {
			line: B(f).fall,
			rows: B(f).values
		}], Ur, (e, t) => {
			let n = () => B(t).line, r = () => B(t).rows;
			var i = kr(), a = P(i), o = (e) => {
				var t = Cm(), r = P(t), i = I(r);
				L(() => {
					Y(r, "d", n()), Y(i, "d", n());
				}), W(e, t);
			};
			K(a, (e) => {
				r().length > 0 && e(o);
			}), W(e, i);
		});
		var i = I(r);
		q(i, 17, () => B(f).keys, Ur, (e, t) => {
			var n = wm(), r = P(n), i = I(r);
			L(() => {
				Y(r, "x1", B(f).left), Y(r, "x2", B(f).from + 1), Y(r, "y1", B(t)), Y(r, "y2", B(t)), Y(i, "cx", B(f).from + 1), Y(i, "cy", B(t));
			}), W(e, n);
		}), q(I(i), 17, () => B(f).values, Ur, (e, n) => {
			var r = Tm();
			L(() => {
				Y(r, "d", `M${B(f).right},${B(n)} L${B(f).to + 1},${B(n)}`), Y(r, "marker-end", `url(#${t.arrow})`);
			}), W(e, r);
		}), W(e, n);
	};
	K(g, (e) => {
		B(f) !== null && e(_);
	}), W(e, m), Ge();
}
yr(["click"]);
// src/view/thumbnails.ts
var Om = 255, km = .28, Am = class {
	scale;
	colours;
	infinite;
	constructor(e, t) {
		this.scale = e;
		let n = Math.log1p(4 * e.top), r = (r) => Uint8Array.from(Array.from({ length: 256 }, (i, a) => jm(Xu(r * Math.expm1(a / Om * n * .9999) / 4 || r * 1e-9, e, t))).flat());
		this.colours = {
			plus: r(1),
			minus: r(-1)
		};
		let i = e.infinity ?? e.top;
		this.infinite = {
			plus: jm(Xu(i, e, t)),
			minus: jm(Xu(-i, e, t))
		};
	}
	write(e, t, n, r) {
		if (e === 0) return;
		let i = e > 0 ? "plus" : "minus", a = n * 4;
		if (Math.abs(e) === this.scale.infinity) t.set(this.infinite[i], a);
		else {
			let n = Math.round(Yu(e, this.scale) * Om) * 3;
			t.set(this.colours[i].subarray(n, n + 3), a);
		}
		t[a + 3] = 255 * r;
	}
};
function jm(e) {
	return [
		1,
		3,
		5
	].map((t) => parseInt(e.slice(t, t + 2), 16));
}
function Mm(e, t, n, r, i) {
	e.width = t.length, e.height = n;
	let a = e.getContext("2d");
	if (a === null) return;
	let o = a.createImageData(t.length, n);
	t.forEach((e, a) => {
		if (e === null) return;
		let s = e.run.stream[e.stage];
		for (let c = 0; c < n; c++) {
			let n = r(e.run, c);
			if (n < 0) continue;
			let l = s.values[e.position * s.columns + n];
			i.write(l, o.data, c * t.length + a, e.isStrong(c) ? 1 : km);
		}
	}), a.putImageData(o, 0, 0);
}
// src/view/stream/Overview.svelte
var Nm = /* @__PURE__ */ H("<i class=\"svelte-caz3ab\"></i>"), Pm = /* @__PURE__ */ H("<div class=\"overview svelte-caz3ab\" role=\"slider\" tabindex=\"0\" aria-orientation=\"vertical\" aria-valuemin=\"0\"><canvas class=\"svelte-caz3ab\"></canvas> <!></div>");
function Fm(e, t) {
	We(t, !0);
	let n = Ii(t, "view", 7), r = /* @__PURE__ */ k(() => t.layout.top + 18), i = /* @__PURE__ */ k(() => t.layout.bottom - B(r)), a = /* @__PURE__ */ k(() => Pf(n())), o = /* @__PURE__ */ k(() => new Am(n().scale, n().theme));
	function s(e) {
		let t = Rc(n().run, n().stage), r = n().run.model.lanes.length;
		Mm(e, $(n().run.tokens.length).map((e) => ({
			run: n().run,
			stage: n().stage,
			position: e,
			isStrong: (i) => n().stage === 0 || t[e * r + B(a)[i].a] === 1
		})), B(a).length, (e, t) => B(a)[t].a, B(o));
	}
	function c(e) {
		n().search = "", n().around = Math.max(0, Math.min(B(a).length - 1, e));
	}
	function l(e) {
		let t = e.currentTarget.getBoundingClientRect();
		c(Math.floor((e.clientY - t.top) / t.height * B(a).length));
	}
	function u(e) {
		let t = {
			ArrowDown: 12,
			ArrowUp: -12,
			PageDown: 96,
			PageUp: -96
		}[e.key];
		t !== void 0 && (e.preventDefault(), e.stopPropagation(), c((n().around ?? 0) + t));
	}
	let d = /* @__PURE__ */ k(() => t.layout.rows.map((e) => ({
		row: e,
		y: e.shared / B(a).length * B(i)
	})));
	var f = Pm();
	let p;
	var m = N(f);
	$r(m, () => s), q(I(m, 2), 17, () => B(d), ({ row: e, y: t }) => e.shared, (e, t) => {
		let n = () => B(t).y;
		var r = Nm();
		let i;
		L(() => i = li(r, "", i, { top: `${n()}px` })), W(e, r);
	}), O(f), L(() => {
		Y(f, "aria-label", `overview of all ${B(a).length} lanes`), Y(f, "aria-valuemax", B(a).length - 1), Y(f, "aria-valuenow", n().around ?? 0), Y(f, "aria-valuetext", n().around === null ? "the lanes that changed most" : `around lane ${n().around}`), p = li(f, "", p, {
			top: `${B(r)}px`,
			height: `${B(i)}px`
		});
	}), V("click", f, l), V("keydown", f, u), W(e, f), Ge();
}
yr(["click", "keydown"]);
// src/view/stream/Tip.svelte
var Im = /* @__PURE__ */ H("<b> </b>"), Lm = /* @__PURE__ */ H("<div class=\"tip svelte-7rsmxj\" aria-hidden=\"true\"> <!></div>");
function Rm(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ k(() => Math.max(4, Math.min(t.pointed.x + 14, window.innerWidth - 290))), r = (e) => `“${$s(e)}”`, i = /* @__PURE__ */ k(() => {
		if (t.pointed.arc !== null) return a(t.pointed.arc);
		if (t.pointed.cell === null) return null;
		let { column: e, row: n } = t.pointed.cell, i = e.side === "b" ? "b" : "a", o = (i === "b" ? t.view.beside : t.view.run).tokens;
		if (e.position >= o.length) return null;
		let s = `${n.lane.name} at ${e.position} ${r(o[e.position])}`, c = vp(t.view, n, i);
		if (c === null) return {
			about: s,
			values: [`${i === "b" ? "B" : "A"} has no such lane`]
		};
		let { value: l, before: u } = yp(t.view, e, n, i), d = [c.numbers.exact(l)];
		if (e.side === "both" && e.partner) {
			let r = yp(t.view, e, n, "b");
			d.push(r === null ? "B has no such lane" : `B: ${t.view.besideNumbers.exact(r.value)}`);
		} else u !== null && u !== l && d.push(`before ${c.numbers.exact(u)}`);
		return {
			about: s,
			values: d
		};
	});
	function a(e) {
		let n = e.side === "b" ? t.view.beside : t.view.run, i = e.side === "b" ? t.view.besideNumbers : t.view.numbers, a = e.side === "b" ? t.view.besideStage : t.view.stage, o = n.heads[n.stages[a].block]?.[e.head];
		if (o === void 0 || e.target >= n.tokens.length) return null;
		let s = i.exact(Q(o.weights, e.target, e.source)), c = i.exact(Q(o.scores, e.target, e.source));
		return {
			about: `head ${e.head}: ${r(n.tokens[e.target])} reads ${r(n.tokens[e.source])}`,
			values: [`weight ${s}`, `score ${c}`]
		};
	}
	var o = kr(), s = P(o), c = (e) => {
		var r = Lm();
		let a;
		var o = N(r);
		q(I(o), 17, () => B(i).values, Ur, (e, t, n) => {
			var r = Im();
			J(r, 1, "svelte-7rsmxj", null, {}, { first: n === 0 });
			var i = F(r, !0);
			L(() => G(i, B(t))), W(e, r);
		}), O(r), L(() => {
			a = li(r, "", a, {
				left: `${B(n)}px`,
				top: `${t.pointed.y + 16}px`
			}), G(o, `${B(i).about ?? ""} `);
		}), W(e, r);
	};
	K(s, (e) => {
		B(i) !== null && e(c);
	}), W(e, o), Ge();
}
// src/view/stream/Stream.svelte
var zm = /* @__PURE__ */ H("<label class=\"switch svelte-62son8\"><input type=\"checkbox\"/> only differences</label>"), Bm = /* @__PURE__ */ H("<button class=\"svelte-62son8\"> </button>"), Vm = /* @__PURE__ */ H("<span class=\"choice svelte-62son8\" role=\"group\" aria-label=\"columns\"></span>"), Hm = /* @__PURE__ */ H("<small> </small>"), Um = /* @__PURE__ */ H("<button class=\"plain\">show what changed most</button>"), Wm = /* @__PURE__ */ H("<p class=\"many svelte-62son8\"><label>lane <input type=\"search\" placeholder=\"name\" class=\"svelte-62son8\"/></label> <span> </span> <!></p>"), Gm = /* @__PURE__ */ H("<p class=\"note\"> </p>"), Km = /* @__PURE__ */ H("<canvas class=\"svelte-62son8\"></canvas>"), qm = /* @__PURE__ */ U("<rect class=\"chosen svelte-62son8\"></rect>"), Jm = /* @__PURE__ */ U("<rect class=\"chosen svelte-62son8\" x=\"0\"></rect>"), Ym = /* @__PURE__ */ U("<line class=\"rule svelte-62son8\" x1=\"0\"></line>"), Xm = /* @__PURE__ */ U("<g role=\"row\"><g role=\"gridcell\" class=\"only svelte-62son8\" tabindex=\"0\"><rect class=\"ground svelte-62son8\"></rect></g></g>"), Zm = /* @__PURE__ */ U("<text class=\"letter svelte-62son8\" y=\"12\"><tspan class=\"which svelte-62son8\"> </tspan> </text>"), Qm = /* @__PURE__ */ U("<text class=\"start svelte-62son8\" x=\"0\"> </text>"), $m = /* @__PURE__ */ U("<g data-side=\"a\"><!></g>"), eh = /* @__PURE__ */ U("<g data-side=\"b\"><!></g>"), th = /* @__PURE__ */ U("<!><!>", 1), nh = /* @__PURE__ */ H("<section class=\"panel stream\" aria-label=\"the stream\"><h2><span> </span> <!></h2> <!> <div class=\"measure\"><div class=\"scroll svelte-62son8\" data-unrolled=\"\"><!> <div class=\"sheet svelte-62son8\"><!> <!> <div class=\"grid svelte-62son8\"><!> <svg role=\"grid\" class=\"svelte-62son8\"><defs><marker viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"arrow svelte-62son8\" d=\"M0,0.5 L8,4 L0,7.5 z\"></path></marker></defs><rect class=\"ground svelte-62son8\"></rect><!><!><!><!><!><line class=\"rule svelte-62son8\" x1=\"0\"></line><!><!></svg></div></div></div></div> <div class=\"below svelte-62son8\"><!> <!></div> <!> <p class=\"spoken\"> </p></section>");
function rh(e, t) {
	let n = Ar();
	We(t, !0);
	let r = Ii(t, "view", 7), i = `arrow-${n}`, a = /* @__PURE__ */ j(760), o, s, c, l = /* @__PURE__ */ k(() => Ff(r(), B(a), t.narrow)), u = /* @__PURE__ */ k(() => Zf(r())), d = /* @__PURE__ */ k(() => ({
		view: r(),
		scale: r().scale,
		theme: r().theme,
		noisy: B(u),
		rowHeight: B(l).rowHeight
	})), f = /* @__PURE__ */ k(() => B(l).rows.length * B(l).columns.length > Cp), p = /* @__PURE__ */ k(() => B(l).columns.filter((e) => e.kind === "position" && e.side === "a")), m = /* @__PURE__ */ k(() => B(l).columns.filter((e) => e.side === "b")), h = /* @__PURE__ */ k(() => b(r().run.stages[r().stage])), g = /* @__PURE__ */ k(() => B(l).columns.find((e) => e.kind === "position" ? e.position === r().position : e.step === r().step)), _ = /* @__PURE__ */ k(() => B(l).rows.find((e) => e.lane.a >= 0 && e.lane.a === r().lane) ?? B(l).rows[0]), v = /* @__PURE__ */ k(() => B(m).at(-1) ?? B(l).columns.findLast((e) => e.kind === "position")), y = /* @__PURE__ */ k(() => B(v) === void 0 ? B(l).width : B(v).x + B(v).width);
	function b(e) {
		return e.kind === "attention" && e.present;
	}
	let x = /* @__PURE__ */ k(() => {
		if (B(l).columnWidth >= 8 || !B(h) || r().pair !== null) return /* @__PURE__ */ new Set();
		let { block: e } = r().run.stages[r().stage], t = Wl(r().run, e, r().head).flatMap((t) => Il(r().run, e, t, [r().position]).filter(Bl));
		return new Set(t.length <= 4 ? t.map((e) => e.source) : []);
	}), S = /* @__PURE__ */ k(() => {
		let { kind: e, block: n, besideBlock: i } = r().here;
		if (e === "embedding") return t.narrow ? "At the start" : "The stream at the start";
		let a = n === null ? `block ${i} of B` : `block ${n}`;
		return `${t.narrow ? "After" : "The stream after"} ${e} of ${a}`;
	}), C = /* @__PURE__ */ j(null);
	function w(e) {
		return B(l).columns.find((t) => e >= t.x && e < t.x + t.width) ?? null;
	}
	function T(e) {
		let t = c.getBoundingClientRect(), n = e.clientY - t.top, r = B(l).rows.find((e) => n >= e.y && n < e.y + B(l).rowHeight) ?? null;
		return {
			column: w(e.clientX - t.left),
			row: r,
			y: n
		};
	}
	function ee(e) {
		let t = e.target.closest("[data-arc]"), { column: n, row: r } = T(e), i = {
			x: e.clientX,
			y: e.clientY
		};
		if (t !== null) {
			let [e, n, r] = t.getAttribute("data-arc").split(" ").map(Number), a = t.closest("[data-side]")?.getAttribute("data-side") === "b" ? "b" : "a";
			M(C, {
				...i,
				cell: null,
				arc: {
					head: e,
					target: n,
					source: r,
					side: a
				}
			});
		} else M(C, n === null || r === null ? null : {
			...i,
			cell: {
				column: n,
				row: r
			},
			arc: null
		});
	}
	function te(e) {
		let { column: t, row: n, y: i } = T(e);
		t === null || i < B(l).arcs || e.target.closest("[data-arc]") !== null || (n !== null && n.lane.a >= 0 && (r().lane = n.lane.a), t.kind === "sublayer" ? (r().pinned = t.position, r().go(t.step)) : t.side !== "b" && (n === null ? r().pin(t.position) : (t.position !== r().position || r().pinned === null) && (r().pinned = t.position, r().neuron = null)));
	}
	function ne(e) {
		let t = e.target, [n, i] = [t.getAttribute("data-row"), t.getAttribute("data-column")];
		if (n === null || i === null || !t.matches(":focus-visible")) return;
		let a = t.getBoundingClientRect(), [o, s] = [B(l).rows[Number(n)], B(l).columns[Number(i)]];
		o.lane.a >= 0 && (r().lane = o.lane.a), M(C, {
			x: a.right - 8,
			y: a.bottom - 10,
			cell: {
				column: s,
				row: o
			},
			arc: null
		});
	}
	_n(() => {
		r().lanesShown = B(l).rows.map((e) => e.lane.a).filter((e) => e >= 0);
	}), _n(() => {
		r().lane, r().position, r().step, c.matches(":focus-within") && c.querySelector("[role=\"gridcell\"][tabindex=\"0\"]")?.focus({ preventScroll: !1 });
	});
	let re = null;
	_n(() => {
		let e = B(g), t = r().run;
		dr(() => {
			let n = s.clientWidth - B(l).labelWidth;
			if (B(l).width <= n + 2) return;
			let [r, i] = [e.x - 8, e.x + e.width + 8 - n];
			re === null ? s.scrollLeft = Math.max(0, Math.min(B(l).width - n, i)) : s.scrollLeft > r ? s.scrollLeft = r : s.scrollLeft < i && (s.scrollLeft = i), re = t;
		});
	});
	function ie(e) {
		Tp(e, B(d), B(l), wp(e));
	}
	let ae = /* @__PURE__ */ k(() => B(l).rows.indexOf(B(_))), oe = /* @__PURE__ */ k(() => B(l).columns.indexOf(B(g)));
	var se = nh(), ce = N(se), le = N(ce), ue = F(le, !0), de = I(le, 2), fe = (e) => {
		var t = zm(), n = N(t);
		bi(n), Te(), O(t), Di(n, () => r().onlyDifferences, (e) => r().onlyDifferences = e), W(e, t);
	}, pe = (e) => {
		var t = Vm();
		q(t, 20, () => ["positions", "sublayers"], (e) => e, (e, t) => {
			var n = Bm(), i = F(n, !0);
			L(() => {
				Y(n, "aria-pressed", r().across === t), G(i, t);
			}), V("click", n, () => r().across = t), W(e, n);
		}), O(t), W(e, t);
	}, me = (e) => {
		var n = Hm(), i = F(n);
		L(() => G(i, `${t.narrow ? "" : `${r().run.tokens.length} positions × ${B(l).total} lanes · `}${r().run.model.arithmetic ?? ""}${r().numbers.infinity === null ? "" : " · exact"}`)), W(e, n);
	};
	K(de, (e) => {
		r().pair === null ? B(l).roomForBoth ? e(me, -1) : e(pe, 1) : e(fe);
	}), O(ce);
	var he = I(ce, 2), ge = (e) => {
		var t = Wm(), n = N(t), i = I(N(n));
		bi(i), O(n);
		var a = I(n, 2), o = F(a, !0), s = I(a, 2), c = (e) => {
			var t = Um();
			V("click", t, () => {
				r().around = null, r().search = "";
			}), W(e, t);
		};
		K(s, (e) => {
			(r().around !== null || r().search !== "") && e(c);
		}), O(t), L(() => G(o, B(l).groups[0].name)), V("input", i, () => r().around = null), Ei(i, () => r().search, (e) => r().search = e), W(e, t);
	};
	K(he, (e) => {
		B(l).manyLanes && e(ge);
	});
	var _e = I(he, 2), ve = N(_e), ye = N(ve), be = (e) => {
		var t = Gm(), n = F(t, !0);
		L(() => G(n, r().search === "" ? "The two runs differ in no lane." : "No lane has this in its name.")), W(e, t);
	};
	K(ye, (e) => {
		B(l).rows.length === 0 && e(be);
	});
	var xe = I(ye, 2), E = N(xe);
	om(E, {
		get view() {
			return r();
		},
		get layout() {
			return B(l);
		}
	});
	var Se = I(E, 2), D = (e) => {
		Fm(e, {
			get view() {
				return r();
			},
			get layout() {
				return B(l);
			}
		});
	};
	K(Se, (e) => {
		B(l).manyLanes && B(l).rows.length > 0 && e(D);
	});
	var Ce = I(Se, 2), we = N(Ce), Ee = (e) => {
		var t = Km();
		let n;
		$r(t, () => ie), L(() => n = li(t, "", n, {
			width: `${B(l).width}px`,
			height: `${B(l).height}px`
		})), W(e, t);
	};
	K(we, (e) => {
		B(f) && e(Ee);
	});
	var De = I(we, 2), Oe = N(De), ke = F(Oe), Ae = I(Oe), je = I(Ae), Me = (e) => {
		var t = kr();
		q(P(t), 17, () => B(l).columns, Ur, (e, t) => {
			var n = kr(), i = P(n), a = (e) => {
				var n = qm();
				L(() => {
					Y(n, "x", B(t).x), Y(n, "y", B(l).arcs - 1), Y(n, "width", B(t).width), Y(n, "height", B(l).bottom - B(l).arcs + 24);
				}), W(e, n);
			};
			K(i, (e) => {
				(B(t) === B(g) || B(t).kind === "sublayer" && B(t).step === r().step) && e(a);
			}), W(e, n);
		}), W(e, t);
	};
	K(je, (e) => {
		r().pair === null && e(Me);
	});
	var Ne = I(je), Pe = (e) => {
		var t = Jm();
		L(() => {
			Y(t, "y", B(_).y), Y(t, "width", B(l).width), Y(t, "height", B(l).rowHeight);
		}), W(e, t);
	};
	K(Ne, (e) => {
		r().lane !== null && B(_) !== void 0 && B(_).lane.a === r().lane && e(Pe);
	});
	var Fe = I(Ne);
	q(Fe, 17, () => B(l).groups, (e) => e.y, (e, t) => {
		var n = Ym();
		L(() => {
			Y(n, "x2", B(y)), Y(n, "y1", B(t).y + 8), Y(n, "y2", B(t).y + 8);
		}), W(e, n);
	});
	var Ie = I(Fe), Le = (e) => {
		var t = Xm(), n = N(t), i = F(n);
		O(t), L((e) => {
			Y(t, "aria-rowindex", B(ae) + 2), Y(n, "aria-colindex", B(oe) + 2), Y(n, "aria-label", e), Y(n, "data-row", B(ae)), Y(n, "data-column", B(oe)), Y(i, "x", B(g).x), Y(i, "y", B(_).y), Y(i, "width", B(g).width), Y(i, "height", B(l).rowHeight);
		}, [() => Sp(r(), B(g), B(_))]), W(e, t);
	}, Re = (e) => {
		Rp(e, {
			get view() {
				return r();
			},
			get layout() {
				return B(l);
			},
			get painting() {
				return B(d);
			}
		});
	};
	K(Ie, (e) => {
		B(f) ? e(Le) : e(Re, -1);
	});
	var ze = I(Ie);
	$p(ze, {
		get view() {
			return r();
		},
		get layout() {
			return B(l);
		},
		get labelled() {
			return B(x);
		}
	});
	var Be = I(ze), Ve = I(Be), He = (e) => {
		var n = kr();
		q(P(n), 17, () => [{
			letter: "A",
			columns: B(p),
			name: t.names.a
		}, {
			letter: "B",
			columns: B(m),
			name: t.names.b
		}], ({ letter: e, columns: t, name: n }) => e, (e, t) => {
			let n = () => B(t).letter, r = () => B(t).columns, i = () => B(t).name;
			var a = Zm(), o = N(a), s = F(o, !0), c = I(o);
			O(a), L((e) => {
				Y(a, "x", r()[0].x), G(s, n()), G(c, ` ${e ?? ""}`);
			}, [() => i().slice(0, Math.max(8, Math.floor((r().length * B(l).columnWidth - 20) / 6.6)))]), W(e, a);
		}), W(e, n);
	};
	K(Ve, (e) => {
		r().pair !== null && !t.narrow && e(He);
	});
	var Ue = I(Ve), Ke = (e) => {
		var n = kr(), a = P(n), o = (e) => {
			var n = kr(), a = P(n), o = (e) => {
				gp(e, {
					get view() {
						return r();
					},
					get layout() {
						return B(l);
					},
					get run() {
						return r().run;
					},
					get stage() {
						return r().stage;
					},
					get columns() {
						return B(p);
					},
					get arrow() {
						return i;
					}
				});
			}, s = (e) => {
				Dm(e, {
					get view() {
						return r();
					},
					get layout() {
						return B(l);
					},
					get arrow() {
						return i;
					}
				});
			}, c = (e) => {
				var n = Qm(), r = F(n, !0);
				L(() => {
					Y(n, "y", B(l).arcs - 12), G(r, t.narrow || B(l).width < 380 ? "tokens, position 0 first" : "nothing has moved yet: each column is its token’s own vector");
				}), W(e, n);
			};
			K(a, (e) => {
				B(h) ? e(o) : r().here.kind === "feed-forward" ? e(s, 1) : e(c, -1);
			}), W(e, n);
		}, s = (e) => {
			var t = th(), n = P(t), a = (e) => {
				var t = $m();
				gp(N(t), {
					get view() {
						return r();
					},
					get layout() {
						return B(l);
					},
					get run() {
						return r().run;
					},
					get stage() {
						return r().stage;
					},
					get columns() {
						return B(p);
					},
					get arrow() {
						return i;
					}
				}), O(t), W(e, t);
			};
			K(n, (e) => {
				r().here.block !== null && B(h) && e(a);
			});
			var o = I(n), s = (e) => {
				var t = eh();
				gp(N(t), {
					get view() {
						return r();
					},
					get layout() {
						return B(l);
					},
					get run() {
						return r().beside;
					},
					get stage() {
						return r().besideStage;
					},
					get columns() {
						return B(m);
					},
					get arrow() {
						return i;
					}
				}), O(t), W(e, t);
			}, c = /* @__PURE__ */ k(() => r().here.besideBlock !== null && b(r().beside.stages[r().besideStage]));
			K(o, (e) => {
				B(c) && e(s);
			}), W(e, t);
		};
		K(a, (e) => {
			r().pair === null ? e(o) : t.narrow || e(s, 1);
		}), W(e, n);
	};
	K(Ue, (e) => {
		B(l).columns[0].kind === "position" && e(Ke);
	}), O(De), Ni(De, (e) => c = e, () => c), O(Ce), O(xe), O(ve), Ni(ve, (e) => s = e, () => s), O(_e);
	var qe = I(_e, 2), Je = N(qe);
	_m(Je, {
		get view() {
			return r();
		},
		get layout() {
			return B(l);
		},
		get noisy() {
			return B(u);
		}
	}), Rd(I(Je, 2), {
		target: () => o,
		get name() {
			return `stream ${r().step ?? ""}`;
		}
	}), O(qe);
	var Ye = I(qe, 2), Xe = (e) => {
		Rm(e, {
			get view() {
				return r();
			},
			get pointed() {
				return B(C);
			}
		});
	};
	K(Ye, (e) => {
		B(C) !== null && e(Xe);
	});
	var Ze = F(I(Ye, 2));
	O(se), Ni(se, (e) => o = e, () => o), L((e) => {
		G(ue, B(S)), Y(De, "aria-label", `${B(S)}; the keys [ and ] move between positions, up and down between lanes`), Y(De, "aria-rowcount", B(l).rows.length + 1), Y(De, "aria-colcount", B(l).columns.length + 1), Y(De, "width", B(l).width), Y(De, "height", B(l).height), Y(ke, "id", i), Y(Ae, "width", B(l).width), Y(Ae, "height", B(l).height), Y(Be, "x2", B(y)), Y(Be, "y1", B(l).bottom), Y(Be, "y2", B(l).bottom), G(Ze, `${e ?? ""} is looked at, position ${r().position ?? ""}.`);
	}, [() => $s(r().run.tokens[r().position])]), vr("scroll", ve, () => M(C, null)), V("pointermove", De, ee), vr("pointerleave", De, () => M(C, null)), V("focusin", De, ne), V("focusout", De, () => M(C, null)), V("click", De, te), ji(_e, "clientWidth", (e) => M(a, e)), W(e, se), Ge();
}
yr([
	"click",
	"input",
	"pointermove",
	"focusin",
	"focusout"
]);
// src/view/Timeline.svelte
var ih = /* @__PURE__ */ H("<div><b class=\"svelte-xtlcs0\"> </b> </div>"), ah = /* @__PURE__ */ H("<span class=\"first svelte-xtlcs0\" title=\"first difference\"> </span>"), oh = /* @__PURE__ */ H("<i class=\"svelte-xtlcs0\"> </i>"), sh = /* @__PURE__ */ H("<span class=\"verb svelte-xtlcs0\">says</span>"), ch = /* @__PURE__ */ H("<button><span class=\"kind svelte-xtlcs0\"><span> </span> <!></span> <canvas class=\"svelte-xtlcs0\"></canvas> <span><!> </span></button>"), lh = /* @__PURE__ */ H("<div><nav aria-label=\"sublayers\" class=\"svelte-xtlcs0\"><div class=\"steps svelte-xtlcs0\"><!> <!></div></nav> <input class=\"slider svelte-xtlcs0\" type=\"range\" aria-label=\"sublayer\" min=\"0\"/></div>");
function uh(e, t) {
	We(t, !0);
	let n = /* @__PURE__ */ j(1200), r, i = /* @__PURE__ */ k(() => t.view.steps), a = /* @__PURE__ */ k(() => Math.max(t.narrow ? 44 : 48, B(n) / B(i).length)), o = /* @__PURE__ */ k(() => B(a) * B(i).length > B(n) + 2), s = /* @__PURE__ */ k(() => new Am(t.view.scale, t.view.theme)), c = /* @__PURE__ */ k(() => Pf(t.view)), l = {
		embedding: "embedding",
		attention: "attention",
		"feed-forward": "feed-forward"
	}, u = {
		embedding: "embed",
		attention: "attn",
		"feed-forward": "ff"
	}, d = /* @__PURE__ */ k(() => {
		let e = [];
		return B(i).forEach((t, n) => {
			let r = B(i)[n - 1];
			n > 0 && r.block === t.block && r.besideBlock === t.besideBlock ? e.at(-1).last = n : e.push({
				first: n,
				last: n,
				...f(t)
			});
		}), e;
	});
	function f(e) {
		if (e.block === -1) return {
			name: t.narrow && B(i).length > 6 ? "" : "start",
			origin: ""
		};
		let n = B(a) > 60 && B(i).length <= 16 && !t.narrow;
		if (e.block === null) {
			let r = t.view.beside.model.blocks[e.besideBlock].origin;
			return {
				name: n ? `B: block ${e.besideBlock}` : `B${e.besideBlock}`,
				origin: r
			};
		}
		return {
			name: n ? `block ${e.block}` : String(e.block),
			origin: t.view.run.model.blocks[e.block].origin
		};
	}
	let p = /* @__PURE__ */ k(() => B(i).map((e, n) => {
		let r = t.view.run.tokens.length - 1, a = t.view.run.model.classes[Ms(t.view.run, e.stage, r)], o = n > 0 ? t.view.run.model.classes[Ms(t.view.run, B(i)[n - 1].stage, r)] : null, { pair: s, beside: c } = t.view;
		if (s !== null && c !== null) {
			let t = c.model.classes[Ms(c, e.besideStage, c.tokens.length - 1)];
			return {
				count: s.counts[n],
				says: `${a} | ${t}`,
				isNew: !1
			};
		}
		return {
			count: Rc(t.view.run, e.stage).reduce((e, t) => e + t, 0),
			says: a,
			isNew: a !== o
		};
	}));
	function m(e) {
		let { count: n } = B(p)[e];
		return t.view.pair === null ? e === 0 ? "" : n === 0 ? "still" : `${n}${B(a) > 175 ? " changed" : ""}` : n === 0 ? "=" : String(n);
	}
	function h(e) {
		let n = B(i)[e], r = n.block === -1 ? "" : n.block === null ? ` of block ${n.besideBlock} of B` : ` of block ${n.block}`, { count: a, says: o } = B(p)[e];
		return `${n.kind}${r}, ${a} values ${t.view.pair === null ? "changed" : "differ"}, would say ${o}`;
	}
	function g(e) {
		return (n) => {
			let { stage: r, besideStage: a } = B(i)[e], { pair: o } = t.view, l = $(t.view.run.tokens.length).map((n) => ({
				run: t.view.run,
				stage: r,
				position: n,
				isStrong: o === null ? _(t.view.run, r, n) : (t) => o.differs(e, n, t)
			}));
			o !== null && (l.push(null), $(o.b.tokens.length).forEach((t) => {
				let n = t + o.shift;
				l.push({
					run: o.b,
					stage: a,
					position: t,
					isStrong: (t) => n >= 0 && o.differs(e, n, t)
				});
			})), Mm(n, l, B(c).length, (e, n) => e === t.view.run ? B(c)[n].a : B(c)[n].b, B(s));
		};
	}
	function _(e, t, n) {
		if (t === 0) return () => !0;
		let [r, i] = [e.stream[t], e.stream[t - 1].values], a = n * r.columns;
		return (e) => r.values[a + B(c)[e].a] !== i[a + B(c)[e].a];
	}
	_n(() => {
		let e = r.querySelector(`[data-step="${t.view.step}"]`);
		if (e === null || !B(o)) return;
		let [n, i] = [e.offsetLeft, e.offsetLeft + e.offsetWidth];
		(n < r.scrollLeft || i > r.scrollLeft + r.clientWidth) && (r.scrollLeft = n - r.clientWidth / 2);
	});
	var v = lh(), y = N(v), b = N(y);
	let x;
	var S = N(b);
	q(S, 17, () => B(d), (e) => e.first, (e, n) => {
		var r = ih();
		let i, o;
		var s = N(r), c = F(s, !0), l = I(s);
		O(r), L(() => {
			i = J(r, 1, "band svelte-xtlcs0", null, i, { now: t.view.step >= B(n).first && t.view.step <= B(n).last }), Y(r, "title", B(n).origin), o = li(r, "", o, { "grid-column": `${B(n).first + 1} / ${B(n).last + 2}` }), G(c, B(n).name), G(l, ` ${(B(a) * (B(n).last - B(n).first + 1) < 84 ? "" : B(n).origin) ?? ""}`);
		}), W(e, r);
	}), q(I(S, 2), 17, () => B(i), Ur, (e, n, r) => {
		let i = /* @__PURE__ */ k(() => B(p)[r]);
		var o = ch();
		let s;
		Y(o, "data-step", r);
		var c = N(o), d = N(c), f = F(d, !0), _ = I(d, 2), v = (e) => {
			var t = ah(), n = F(t);
			L(() => G(n, `◆${B(a) > 190 ? " first difference" : ""}`)), W(e, t);
		}, y = (e) => {
			var t = oh(), n = F(t, !0);
			L((e) => G(n, e), [() => m(r)]), W(e, t);
		};
		K(_, (e) => {
			t.view.pair?.first?.step === r ? e(v) : B(a) > 62 && e(y, 1);
		}), O(c);
		var b = I(c, 2);
		$r(b, () => g(r));
		var x = I(b, 2);
		let S;
		var C = N(x), w = (e) => {
			W(e, sh());
		};
		K(C, (e) => {
			B(a) > 105 && t.view.pair === null && e(w);
		});
		var T = I(C, 1, !0);
		O(x), O(o), L((e) => {
			s = J(o, 1, "step svelte-xtlcs0", null, s, {
				now: r === t.view.step,
				still: B(i).count === 0 && r > 0
			}), Y(o, "aria-label", e), Y(o, "aria-current", r === t.view.step ? "step" : void 0), G(f, (B(a) > 112 ? l : u)[B(n).kind]), S = J(x, 1, "says svelte-xtlcs0", null, S, { new: B(i).isNew }), G(T, B(i).says);
		}, [() => h(r)]), V("click", o, () => t.view.go(r)), W(e, o);
	}), O(b), O(y), Ni(y, (e) => r = e, () => r);
	var C = I(y, 2);
	bi(C);
	let w;
	O(v), L((e) => {
		x = li(b, "", x, { "grid-template-columns": `repeat(${B(i).length}, minmax(${t.narrow ? 44 : 48}px, 1fr))` }), Y(C, "max", B(i).length - 1), xi(C, t.view.step), Y(C, "aria-valuetext", e), w = li(C, "", w, { width: B(o) ? "100%" : `calc(100% - ${100 / B(i).length}% + 16px)` });
	}, [() => h(Math.min(t.view.step, B(i).length - 1))]), V("input", C, (e) => t.view.go(Number(e.currentTarget.value))), ji(v, "clientWidth", (e) => M(n, e)), W(e, v), Ge();
}
yr(["click", "input"]);
// src/view/App.svelte
var dh = /* @__PURE__ */ H("<button class=\"plain\" aria-label=\"previous sublayer\">←</button>"), fh = /* @__PURE__ */ H("<button class=\"plain\"> </button>"), ph = /* @__PURE__ */ H("<button class=\"plain\" aria-label=\"next sublayer\">→</button>"), mh = /* @__PURE__ */ H("<p class=\"empty svelte-9qg7ye\">Open a model file of Weightsmith, or drop it here. It stays on this machine.</p>"), hh = /* @__PURE__ */ H("<div class=\"controls svelte-9qg7ye\"><!></div> <!>", 1), gh = /* @__PURE__ */ H("<div class=\"buttons svelte-9qg7ye\"><!><!><!></div>"), _h = /* @__PURE__ */ H("<div class=\"bottom svelte-9qg7ye\"><!> <div class=\"where svelte-9qg7ye\"><b class=\"svelte-9qg7ye\"> </b> <span class=\"svelte-9qg7ye\"> </span></div> <!> <!></div>"), vh = /* @__PURE__ */ H("<!> <div class=\"controls svelte-9qg7ye\"><!> <!></div> <main><div class=\"column svelte-9qg7ye\"><!> <!></div> <aside class=\"column svelte-9qg7ye\"><!> <!> <!></aside></main> <footer class=\"svelte-9qg7ye\"><button class=\"link svelte-9qg7ye\">keys: ?</button></footer> <!>", 1), yh = /* @__PURE__ */ H("<div role=\"application\"><!> <!> <!></div>");
function bh(e, t) {
	We(t, !0);
	let n = (e) => {
		var t = dh();
		V("click", t, () => B(p)?.go(B(p).step - 1)), W(e, t);
	}, r = (e) => {
		var t = fh(), n = F(t, !0);
		L(() => G(n, B(p)?.playing ? "pause" : "play")), V("click", t, _), W(e, t);
	}, i = (e) => {
		var t = ph();
		V("click", t, () => B(p)?.go(B(p).step + 1)), W(e, t);
	}, a = Ii(t, "page", 7), o = Ii(t, "host", 7), s = /* @__PURE__ */ j(Jt(dr(() => o().clientWidth) || 1280)), c, l = /* @__PURE__ */ j(!1), u = /* @__PURE__ */ j(!1), d = /* @__PURE__ */ k(() => B(s) <= 560), f = /* @__PURE__ */ k(() => B(s) <= 900), p = /* @__PURE__ */ k(() => a().view), m = /* @__PURE__ */ k(() => B(p) === null ? null : B(p).run.stages[B(p).stage].kind), h = /* @__PURE__ */ k(() => B(p) !== null && B(p).run.stages[B(p).stage].present), g = /* @__PURE__ */ k(() => {
		let [e, t] = [a().current?.name ?? "", a().models[a().beside?.model ?? 0]?.name ?? ""], n = {
			a: a().input,
			b: a().beside?.input ?? a().input
		};
		return a().beside?.model === a().model ? n : {
			a: e,
			b: t
		};
	});
	yn(() => {
		o().dataset.theme = a().theme, a().view !== null && (a().view.theme = a().theme);
	}), _n(() => {
		let e = matchMedia("(prefers-color-scheme: dark)"), t = () => void (a().systemIsDark = e.matches);
		return e.addEventListener("change", t), () => e.removeEventListener("change", t);
	}), _n(() => {
		if (B(p) === null || !B(p).playing) return;
		let e = setInterval(() => {
			B(p).step >= B(p).steps.length - 1 ? B(p).playing = !1 : B(p).go(B(p).step + 1);
		}, 1100);
		return () => clearInterval(e);
	});
	function _() {
		B(p) !== null && (!B(p).playing && B(p).step >= B(p).steps.length - 1 && B(p).go(0), B(p).playing = !B(p).playing);
	}
	let v = "";
	_n(() => {
		if (!a().usesAddress || B(p) === null) return;
		let e = a().address, t = setTimeout(() => {
			v = `#${e}`, history.replaceState(history.state, "", v);
		}, 120);
		return () => clearTimeout(t);
	});
	function y() {
		if (!a().usesAddress || location.hash === v) return;
		let e = Ts(location.hash);
		e !== null && a().show(e);
	}
	function b(e) {
		B(p) === null || e.defaultPrevented || jc(e, {
			view: B(p),
			togglePlay: _,
			toInput: () => c.querySelector("[data-input]")?.select(),
			help: () => M(l, !0)
		}) && e.preventDefault();
	}
	function x(e) {
		(a().usesAddress || c.contains(e.target)) && b(e);
	}
	async function S(e) {
		M(u, !1);
		let t = e.dataTransfer?.files[0];
		t !== void 0 && (e.preventDefault(), await a().openFile(t));
	}
	function C(e) {
		e.dataTransfer?.types.includes("Files") && (e.preventDefault(), M(u, !0));
	}
	let w = /* @__PURE__ */ k(() => {
		if (B(p) === null || B(p).here.kind === "embedding") return "";
		let { block: e, besideBlock: t } = B(p).here;
		return e === null ? B(p).beside.model.blocks[t].origin : B(p).run.model.blocks[e].origin;
	});
	var T = yh();
	vr("keydown", Zt, x), vr("hashchange", Zt, y);
	let ee;
	var te = N(T);
	Ks(te, { get page() {
		return a();
	} });
	var ne = I(te, 2), re = (e) => {
		var t = hh(), n = P(t);
		hf(N(n), {
			get view() {
				return B(p);
			},
			get problem() {
				return a().problem;
			}
		}), O(n);
		var r = I(n, 2), i = (e) => {
			W(e, mh());
		};
		K(r, (e) => {
			a().problem === null && e(i);
		}), W(e, t);
	}, ie = (e) => {
		var t = vh(), o = P(t);
		uh(o, {
			get view() {
				return B(p);
			},
			get narrow() {
				return B(d);
			}
		});
		var s = I(o, 2), c = N(s), u = (e) => {
			var t = gh(), a = N(t);
			n(a);
			var o = I(a);
			r(o);
			var s = I(o);
			i(s), O(t), W(e, t);
		};
		K(c, (e) => {
			B(d) || e(u);
		}), hf(I(c, 2), {
			get view() {
				return B(p);
			},
			get problem() {
				return a().problem;
			}
		}), O(s);
		var _ = I(s, 2);
		let v;
		var y = N(_), b = N(y);
		rh(b, {
			get view() {
				return B(p);
			},
			get narrow() {
				return B(d);
			},
			get names() {
				return B(g);
			}
		});
		var x = I(b, 2), S = (e) => {
			Gd(e, { get view() {
				return B(p);
			} });
		};
		K(x, (e) => {
			B(f) || e(S);
		}), O(y);
		var C = I(y, 2), T = N(C), ee = (e) => {
			pc(e, { get view() {
				return B(p);
			} });
		}, te = (e) => {
			yf(e, { get view() {
				return B(p);
			} });
		}, ne = (e) => {
			hu(e, { get view() {
				return B(p);
			} });
		}, re = (e) => {
			Ou(e, { get view() {
				return B(p);
			} });
		};
		K(T, (e) => {
			B(p).pair === null ? B(m) === "embedding" ? e(te, 1) : B(m) === "attention" && B(h) ? e(ne, 2) : B(h) && e(re, 3) : e(ee);
		});
		var ie = I(T, 2);
		Fl(ie, { get view() {
			return B(p);
		} });
		var ae = I(ie, 2), oe = (e) => {
			Gd(e, { get view() {
				return B(p);
			} });
		};
		K(ae, (e) => {
			B(f) && e(oe);
		}), O(C), O(_);
		var se = I(_, 2), ce = F(se), le = I(se, 2), ue = (e) => {
			var t = _h(), a = N(t);
			n(a);
			var o = I(a, 2), s = N(o), c = F(s, !0), l = F(I(s, 2));
			O(o);
			var u = I(o, 2);
			r(u);
			var d = I(u, 2);
			i(d), O(t), L((e) => {
				G(c, e), G(l, `${B(p).step ?? ""} of ${B(p).steps.length - 1}${B(w) === "" ? "" : ` · ${B(w)}`}`);
			}, [() => ic(B(p), Math.min(B(p).step, B(p).steps.length - 1))]), W(e, t);
		};
		K(le, (e) => {
			B(d) && e(ue);
		}), L(() => v = J(_, 1, "svelte-9qg7ye", null, v, { old: a().problem !== null })), V("click", ce, () => M(l, !0)), W(e, t);
	};
	K(ne, (e) => {
		B(p) === null ? e(re) : e(ie, -1);
	});
	var ae = I(ne, 2), oe = (e) => {
		gc(e, { close: () => M(l, !1) });
	};
	K(ae, (e) => {
		B(l) && e(oe);
	}), O(T), Ni(T, (e) => c = e, () => c), L(() => {
		ee = J(T, 1, "page svelte-9qg7ye", null, ee, {
			narrow: B(d),
			middle: B(f),
			dragging: B(u)
		}), Y(T, "aria-label", a().title || "Weightsmith: a transformer and what happens in it");
	}), vr("dragover", T, C), vr("dragleave", T, () => M(u, !1)), vr("drop", T, S), ji(T, "clientWidth", (e) => M(s, e)), W(e, T), Ge();
}
yr(["click"]);
// src/view/models.ts
function xh(e) {
	return "model" in e ? e : {
		name: e.name,
		model: Ja(e.bytes)
	};
}
async function Sh(e) {
	let t = Uint8Array.from(atob(e), (e) => e.charCodeAt(0)), n = new Blob([t]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(n).arrayBuffer());
}
function Ch(e) {
	return e.replace(/\.safetensors$/i, "");
}
// src/view/alignment.ts
function wh(e) {
	return $(e.stages.length).filter((t) => e.stages[t].present).map((t) => ({
		stage: t,
		besideStage: null,
		kind: e.stages[t].kind,
		block: e.stages[t].block,
		besideBlock: null
	}));
}
var Th = class {
	a;
	b;
	shift;
	lanes;
	steps;
	counts;
	first;
	everDiffers;
	marks;
	constructor(e, t) {
		this.a = e, this.b = t, this.shift = e.tokens.length - t.tokens.length, this.lanes = Oh(e.model.lanes, t.model.lanes), this.steps = jh(e, t), this.marks = this.steps.map((e, t) => this.compare(t)), this.counts = this.marks.map((e) => e.reduce((e, t) => e + t, 0));
		let n = this.lanes.length;
		this.everDiffers = this.lanes.map((e, t) => this.marks.some((e) => Dh(e, t, n)));
		let r = this.counts.findIndex((e) => e > 0), i = r < 0 ? -1 : this.marks[r].indexOf(1);
		this.first = r < 0 ? null : this.difference(r, Math.floor(i / n), i % n);
	}
	hasPartner(e) {
		return e - this.shift >= 0 && e >= 0 && e < this.a.tokens.length;
	}
	get partners() {
		return Math.min(this.a.tokens.length, this.b.tokens.length);
	}
	differs(e, t, n) {
		return this.marks[e][t * this.lanes.length + n] === 1;
	}
	differences(e) {
		let t = this.lanes.length, n = [];
		return this.marks[e].forEach((e, t) => e === 1 && n.push(t)), n.map((n) => this.difference(e, Math.floor(n / t), n % t)).sort((e, t) => Math.abs(t.a - t.b) - Math.abs(e.a - e.b));
	}
	difference(e, t, n) {
		let { stage: r, besideStage: i } = this.steps[e], a = this.lanes[n];
		return {
			step: e,
			position: t,
			lane: a,
			a: Eh(this.a, r, t, a.a),
			b: Eh(this.b, i, t - this.shift, a.b)
		};
	}
	compare(e) {
		let { stage: t, besideStage: n } = this.steps[e], r = new Uint8Array(this.a.tokens.length * this.lanes.length);
		for (let e = Math.max(0, this.shift); e < this.a.tokens.length; e++) this.lanes.forEach((i, a) => {
			Eh(this.a, t, e, i.a) !== Eh(this.b, n, e - this.shift, i.b) && (r[e * this.lanes.length + a] = 1);
		});
		return r;
	}
};
function Eh(e, t, n, r) {
	let i = e.stream[t];
	return r < 0 ? 0 : i.values[n * i.columns + r];
}
function Dh(e, t, n) {
	for (let r = t; r < e.length; r += n) if (e[r] === 1) return !0;
	return !1;
}
function Oh(e, t) {
	let n = new Map(t.map((e, t) => [e, t])), r = new Set(e), i = (e) => {
		let n = e;
		for (; n > 0 && !r.has(t[n - 1]);) n--;
		return $(e - n).map((e) => ({
			name: t[n + e],
			a: -1,
			b: n + e
		}));
	};
	return [...e.flatMap((e, t) => {
		let r = n.get(e) ?? -1;
		return [...r < 0 ? [] : i(r), {
			name: e,
			a: t,
			b: r
		}];
	}), ...i(t.length)];
}
function kh(e, t) {
	let n = [], [r, i] = [0, 0], a = (e, t) => {
		for (; r < e || i < t; r += +(r < e), i += +(i < t)) n.push([r < e ? r : -1, i < t ? i : -1]);
	};
	for (let [o, s] of Ah(e, t)) a(o, s), n.push([o, s]), [r, i] = [o + 1, s + 1];
	return a(e.length, t.length), n;
}
function Ah(e, t) {
	let n = e.map(() => t.map(() => 0)).concat([t.map(() => 0)]), r = (e, t) => n[e]?.[t] ?? 0, i = (n, r) => e[n].origin !== "" && e[n].origin === t[r].origin;
	for (let a = e.length - 1; a >= 0; a--) for (let e = t.length - 1; e >= 0; e--) n[a][e] = i(a, e) ? 1 + r(a + 1, e + 1) : Math.max(r(a + 1, e), r(a, e + 1));
	let a = [];
	for (let n = 0, o = 0; n < e.length && o < t.length;) i(n, o) ? a.push([n++, o++]) : r(n + 1, o) >= r(n, o + 1) ? n++ : o++;
	return a;
}
function jh(e, t) {
	let n = [{
		stage: 0,
		besideStage: 0,
		kind: "embedding",
		block: -1,
		besideBlock: -1
	}], [r, i] = [0, 0];
	for (let [a, o] of kh(e.model.blocks, t.model.blocks)) for (let [s, c] of ["attention", "feed-forward"].entries()) {
		a >= 0 && (r = 1 + 2 * a + s), o >= 0 && (i = 1 + 2 * o + s);
		let l = a >= 0 && e.stages[r].present, u = o >= 0 && t.stages[i].present;
		(l || u) && n.push({
			stage: r,
			besideStage: i,
			kind: c,
			block: a < 0 ? null : a,
			besideBlock: o < 0 ? null : o
		});
	}
	return n;
}
// src/view/view.svelte.ts
var Mh = class {
	#e = /* @__PURE__ */ j();
	get run() {
		return B(this.#e);
	}
	set run(e) {
		M(this.#e, e);
	}
	#t = /* @__PURE__ */ j(null);
	get beside() {
		return B(this.#t);
	}
	set beside(e) {
		M(this.#t, e);
	}
	#n = /* @__PURE__ */ j(0);
	get step() {
		return B(this.#n);
	}
	set step(e) {
		M(this.#n, e, !0);
	}
	#r = /* @__PURE__ */ j(null);
	get pinned() {
		return B(this.#r);
	}
	set pinned(e) {
		M(this.#r, e, !0);
	}
	#i = /* @__PURE__ */ j(null);
	get lane() {
		return B(this.#i);
	}
	set lane(e) {
		M(this.#i, e, !0);
	}
	#a = /* @__PURE__ */ j(null);
	get head() {
		return B(this.#a);
	}
	set head(e) {
		M(this.#a, e, !0);
	}
	#o = /* @__PURE__ */ j(null);
	get neuron() {
		return B(this.#o);
	}
	set neuron(e) {
		M(this.#o, e, !0);
	}
	#s = /* @__PURE__ */ j(null);
	get wanted() {
		return B(this.#s);
	}
	set wanted(e) {
		M(this.#s, e, !0);
	}
	#c = /* @__PURE__ */ j(!1);
	get onlyDifferences() {
		return B(this.#c);
	}
	set onlyDifferences(e) {
		M(this.#c, e, !0);
	}
	#l = /* @__PURE__ */ j("positions");
	get across() {
		return B(this.#l);
	}
	set across(e) {
		M(this.#l, e, !0);
	}
	#u = /* @__PURE__ */ j("");
	get search() {
		return B(this.#u);
	}
	set search(e) {
		M(this.#u, e, !0);
	}
	#d = /* @__PURE__ */ j(null);
	get around() {
		return B(this.#d);
	}
	set around(e) {
		M(this.#d, e, !0);
	}
	#f = /* @__PURE__ */ j(!1);
	get playing() {
		return B(this.#f);
	}
	set playing(e) {
		M(this.#f, e, !0);
	}
	#p = /* @__PURE__ */ j("light");
	get theme() {
		return B(this.#p);
	}
	set theme(e) {
		M(this.#p, e, !0);
	}
	lanesShown = [];
	#m = /* @__PURE__ */ k(() => this.beside === null ? null : new Th(this.run, this.beside));
	get pair() {
		return B(this.#m);
	}
	set pair(e) {
		M(this.#m, e);
	}
	#h = /* @__PURE__ */ k(() => this.pair?.steps ?? wh(this.run));
	get steps() {
		return B(this.#h);
	}
	set steps(e) {
		M(this.#h, e);
	}
	#g = /* @__PURE__ */ k(() => this.steps[Math.max(0, Math.min(this.step, this.steps.length - 1))]);
	get here() {
		return B(this.#g);
	}
	set here(e) {
		M(this.#g, e);
	}
	#_ = /* @__PURE__ */ k(() => Hc(this.run, this.here.stage, this.pinned));
	get position() {
		return B(this.#_);
	}
	set position(e) {
		M(this.#_, e);
	}
	#v = /* @__PURE__ */ k(() => Ku(this.run, this.beside));
	get scale() {
		return B(this.#v);
	}
	set scale(e) {
		M(this.#v, e);
	}
	#y = /* @__PURE__ */ k(() => new qs(this.run.model));
	get numbers() {
		return B(this.#y);
	}
	set numbers(e) {
		M(this.#y, e);
	}
	#b = /* @__PURE__ */ k(() => this.beside === null ? null : new qs(this.beside.model));
	get besideNumbers() {
		return B(this.#b);
	}
	set besideNumbers(e) {
		M(this.#b, e);
	}
	constructor(e, t = null) {
		this.run = e, this.beside = t;
	}
	get stage() {
		return this.here.stage;
	}
	set stage(e) {
		let t = this.steps.findIndex((t) => t.stage === e), n = this.steps.findIndex((t) => t.stage > e);
		this.go(t >= 0 ? t : n >= 0 ? n : this.steps.length - 1);
	}
	get besideStage() {
		return this.here.besideStage;
	}
	go(e) {
		this.step = Math.max(0, Math.min(e, this.steps.length - 1)), this.neuron = null;
	}
	goToOpening() {
		this.pair === null ? this.stage = Uc(this.run) : this.go(this.pair.first?.step ?? this.steps.length - 1);
	}
	pin(e) {
		this.pinned = this.pinned === e ? null : e, this.neuron = null;
	}
	release() {
		this.pinned = null, this.head = null, this.neuron = null, this.around = null, this.search = "";
	}
}, Nh = 40, Ph = class {
	#e = /* @__PURE__ */ j([]);
	get models() {
		return B(this.#e);
	}
	set models(e) {
		M(this.#e, e);
	}
	#t = /* @__PURE__ */ j(0);
	get model() {
		return B(this.#t);
	}
	set model(e) {
		M(this.#t, e, !0);
	}
	#n = /* @__PURE__ */ j("");
	get input() {
		return B(this.#n);
	}
	set input(e) {
		M(this.#n, e, !0);
	}
	#r = /* @__PURE__ */ j(null);
	get beside() {
		return B(this.#r);
	}
	set beside(e) {
		M(this.#r, e);
	}
	#i = /* @__PURE__ */ j(null);
	get problem() {
		return B(this.#i);
	}
	set problem(e) {
		M(this.#i, e);
	}
	#a = /* @__PURE__ */ j(null);
	get themeChosen() {
		return B(this.#a);
	}
	set themeChosen(e) {
		M(this.#a, e, !0);
	}
	#o = /* @__PURE__ */ j(!1);
	get systemIsDark() {
		return B(this.#o);
	}
	set systemIsDark(e) {
		M(this.#o, e, !0);
	}
	#s = /* @__PURE__ */ k(() => this.themeChosen ?? (this.systemIsDark ? "dark" : "light"));
	get theme() {
		return B(this.#s);
	}
	set theme(e) {
		M(this.#s, e);
	}
	#c = /* @__PURE__ */ j(null);
	get view() {
		return B(this.#c);
	}
	set view(e) {
		M(this.#c, e);
	}
	title;
	usesAddress;
	lastRun = 0;
	waiting;
	constructor(e) {
		if (this.models = e.models.map(xh), this.title = e.title ?? "", this.usesAddress = e.address ?? !1, this.themeChosen = e.theme ?? null, this.systemIsDark = matchMedia("(prefers-color-scheme: dark)").matches, this.models.length === 0) return;
		this.input = this.asText(0, e.input ?? null) ?? Ih(this.models[0].model), e.beside && (this.beside = {
			model: e.beside.model,
			input: this.asText(e.beside.model, e.beside.input)
		});
		let t = this.usesAddress ? Ts(location.hash) : null;
		t === null ? this.open() : this.show(t);
	}
	get current() {
		return this.models[this.model];
	}
	open() {
		this.attempt(!0);
	}
	typed() {
		clearTimeout(this.waiting), this.lastRun < Nh ? this.attempt(!1) : this.waiting = setTimeout(() => this.attempt(!1), 150);
	}
	chooseModel(e) {
		let t = this.current?.model;
		this.model = e, this.beside !== null && this.beside.model !== e && this.beside.input !== null && (this.beside = null), t !== void 0 && Lh(this.current.model, this.input) || (this.input = Ih(this.current.model)), this.open();
	}
	chooseBeside(e) {
		this.beside = e, this.open();
	}
	async openFile(e) {
		try {
			let t = xh({
				name: Ch(e.name),
				bytes: new Uint8Array(await e.arrayBuffer())
			});
			this.models = [...this.models, t], this.beside = null, this.chooseModel(this.models.length - 1);
		} catch (t) {
			this.problem = {
				text: `${e.name} cannot be opened: ${Rh(t)}`,
				vocabulary: null
			};
		}
	}
	get address() {
		let { view: e } = this;
		return ws({
			model: this.model,
			input: this.input,
			besideModel: this.beside?.model ?? null,
			besideInput: this.beside?.input ?? null,
			step: e?.step ?? null,
			position: e?.pinned ?? null,
			head: e?.head ?? null,
			onlyDifferences: e?.onlyDifferences ?? !1
		});
	}
	show(e) {
		let t = (e) => e != null && e < this.models.length;
		t(e.model) && (this.model = e.model), this.input = e.input ?? this.input, this.beside = t(e.besideModel) ? {
			model: e.besideModel,
			input: e.besideInput ?? null
		} : null, this.open();
		let { view: n } = this;
		n !== null && (e.step !== null && e.step !== void 0 && n.go(e.step), n.pinned = e.position ?? null, n.head = e.head ?? null, n.onlyDifferences = e.onlyDifferences ?? !1);
	}
	attempt(e) {
		let t = performance.now();
		try {
			let t = this.runOn(this.model, this.input), { beside: n } = this, r = n === null ? null : this.runOn(n.model, n.input ?? this.input);
			this.problem = null, this.take(t, r, e);
		} catch (e) {
			this.problem = e instanceof Fh ? e.problem : {
				text: Rh(e),
				vocabulary: null
			};
		}
		this.lastRun = performance.now() - t;
	}
	take(e, t, n) {
		this.view === null && (this.view = new Mh(e, t));
		let { view: r } = this;
		r.theme = this.theme;
		let i = r.run.tokens.length !== e.tokens.length;
		r.run = e, r.beside = t, r.pinned !== null && (n || i) && (r.pinned = null), n && (r.head = null, r.lane = null, r.wanted = null, r.search = "", r.around = null, r.goToOpening());
	}
	runOn(e, t) {
		let { model: n } = this.models[e], r = _s(n, t), i = r.find((e) => !n.vocabulary.includes(e));
		if (i !== void 0) throw new Fh(i, n);
		if (r.length === 0) throw new X("Type at least one token: an empty input has no decision.");
		return ys(n, r);
	}
	asText(e, t) {
		return t === null || typeof t == "string" ? t : t.join(this.models[e].model.vocabulary.every((e) => [...e].length === 1) ? "" : " ");
	}
}, Fh = class extends Error {
	problem;
	constructor(e, t) {
		super(e), this.problem = {
			text: `“${e}” is not a token of this model. It knows`,
			vocabulary: t.vocabulary
		};
	}
};
function Ih(e) {
	let t = e.vocabulary.every((e) => [...e].length === 1);
	return e.vocabulary.slice(0, 4).join(t ? "" : " ");
}
function Lh(e, t) {
	try {
		let n = _s(e, t);
		return n.length > 0 && n.every((t) => e.vocabulary.includes(t));
	} catch {
		return !1;
	}
}
function Rh(e) {
	return e instanceof Error ? e.message : String(e);
}
// src/main.ts
function zh(e, t) {
	let n = new Ph(t);
	e.dataset.weightsmith = "", e.dataset.theme = n.theme;
	let r = Fr(bh, {
		target: e,
		props: {
			page: n,
			host: e
		}
	}), i = {
		run: (e) => Bh(n, e),
		destroy: () => void zr(r)
	};
	return window.weightsmith ??= { run: i.run }, i;
}
function Bh(e, t) {
	let { model: n } = e.current, r = ys(n, typeof t == "string" ? _s(n, t) : t), i = r.stream.map(({ rows: e, columns: t, values: n }) => Array.from({ length: e }, (e, r) => Array.from(n.subarray(r * t, (r + 1) * t))));
	return {
		decision: r.decision,
		logits: Array.from(r.logits),
		stream: i
	};
}
async function Vh() {
	let e = document.getElementById("weightsmith-model");
	if (e === null) return;
	let t = JSON.parse(e.textContent ?? ""), n = await Promise.all(t.models.map(async ({ name: e, gzip: t }) => ({
		name: e,
		bytes: await Sh(t)
	}))), r = document.createElement("div");
	document.documentElement.classList.add("weightsmith-page"), document.body.append(r), t.title !== "" && (document.title = t.title), zh(r, {
		models: n,
		input: t.input,
		beside: t.beside,
		title: t.title,
		address: !0
	});
}
typeof document < "u" && Vh();
export { X as EngineError, Cs as infinityOf, zh as mount, Ja as readModel, Ss as readOff, _s as readTokens, ys as run };
