// What Python brings along, for the translated modules. Lists and tuples are arrays, dictionaries
// with words for keys are objects, all others are $Dict; None is null; enumerations are strings.
class $Object {
  constructor() { this.$begin(); }
  $begin() { this.$id = 0; this.$key = null; }
}
class $Dict {
  constructor() { this.map = new Map(); }
  toJSON() { return Object.fromEntries(this.map.values()); }
}
class $Set {
  constructor() { this.map = new Map(); }
  [Symbol.iterator]() { return this.map.values(); }
}
const $own = Object.hasOwn;
const $error = (kind, message) => Object.assign(new Error(`${kind}: ${message}`), { kind });
const $caught = (error, kinds) => error.kind !== undefined && kinds.includes(error.kind);
const $plain = (o) => o !== null && typeof o === "object" && Object.getPrototypeOf(o) === Object.prototype;

// Identity and equality by value. Equal values have equal keys; a key is a number or a string.
let $last = 0;
const $ids = new WeakMap();
const $id = (o) => {
  if (o instanceof $Object) return o.$id === 0 ? (o.$id = ++$last) : o.$id;
  let found = $ids.get(o);
  if (found === undefined) { found = ++$last; $ids.set(o, found); }
  return found;
};
const $fields = (kind, names, equal) => {
  kind.$fields = names;
  kind.$equal = equal;
  kind.prototype[Symbol.iterator] = function* () { for (const name of names) yield this[name]; };
};
const $structures = new Map();
const $structure = (o) => {
  const kind = o.constructor;
  let text = `${$id(kind)}`;
  for (const name of kind.$fields) text += $part(o[name]);
  let found = $structures.get(text);
  if (found === undefined) { found = `\u0001@${$structures.size}`; $structures.set(text, found); }
  return found;
};
const $words = new Map();
const $part = (v) => {
  if (typeof v === "number") return `,${v}`;
  if (typeof v !== "string") return $key(v);
  let found = $words.get(v);
  if (found === undefined) { found = `'${$words.size}`; $words.set(v, found); }
  return found;
};
let $lastTuple = null, $lastKey = "";
const $key = (v) => {
  switch (typeof v) {
    case "number": case "string": return v;
    case "boolean": return v ? "\u0001t" : "\u0001f";
    case "function": return `\u0001#${$id(v)}`;
  }
  if (v === null || v === undefined) return "\u0001n";
  if (v === $lastTuple) return $lastKey;
  if (Array.isArray(v)) {
    let out = "\u0001(";
    for (let i = 0; i < v.length; i++) out += $part(v[i]);
    $lastTuple = v;
    return ($lastKey = out + ")");
  }
  if (v instanceof $Object && v.constructor.$equal) return v.$key === null ? (v.$key = $structure(v)) : v.$key;
  if (v instanceof $Set) return `\u0001{${[...v.map.keys()].map($part).sort().join("")}}`;
  return `\u0001#${$id(v)}`;
};
const $eq = (a, b) => {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a == null && b == null;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((x, i) => $eq(x, b[i]));
  if (a instanceof $Object) {
    const kind = a.constructor;
    return kind === b.constructor && kind.$equal === true && kind.$fields.every((name) => $eq(a[name], b[name]));
  }
  if (a instanceof $Set) return b instanceof $Set && a.map.size === b.map.size && [...a.map.keys()].every((k) => b.map.has(k));
  const ones = $items(a), others = $items(b);
  return ones.length === others.length && ones.every(([k, v]) => $in(k, b) && $eq(v, $get(b, k)));
};
const $lt = (a, b) => {
  if (typeof a === "number" || typeof a === "string" || typeof a === "boolean") return a < b;
  if (a instanceof $Set) return a.map.size < b.map.size && $le(a, b);
  if (a instanceof $Object) return $lt($astuple(a), $astuple(b));
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) if (!$eq(a[i], b[i])) return $lt(a[i], b[i]);
  return a.length < b.length;
};
const $gt = (a, b) => $lt(b, a);
const $le = (a, b) => {
  if (typeof a === "number") return a <= b;
  if (a instanceof $Set) return [...a.map.keys()].every((k) => b.map.has(k));
  return !$lt(b, a);
};
const $ge = (a, b) => $le(b, a);
const $t = (v) => {
  if (v === null || v === undefined || v === false || v === 0 || v === "") return false;
  if (typeof v !== "object") return true;
  if (Array.isArray(v)) return v.length > 0;
  if (v instanceof $Object) return true;
  if (v instanceof $Dict || v instanceof $Set) return v.map.size > 0;
  return !$plain(v) || Object.keys(v).length > 0;
};
const $and = (a, b) => ($t(a) ? b() : a);
const $or = (a, b) => ($t(a) ? a : b());

// Sequences and dictionaries.
const $it = (o) => {
  if (Array.isArray(o)) return o;
  if (o instanceof $Dict) return $m.keys(o);
  return o[Symbol.iterator] === undefined ? Object.keys(o) : o;
};
const $list = (o) => (o === undefined ? [] : [...$it(o)]);
const $len = (o) => (o.length !== undefined ? o.length : o.map instanceof Map ? o.map.size : Object.keys(o).length);
const $dict = (o) => {
  if (o === undefined) return new $Dict();
  const pairs = o[Symbol.iterator] === undefined ? $items(o) : [...o];
  if (pairs.length > 0 && typeof pairs[0][0] === "string") return Object.fromEntries(pairs);
  const made = new $Dict();
  for (const [k, v] of pairs) made.map.set($key(k), [k, v]);
  return made;
};
$dict.fromkeys = (o, value = null) => {
  const made = new $Dict();
  for (const one of $it(o)) made.map.set($key(one), [one, value]);
  return made;
};
const $obj = (o) => (o instanceof $Dict ? Object.fromEntries(o.map.values()) : o);
const $set = (o) => {
  const made = new $Set();
  if (o !== undefined) for (const one of $it(o)) made.map.set($key(one), one);
  return made;
};
const $union = (a, b) => {
  if (typeof a === "string") return a + b;
  if (a instanceof $Dict || $plain(a)) return $dict([...$items(a), ...$items(b)]);
  return $set([...$it(a), ...$it(b)]);
};
const $without = (a, b) => $set([...$it(a)].filter((x) => !$in(x, b)));
const $common = (a, b) => $set([...$it(a)].filter((x) => $in(x, b)));
const $items = (o) => {
  if (o instanceof $Dict) return [...o.map.values()];
  return Object.entries(o);
};
const $get = (o, k, other = null) => {
  if (o instanceof $Dict) {
    const found = o.map.get($key(k));
    return found === undefined ? other : found[1];
  }
  return $own(o, k) ? o[k] : other;
};
const $item = (o, k) => {
  if (Array.isArray(o) || typeof o === "string") return k < 0 ? o.at(k) : o[k];
  if (o instanceof $Dict) {
    const found = o.map.get($key(k));
    if (found === undefined) throw $error("KeyError", String(k));
    return found[1];
  }
  if (!$own(o, k)) throw $error("KeyError", String(k));
  return o[k];
};
const $at = (o, i) => (Array.isArray(o) && i >= 0 ? o[i] : $item(o, i));
const $put = (o, k, v) => {
  if (o instanceof $Dict) {
    const key = $key(k), found = o.map.get(key);
    if (found === undefined) o.map.set(key, [k, v]); else found[1] = v;
  } else if (Array.isArray(o)) {
    const at = k < 0 ? o.length + k : k;
    if (!(at >= 0 && at < o.length)) throw $error("IndexError", "list assignment index out of range");
    o[at] = v;
  } else o[k] = v;
};
const $in = (k, o) => {
  if (o instanceof $Dict || o instanceof $Set) return o.map.has($key(k));
  if (typeof o === "string") return o.includes(k);
  if (Array.isArray(o)) return o.some((one) => $eq(one, k));
  if (o[Symbol.iterator] !== undefined) return [...o].some((one) => $eq(one, k));
  return $own(o, k);
};
const $add = (a, b) => (typeof a === "number" || typeof a === "string" ? a + b : Array.isArray(a) ? [...a, ...b] : a + b);
const $extended = (a, b) => {
  if (!Array.isArray(a)) return a + b;
  return [...a, ...$it(b)];
};
const $repeat = (a, b) => {
  if (typeof a === "string" || typeof b === "string") return typeof a === "string" ? a.repeat(Math.max(0, b)) : b.repeat(Math.max(0, a));
  const [list, times] = Array.isArray(a) ? [a, Number(b)] : [b, Number(a)];
  const out = [];
  for (let i = 0; i < times; i++) out.push(...list);
  return out;
};
const $bound = (o, name) => {
  if (o instanceof $Object) {
    const v = o[name];
    return typeof v === "function" && !$own(o, name) ? v.bind(o) : v;
  }
  if ($plain(o) && $own(o, name)) return o[name];
  return $m[name] === undefined ? o[name] : (...rest) => $m[name](o, ...rest);
};
const $method = (v, o) => (typeof v === "function" && o instanceof $Object ? v.bind(o) : v);
const $value = (o) => (typeof o === "string" ? o : o.value);

// Built-in functions.
const $range = (a, b, c = 1) => {
  const out = [], [first, last] = b === undefined ? [0, a] : [a, b];
  for (let i = first; c > 0 ? i < last : i > last; i += c) out.push(i);
  return out;
};
const $enumerate = (o, start = 0) => $list(o).map((v, i) => [i + start, v]);
const $zip = (...many) => {
  const lists = many.map($list), out = [];
  const n = Math.min(...lists.map((l) => l.length));
  for (let i = 0; i < n; i++) out.push(lists.map((l) => l[i]));
  return out;
};
const $filter = (f, o) => $list(o).filter((v) => $t(f === null ? v : f(v)));
const $map = (f, ...many) => $zip(...many).map((a) => f(...a));
const $reversed = (o) => $list(o).reverse();
const $next = (o, other) => {
  for (const one of $it(o)) return one;
  return other;
};
const $any = (o) => $list(o).some($t);
const $all = (o) => $list(o).every($t);
const $sum = (o, start = 0) => {
  let total = start;
  for (const one of $it(o)) total = total + Number(one);
  return total;
};
const $sorted = (o, key, reverse) => {
  const rows = $list(o).map((v) => [key === null ? v : key(v), v]);
  // Reversed, a stable sort still keeps the order of equals.
  rows.sort(reverse === true ? (a, b) => ($lt(b[0], a[0]) ? -1 : $lt(a[0], b[0]) ? 1 : 0)
    : (a, b) => ($lt(a[0], b[0]) ? -1 : $lt(b[0], a[0]) ? 1 : 0));
  return rows.map((row) => row[1]);
};
const $bestOf = (o, key, other, better) => {
  let best, kept, some = false;
  for (const one of $it(o)) {
    const k = key === null ? one : key(one);
    if (!some || better(k, kept)) { best = one; kept = k; some = true; }
  }
  if (some) return best;
  if (other === undefined) throw $error("ValueError", "nothing to choose from");
  return other;
};
const $minOf = (o, key, other) => $bestOf(o, key, other, $lt);
const $maxOf = (o, key, other) => $bestOf(o, key, other, $gt);
const $min = (a, b, ...more) => {
  const found = $lt(b, a) ? b : a;
  return more.length === 0 ? found : $min(found, ...more);
};
const $max = (a, b, ...more) => {
  const found = $gt(b, a) ? b : a;
  return more.length === 0 ? found : $max(found, ...more);
};
const $mod = (a, b) => a - b * Math.floor(a / b);
const $divmod = (a, b) => [Math.floor(a / b), $mod(a, b)];
const $int = (v) => {
  if (typeof v !== "string") return typeof v === "number" ? Math.trunc(v) + 0 : Number(v);
  if (!/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(v)) throw $error("ValueError", `invalid literal for int(): ${$repr(v)}`);
  return Number(v.replaceAll("_", ""));
};
const $float = (v) => {
  if (typeof v !== "string") return Number(v);
  const text = v.trim().toLowerCase().replace(/(\d)_(?=\d)/g, "$1");
  if (/^[+-]?(?:inf|infinity)$/.test(text)) return text[0] === "-" ? -Infinity : Infinity;
  if (/^[+-]?nan$/.test(text)) return NaN;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(text)) throw $error("ValueError", `could not convert string to float: ${$repr(v)}`);
  return Number(text);
};
const $round = (v, digits) => {
  if (digits !== undefined && digits !== null) return Number($fixed(v, digits));
  const low = Math.floor(v), rest = v - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
};
const $str = (v) => (v === true ? "True" : v === false ? "False" : v === null || v === undefined ? "None" : String(v));
const $repr = (v) => {
  if (typeof v !== "string") return $str(v);
  const quote = v.includes("'") && !v.includes('"') ? '"' : "'";
  const plain = v.replace(/[\\\n\t\r]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" })[c]);
  return quote + (quote === "'" ? plain.replaceAll("'", "\\'") : plain) + quote;
};
const $type = (v) => (typeof v === "string" ? $str : typeof v === "number" ? $float : v.constructor);
const $isinstance = (v, kinds) => kinds.some((kind) =>
  kind === $str ? typeof v === "string" : kind === $int || kind === $float ? typeof v === "number"
    : kind === $list ? Array.isArray(v) : kind === $dict ? v instanceof $Dict || $plain(v)
    : kind === $t ? typeof v === "boolean" : v instanceof kind);
// Half of the last place goes to the even neighbour, as in Python; toFixed would round it up.
const $fixed = (v, places) => {
  const text = v.toFixed(places), long = v.toFixed(Math.min(100, places + 30));
  const tail = long.slice(text.length + (places === 0 ? 1 : 0));
  if (/^50*$/.test(tail)) {
    const kept = long.slice(0, text.length);
    if ("02468".includes(kept.at(-1))) return kept;
  }
  return text;
};
const $grouped = (text) => text.replace(/^(-?)(\d+)/, (_, sign, digits) => sign + digits.replace(/\B(?=(\d{3})+$)/g, ","));
const $format = (v, spec) => {
  if (spec === "") return $str(v);
  const [, comma, places = "6", kind] = /^(,?)(?:\.(\d+))?([fgd%]?)$/.exec(spec) ?? [];
  if (kind === undefined) throw $error("ValueError", `the format ${spec}`);
  let text = String(v);
  if (kind === "%") return `${$fixed(v * 100, Number(places))}%`;
  if (kind === "f") text = $fixed(v, Number(places));
  if (kind === "g") {
    const exact = v.toExponential(Number(places) - 1), power = Number(exact.split("e")[1]);
    if (power < -4 || power >= Number(places)) {
      const [digits] = exact.split("e");
      text = `${digits.replace(/\.?0+$/, "")}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
    } else {
      text = $fixed(v, Number(places) - 1 - power);
      if (text.includes(".")) text = text.replace(/\.?0+$/, "");
    }
  }
  return comma ? $grouped(text) : text;
};

// Dataclasses, enumerations, functions that remember.
const $replace = (o, changes) => new o.constructor(...o.constructor.$fields.map((name) => ($own(changes, name) ? changes[name] : o[name])));
const $astuple = (o) => o.constructor.$fields.map((name) => o[name]);
const $asdict = (o) => Object.fromEntries(o.constructor.$fields.map((name) => [name, o[name]]));
const $enumeration = (members) => Object.defineProperty(members, Symbol.iterator, { value: () => Object.values(members)[Symbol.iterator]() });
const $member = (kind, word) => {
  if (!$in(word, kind)) throw $error("ValueError", word);
  return word;
};
const $cached = (f) => {
  const known = new Map();
  return (...given) => {
    const key = given.length === 1 ? $key(given[0]) : $key(given);
    let found = known.get(key);
    if (found === undefined) { found = f(...given); known.set(key, found); }
    return found;
  };
};
const $partial = (f, ...first) => (...rest) => f(...first, ...rest);
const $kept = (o, name, make) => {
  const value = make();
  Object.defineProperty(o, name, { value });
  return value;
};
const $groupby = (o, key) => {
  const out = [];
  for (const one of $it(o)) {
    const k = key === undefined ? one : key(one);
    if (out.length > 0 && $eq(out.at(-1)[0], k)) out.at(-1)[1].push(one); else out.push([k, [one]]);
  }
  return out;
};

// Methods of built-in types.
const $m = {
  add: (s, v) => { s.map.set($key(v), v); },
  append: (l, v) => { l.push(v); },
  bit_length: (n) => (n === 0 ? 0 : Math.floor(Math.log2(n)) + 1),
  casefold: (s) => s.toLowerCase(),
  count: (l, v, from = 0, to = undefined) => (typeof l === "string" ? l.slice(from, to).split(v).length - 1 : l.filter((x) => $eq(x, v)).length),
  clear: (o) => {
    if (Array.isArray(o)) o.length = 0;
    else if ($plain(o)) for (const k of Object.keys(o)) delete o[k];
    else o.map.clear();
  },
  discard: (s, v) => { s.map.delete($key(v)); },
  encode: (s) => s,
  endswith: (s, v) => [v].flat().some((one) => s.endsWith(one)),
  extend: (l, v) => { l.push(...$it(v)); },
  find: (s, v, from, to) => { const at = s.indexOf(v, from); return to !== undefined && at + v.length > to ? -1 : at; },
  fromkeys: (kind, o, value) => kind.fromkeys(o, value),
  fullmatch: (pattern, s, at) => pattern.fullmatch(s, at),
  get: $get,
  hexdigest: (s) => s,
  index: (l, v) => l.findIndex((x) => $eq(x, v)),
  isdisjoint: (s, o) => ![...$it(o)].some((x) => $in(x, s)),
  isascii: (s) => /^[\0-\x7f]*$/.test(s),
  isalnum: (s) => /^[\p{L}\p{N}]+$/u.test(s),
  isalpha: (s) => /^\p{L}+$/u.test(s),
  isidentifier: (s) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(s),
  isupper: (s) => s !== s.toLowerCase() && s === s.toUpperCase(),
  insert: (l, at, v) => { l.splice(at, 0, v); },
  ljust: (s, size) => s.padEnd(size),
  isdigit: (s) => /^[0-9]+$/.test(s),
  items: $items,
  join: (s, o) => [...$it(o)].join(s),
  keys: (o) => (o instanceof $Dict ? [...o.map.values()].map((pair) => pair[0]) : Object.keys(o)),
  lower: (s) => s.toLowerCase(),
  lstrip: (s, some) => { let from = 0; while (from < s.length && (some === undefined ? /\s/.test(s[from]) : some.includes(s[from]))) from++; return s.slice(from); },
  rstrip: (s, some) => { let to = s.length; while (to > 0 && (some === undefined ? /\s/.test(s[to - 1]) : some.includes(s[to - 1]))) to--; return s.slice(0, to); },
  rsplit: (s, v, most) => { const parts = s.split(v); const kept = parts.length - most; return kept <= 1 ? parts : [parts.slice(0, kept).join(v), ...parts.slice(kept)]; },
  splitlines: (s) => { const lines = s.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/); if (lines.at(-1) === "") lines.pop(); return lines; },
  partition: (s, v) => { const at = s.indexOf(v); return at < 0 ? [s, "", ""] : [s.slice(0, at), v, s.slice(at + v.length)]; },
  pop: (o, k, other) => {
    if (Array.isArray(o)) return k === undefined ? o.pop() : o.splice(k, 1)[0];
    if (o instanceof $Set) { const [key, first] = o.map.entries().next().value; o.map.delete(key); return first; }
    if (other !== undefined && !$in(k, o)) return other;
    const found = $item(o, k);
    if (o instanceof $Dict) o.map.delete($key(k)); else delete o[k];
    return found;
  },
  removeprefix: (s, v) => (s.startsWith(v) ? s.slice(v.length) : s),
  removesuffix: (s, v) => (v !== "" && s.endsWith(v) ? s.slice(0, -v.length) : s),
  replace: (s, a, b) => s.replaceAll(a, () => b),
  rpartition: (s, v) => { const at = s.lastIndexOf(v); return at < 0 ? ["", "", s] : [s.slice(0, at), v, s.slice(at + v.length)]; },
  setdefault: (o, k, v) => { if (!$in(k, o)) $put(o, k, v); return $get(o, k); },
  split: (s, v, most) => {
    if (v === undefined || v === null) return s.split(/\s+/).filter((one) => one !== "");
    const parts = s.split(v);
    return most === undefined ? parts : [...parts.slice(0, most), ...(parts.length > most ? [parts.slice(most).join(v)] : [])];
  },
  startswith: (s, v, from = 0) => [v].flat().some((one) => s.startsWith(one, from)),
  strip: (s, some) => {
    if (some === undefined) return s.trim();
    let [from, to] = [0, s.length];
    while (from < to && some.includes(s[from])) from++;
    while (to > from && some.includes(s[to - 1])) to--;
    return s.slice(from, to);
  },
  update: (o, v) => { for (const [k, x] of $items(v)) $put(o, k, x); },
  upper: (s) => s.toUpperCase(),
  values: (o) => (o instanceof $Dict ? [...o.map.values()].map((pair) => pair[1]) : Object.values(o)),
};

// The library.
const $escape = (s) => s.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#x27;");
// A pattern of Python as one of JavaScript: ends of lines, names of groups, flags inside the text.
const $ported = (pattern, flags) => {
  let text = pattern, own = flags;
  const inline = /^\(\?([ims]+)\)/.exec(text);
  if (inline) { own += inline[1]; text = text.slice(inline[0].length); }
  const lines = own.includes("m"), dots = own.includes("s");
  let out = "", inside = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "\\") {
      const next = text[++i];
      out += next === "Z" && !inside ? "(?![^])" : c + next;
    } else if (inside) {
      if (c === "]") inside = false;
      out += c;
    } else if (c === "[") {
      inside = true;
      out += c;
      if (text[i + 1] === "^") out += text[++i];
    } else if (c === "$") out += lines ? "(?=\n|(?![^]))" : "(?=\n?(?![^]))";
    else if (c === "^") out += lines ? "(?<![^\n])" : "(?<![^])";
    else if (c === "." && !dots) out += "[^\n]";
    else if (c === "." && dots) out += "[^]";
    else if (c === "(" && text.startsWith("(?P<", i)) { out += "(?<"; i += 3; }
    else out += c;
  }
  return [out, own.includes("i") ? "i" : ""];
};
class $Match extends Array {
  static of(found) {
    const made = new $Match();
    for (const one of found) made.push(one === undefined ? null : one);
    made.spans = found.indices;
    made.lastindex = null;
    for (let i = 1; i < made.length; i++) if (made[i] !== null) made.lastindex = i;
    if (found.groups) for (const [name, one] of Object.entries(found.groups)) made[name] = one ?? null;
    return made;
  }
  static get [Symbol.species]() { return Array; }
  start(group = 0) { return this.spans[group] ? this.spans[group][0] : -1; }
  end(group = 0) { return this.spans[group] ? this.spans[group][1] : -1; }
}
class $Pattern extends $Object {
  constructor(pattern, flags) {
    super();
    const [text, own] = $ported(pattern, flags);
    this.first = new RegExp(text, `dg${own}`);
    this.here = new RegExp(text, `dy${own}`);
    this.whole = new RegExp(`(?:${text})(?![^])`, `dy${own}`);
  }
  found(kind, text, at) {
    kind.lastIndex = at;
    const one = kind.exec(text);
    return one === null ? null : $Match.of(one);
  }
  search(text, at = 0) { return this.found(this.first, text, at); }
  match(text, at = 0) { return this.found(this.here, text, at); }
  fullmatch(text, at = 0) { return this.found(this.whole, text, at); }
  finditer(text, at = 0) {
    const out = [];
    for (let from = at; from <= text.length;) {
      const one = this.search(text, from);
      if (one === null) break;
      out.push(one);
      from = one.end() > one.start() ? one.end() : one.end() + 1;
    }
    return out;
  }
  findall(text) {
    return this.finditer(text).map((one) => (one.length === 1 ? one[0] : one.length === 2 ? one[1] ?? "" : [...one].slice(1).map((v) => v ?? "")));
  }
  sub(by, text) {
    let out = "", from = 0;
    for (const one of this.finditer(text)) {
      out += text.slice(from, one.start()) + (typeof by === "string" ? by.replace(/\\(\d)/g, (_, n) => one[n] ?? "") : by(one));
      from = one.end();
    }
    return out + text.slice(from);
  }
  split(text, most = 0) {
    const out = [];
    let from = 0, cuts = 0;
    for (const one of this.finditer(text)) {
      if (most > 0 && cuts++ >= most) break;
      out.push(text.slice(from, one.start()), ...[...one].slice(1));
      from = one.end();
    }
    return [...out, text.slice(from)];
  }
}
const $patterns = new Map();
const $regex = (pattern, flags = "") => {
  if (pattern instanceof $Pattern) return pattern;
  const key = `${flags}/${pattern}`;
  let found = $patterns.get(key);
  if (found === undefined) $patterns.set(key, (found = new $Pattern(pattern, flags)));
  return found;
};
const $re = {
  search: (p, s, f) => $regex(p, f).search(s), match: (p, s, f) => $regex(p, f).match(s),
  fullmatch: (p, s, f) => $regex(p, f).fullmatch(s), findall: (p, s, f) => $regex(p, f).findall(s),
  finditer: (p, s, f) => $regex(p, f).finditer(s), sub: (p, by, s) => $regex(p).sub(by, s),
  split: (p, s, most) => $regex(p).split(s, most),
  escape: (s) => s.replace(/[()[\]{}?*+\-|^$\\.&~#\s]/g, (c) => `\\${c}`),
};
const $bisect = (o, v, low = 0, high = o.length) => {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ($lt(v, o[middle])) to = middle; else from = middle + 1;
  }
  return from;
};
const $pairwise = (o) => { const all = $list(o); return all.slice(1).map((v, i) => [all[i], v]); };
// Words that look alike, as difflib finds them.
const $ratio = (a, b) => {
  const matched = (alo, ahi, blo, bhi) => {
    let best = 0, at = alo, bt = blo, before = new Map();
    for (let i = alo; i < ahi; i++) {
      const now = new Map();
      for (let j = b.indexOf(a[i], blo); j >= 0 && j < bhi; j = b.indexOf(a[i], j + 1)) {
        const k = (before.get(j - 1) ?? 0) + 1;
        now.set(j, k);
        if (k > best) { best = k; at = i - k + 1; bt = j - k + 1; }
      }
      before = now;
    }
    return best === 0 ? 0 : best + matched(alo, at, blo, bt) + matched(at + best, ahi, bt + best, bhi);
  };
  return a.length + b.length === 0 ? 1 : 2 * matched(0, a.length, 0, b.length) / (a.length + b.length);
};
const $alike = (word, known, n = 3, least = 0.6) => {
  const found = $list(known).map((one) => [$ratio(one, word), one]).filter(([share]) => share >= least);
  found.sort((x, y) => (y[0] - x[0]) || (x[1] < y[1] ? 1 : -1));
  return found.slice(0, n).map(([, one]) => one);
};
const $shellword = (s) => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replaceAll("'", `'"'"'`)}'`);
const $loads = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    throw $error("ValueError", "no JSON");
  }
};
const $dumps = (v, indent) => {
  if (indent === undefined) throw $error("TypeError", "json.dumps without an indent");
  return JSON.stringify(v, null, indent).replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
};
const $primes = [];
for (let n = 2; $primes.length < 64; n++) if ($primes.every((p) => n % p !== 0)) $primes.push(n);
const $fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32) | 0;
const $rounds = Int32Array.from($primes, (p) => $fraction(Math.cbrt(p)));
const $start = Int32Array.from($primes.slice(0, 8), (p) => $fraction(Math.sqrt(p)));
const $turn = (x, n) => (x >>> n) | (x << (32 - n));
const $utf8 = new TextEncoder();
const $w = new Int32Array(64);
const $sha256 = (text) => {
  const given = $utf8.encode(text), size = (given.length + 72) >> 6 << 6;
  const bytes = new DataView(new ArrayBuffer(size));
  given.forEach((byte, i) => bytes.setUint8(i, byte));
  bytes.setUint8(given.length, 128);
  bytes.setUint32(size - 4, given.length * 8);
  const hash = $start.slice();
  for (let at = 0; at < size; at += 64) {
    for (let i = 0; i < 16; i++) $w[i] = bytes.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const x = $w[i - 15], y = $w[i - 2];
      $w[i] = $w[i - 16] + ($turn(x, 7) ^ $turn(x, 18) ^ (x >>> 3)) + $w[i - 7] + ($turn(y, 17) ^ $turn(y, 19) ^ (y >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const one = (h + ($turn(e, 6) ^ $turn(e, 11) ^ $turn(e, 25)) + ((e & f) ^ (~e & g)) + $rounds[i] + $w[i]) | 0;
      const two = (($turn(a, 2) ^ $turn(a, 13) ^ $turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => { hash[i] += x; });
  }
  return [...hash].map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
};

// Data written by values.py.
// Steps through the entries, so that a page can do something else in between.
const $reading = function* (texts, kinds) {
  const made = [];
  const part = (token) => (Array.isArray(token) ? made[token[0]] : token);
  let shapes, root;
  for (const text of texts) {
    const piece = JSON.parse(text);
    if (piece.shapes) ({ shapes, root } = piece);
    for (const [shape, ...tokens] of piece.entries) {
      if (made.length % 256 === 255) yield;
      if (shape === 0) made.push(tokens.map(part));
      else if (shape === 1) {
        const pairs = [];
        for (let i = 0; i < tokens.length; i += 2) pairs.push([part(tokens[i]), part(tokens[i + 1])]);
        made.push($dict(pairs));
      } else if (shape === 2) made.push($set(tokens.map(part)));
      else {
        const [name, ...keys] = shapes[shape - 3];
        const object = name === "" || name.startsWith("?") ? {} : Object.create(kinds[name].prototype);
        if (object instanceof $Object) $Object.prototype.$begin.call(object);
        keys.forEach((key, i) => { object[key] = part(tokens[i]); });
        made.push(object);
      }
    }
    yield;
  }
  return part(root);
};
