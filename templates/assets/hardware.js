// Which GPUs a reader means: by what is typed, by what a computer's own tools print, and by what a
// browser knows. The names, their words and the words of the field come from names.js, which the
// build makes of the catalog (the rule is that of sitegen/importers/spellings/gpus.py).
"use strict";
var sitegenHardware = (() => {
  const MEMORY = /(?<![a-z\d.])(\d+(?:\.\d+)?) ?(gi?b|g|mi?b)\b/;
  const CORES = /\(?\b\d+[- ]?(?:gpu )?cores?\b(?: [gc]pu)?\)?/g;
  const COUNT = /^\s*\d{1,2}\s*[x×*](?:\s+|(?=[a-z(]))|\s[x×]\s*\d+\s*$/g;
  const BRACKETS = /\((?![^()]*\b(?:laptop|mobile|max-?q|ti|super|sxm\d?|pcie|nvl|ada|modified|\w* ?gi?b)\b)[^()]*\)/gi;
  const MAKER = /nvidia|amd|intel|apple|geforce|radeon|tesla|quadro|instinct|\b(?:rtx|gtx|rx|arc)\b/i;
  const TOLERANCE = 0.09;
  const MOST = 8;  // Suggestions at once.
  const NUMBERS = { dual: 2, twin: 2, two: 2, triple: 3, three: 3, quad: 4, four: 4, six: 6, eight: 8 };
  const MOST_GPUS = 64;
  const SAYING = /^(?:(?:i|we)(?:'ve| have)?(?: got| own)? )?(?:(?:my|an?|the|single|one) )?/;  // "I have a 3090"
  const BETWEEN = /(?<!\bai max\s*)\s*\+\s*(?=\d*\s*[x×*]?\s*(?:rtx|gtx|rx|arc|\d{3,4}\b))|,\s*|\s+(?:and|&|with)\s+/i;

  const PRODUCT = /(?<![a-z\d-])([a-z]{3,})\+\s*(?=[a-z\d])/gi;

  // "RTX 4090 + 64 GB RAM", "3090 with 128GB DDR4": the RAM of the computer, beside a card's own.
  const RAM = /(?:\+|,|&|\b(?:and|with)\b)?\s*(?<![\d.])(\d{1,4}) ?(?:gi?b|g)(?: of)?(?: system| cpu)? ?(?:d?ram|ddr[345](?:[- ]?\d{4})?(?: ram)?|system memory)\b/i;

  const PCI = /^\s*(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d (?:VGA|3D|Display|Processing accelerators)[^:]*:\s*(.+)$/i;
  const NVIDIA = ["smi", "csv", "query", "list"];  // Forms of nvidia-smi's output, the fullest first.

  const within = (some, all) => [...some].every((word) => all.has(word));
  const numbers = (words) => [...words].filter((word) => /^\d+$/.test(word)).sort().join(" ");
  const pieces = (text) => text.toLowerCase().match(/[a-z]+|\d+/g) ?? [];

  // A finder over the table of names.
  const opened = (names) => {
    const noise = new Set(names.noise), leftOut = new Set(names.left_out), tooMuch = new Set(names.too_much);
    const gpus = new Map(names.gpus.map((gpu) => [gpu.id, gpu]));
    const keys = new Map(Object.entries(names.keys).map(([id, some]) => [id, some.map((key) => new Set(key))]));
    const combos = new Map(names.combos.map((combo) => [combo.id, combo]));
    const byBuild = new Map();
    for (const combo of names.combos) if (!byBuild.has(combo.build)) byBuild.set(combo.build, combo.id);

    const plain = (name) => {
      let text = name.toLowerCase().replaceAll("_", " ").replaceAll("\u2011", "-").replaceAll("+", " plus ");
      text = text.replace(COUNT, " ");
      text = text.replace(/\ba(\d{4})(?= ada\b)/g, "rtx $1");
      text = text.replace(/\bmax-?q ?\/ ?mobile\b|\bmobile\b/g, "laptop");
      text = text.replace(/\bgfx\w+(:\S*)?|\b0x[0-9a-f]+\b|\bmac ?book pro\b|\bmac pro\b/g, " ");
      text = text.replace(/\bh100 80gb hbm3\b/g, "h100 sxm 80gb");
      text = text.replace(CORES, " ").replace(/(?<=\d)(gi?b|mi?b)(?=\b|_)/g, " $1");
      for (const [part, whole] of Object.entries(names.chips)) text = text.replace(new RegExp(`\\b${part}\\b`, "g"), whole);
      return text.replace(/\b(sxm|pcie)[2-6]\b|\bpci-e\b/g, "$1");
    };
    const wordsOf = (text) => new Set((text.match(/[a-z]+|\d+/g) ?? []).filter((word) => !noise.has(word)));
    const sizes = (gpu) => gpu.options ?? [gpu.gib];
    const near = (one, other) => Math.abs(one / other - 1) <= TOLERANCE;
    const fits = (gpu, gib) => gib === null
      || (gpu.options ? gib <= Math.max(...gpu.options) * (1 + TOLERANCE) : near(gib, gpu.gib));
    const usual = (found, gib) => {
      const some = found.filter((id) => (gib === null
        ? !gpus.get(id).name.includes("(modified)")
        : !gpus.get(id).options || gpus.get(id).options.some((size) => near(gib, size))));
      return some.length ? some : found;
    };
    const alike = [
      (said, key) => said.size === key.size && within(said, key),
      (said, key) => within(said, key) && [...key].every((word) => said.has(word) || leftOut.has(word)),
      (said, key) => [...key].every((word) => said.has(word) || leftOut.has(word))
        && [...said].every((word) => key.has(word) || tooMuch.has(word)) && numbers(key) === numbers(said),
    ];
    const one = (name, gib) => {
      const text = plain(name), stated = text.match(MEMORY);
      const size = stated ? Number(stated[1]) / (stated[2].startsWith("m") ? 1024 : 1) : gib;
      const said = wordsOf(text.replace(new RegExp(MEMORY, "g"), " "));
      if (within(said, leftOut)) return [];
      for (const same of alike) {
        const named = [...gpus.keys()].filter((id) => keys.get(id).some((key) => same(said, key)));
        const found = named.filter((id) => fits(gpus.get(id), size));
        if (found.length) return usual(found, size);
        if (named.length) return [];
      }
      return [];
    };
    const namedParts = (text) => [
      ...[...text.matchAll(/\(([^()]*)\)/g)].map((match) => match[1]),
      ...text.replace(BRACKETS, " ").split(/ (?:\+|with|and) /),
    ].filter((part) => MAKER.test(part)).map((part) => part.trim());
    // Ids of the GPUs that a name may mean: several where it leaves something open.
    const meant = (name, gib = null) => {
      const text = name.slice(0, 200);
      for (const some of [[text], [text.replace(BRACKETS, " ")], namedParts(text)]) {
        const found = some.map((part) => one(part, gib)).filter((ids) => ids.length);
        if (found.length) return [...new Set(found.flat())];
      }
      return [];
    };
    // A tool that has no room cuts a name: "NVIDIA RTX 6000 Ada Gene...".
    const cut = (name, gib) => {
      const said = pieces(plain(name.replace(/\.{2,}$/, ""))), last = said.pop();
      if (last === undefined) return [];
      const whole = said.filter((word) => !noise.has(word));
      if ([...noise].some((word) => word.startsWith(last) && last.length > 2)) return meant(whole.join(" "), gib);
      return [...gpus.keys()].filter((id) => fits(gpus.get(id), gib) && keys.get(id).some((key) =>
        whole.every((word) => key.has(word)) && [...key].some((word) => word.startsWith(last))));
    };
    const spelled = (name, gib) => (/\.{2,}$/.test(name) ? cut(name, gib) : meant(name, gib));

    // Where a build of equal GPUs in one machine is: its address, as the engine writes it.
    const address = (id, count, gib) => {
      const gpu = gpus.get(id), several = count > 1 && gpu.link ? gpu.link : "";
      const size = gpu.options ? `@${gib ?? gpu.options.at(-1)}` : "";
      return `machine=1;${id}*${count}${size};${several};;;${gpu.system ?? "linux"}`;
    };
    const size = (gib) => `${Number(gib.toFixed(1))} GB`;
    const nameOf = (id, gib) => (gpus.get(id).options ? `${gpus.get(id).name}, ${size(gib)}` : gpus.get(id).name);
    const ofGpu = (id, count, gib = null) => {
      const gpu = gpus.get(id), memory = gpu.options ? gib ?? gpu.options.at(-1) : null;
      const many = gpu.options ? 1 : Math.max(1, count);
      return {
        text: nameOf(id, memory), gpu: { id, gib: memory }, count: many, address: address(id, many, memory),
        note: gpu.options ? "" : size(gpu.gib) + (many > 1 ? " each" : ""),
      };
    };
    // A chip that we do not list with the memory that a reader named: the answer is for another size.
    const unsold = (found, gib) => {
      const { options, name } = gpus.get(found.gpu.id);
      if (gib === null || !options || options.some((one) => near(gib, one))) return found;
      return { ...found, note: `not listed with ${size(gib)}`, unsold: `We do not list the ${name} with ${size(gib)}: we answer for ${size(found.gpu.gib)}.` };
    };
    const ofCombo = (id) => {
      const alone = /^machine=1;([^*;]+)\*1;[^&]*$/.exec(combos.get(id).build);  // One GPU: there may be more of it.
      const gpu = alone ? { id: alone[1], gib: null } : null;
      return { text: combos.get(id).name, gpu, count: 1, address: `combo=${id}`, note: "machine" };
    };
    // Several kinds of GPUs in one machine.
    const ofMany = (groups) => {
      const first = gpus.get(groups[0].id), link = groups.some((one) => one.count > 1) || groups.length > 1 ? first.link ?? "" : "";
      const cards = groups.map((one) => {
        const gpu = gpus.get(one.id);
        return `${one.id}*${one.count}${gpu.options ? `@${one.gib ?? gpu.options.at(-1)}` : ""}`;
      });
      return {
        text: groups.map((one) => (one.count > 1 ? `${one.count}× ` : "") + gpus.get(one.id).name).join(" + "),
        gpu: null, count: 1, address: `machine=1;${cards.join("+")};${link};;;${first.system ?? "linux"}`, note: "",
      };
    };

    // The same, where a kind may be named twice or stand alone.
    const ofGroups = (groups) => {
      const kinds = new Map();
      for (const one of groups) {
        const kind = gpus.get(one.id).options ? `${one.id} ${one.gib}` : one.id;
        kinds.set(kind, { ...one, count: one.count + (kinds.get(kind)?.count ?? 0) });
      }
      const [first, ...others] = [...kinds.values()];
      return others.length ? ofMany([first, ...others]) : ofGpu(first.id, first.count, first.gib);
    };

    // What an address says; nothing where the form has no words for it.
    const described = (text) => {
      const combo = /^combo=(.+)$/.exec(text);
      if (combo) return combos.has(combo[1]) ? ofCombo(combo[1]) : null;
      const found = text.split("&").filter((pair) => pair.startsWith("machine=")).map(machine);
      if (!found.length || found.includes(null)) return null;
      if (found.length === 1 && found[0].address === text) return found[0];
      return { ...found[0], gpu: null, count: 1, address: text, text: found.map((one) => one.whole).join(" + ") };
    };
    const machine = (text) => {
      const [many, cards, , ram] = text.slice("machine=".length).split(";");
      const groups = (cards ?? "").split("+").map((card) => /^([^*@]+)\*(\d+)(?:@(\d+))?$/.exec(card))
        .map((card) => card && gpus.has(card[1]) && { id: card[1], count: Number(card[2]), gib: card[3] ? Number(card[3]) : null });
      if (groups.some((group) => !group || !(group.count >= 1 && group.count <= MOST_GPUS))) return null;
      const words = ramWords(ofMany(groups).text, ram), whole = Number(many) > 1 ? `${many} machines: ${words}` : words;
      return { ...(groups.length === 1 ? ofGpu(groups[0].id, groups[0].count, groups[0].gib) : ofMany(groups)), whole };
    };
    // The combo that has a page and is the same hardware; its answer is written already.
    const comboOf = (text) => (text.startsWith("combo=") ? text.slice(6) : byBuild.get(text) ?? "");

    // "Two 3090s" are several of one, an L40S is another card, and a 4080S is a 4080 SUPER.
    const PLURAL = /(?<=\d)s\b/g, PLURALS = /\b(spark|studio|mini|halo|thor|orin|nano|titan|station|desktop)s\b/g;
    const counted = (typed) => {
      const [count, text] = numbered(typed), whole = text.replace(PLURALS, "$1");
      if (meant(whole).length) return [count, whole];
      const better = count > 1 ? "" : whole.replace(PLURAL, " super");
      return [count, better && meant(better).length ? better : whole.replace(PLURAL, "")];
    };
    const numbered = (typed) => {
      const text = typed.trim().toLowerCase().replace(SAYING, "").replace(/[?.!]+$/, "");
      const before = /^(\d{1,3})\s*(?:[x×*]\s*|\s+(?=[a-z]|\d{3,4}s?\b)(?!(?:nodes?|machines?)\b))(?=\S)/.exec(text);
      if (before) return [Number(before[1]), text.slice(before[0].length)];
      const behind = /(?<!pcie)\s[x×*]\s*(\d{1,3})(?=\s|$)|(?<=\d{3}s?)[x×*](\d{1,2})$/.exec(text);
      if (behind) return [Number(behind[1] ?? behind[2]), text.replace(behind[0], "")];
      const word = /^(dual|twin|two|triple|three|quad|four|six|eight)\s+/.exec(text);
      return word ? [NUMBERS[word[1]], text.slice(word[0].length)] : [0, text];
    };
    // Nothing between two names, so that the end of one is not read with the beginning of the next.
    const wordsIn = (...parts) => parts.flatMap((part) => ["", ...pieces(part)]);
    const entries = [
      ...names.gpus.flatMap((gpu) => sizes(gpu).map((gib) => ({
        gpu, gib, words: wordsIn(gpu.name, `${Math.round(gib)}gb`, ...gpu.words.split(" ")),
      }))),
      ...names.combos.map((combo) => ({ combo, words: wordsIn(combo.name, ...combo.words.split(" ")) })),
    ];
    const vocabulary = new Set([...entries.flatMap((entry) => entry.words), ...names.noise, ...names.left_out,
      ...names.too_much, ...Object.keys(names.chips).flatMap(pieces)]);
    const spoken = (word) => (word.match(/[a-z]{3,}/g) ?? []).every((part) => vocabulary.has(part));
    // "EVGA 3090 FTW3 Ultra": who made the card, and how that calls it, is left out where the rest is a
    // GPU; "M4 Pro 48" is one with 48 GB.
    const known = (typed) => {
      const words = typed.toLowerCase().split(/\s+/).filter(spoken);
      const some = [words, words.filter((word) => /\d|^(?:rtx|gtx|rx|arc|pro|ada|ti|super|xtx?|gre|max-?q|laptop|mobile)$/.test(word))];
      const tries = some.flatMap((one) => [one.join(" "), `${one.join(" ")}gb`]);
      return tries.find((text) => meant(counted(text)[1]).length) ?? typed;
    };
    // "Nitro+ 7900 XTX": a plus at a word that is of no GPU adds nothing.
    const apart = (typed) => typed.replace(PRODUCT, (whole, word) => (spoken(word.toLowerCase()) ? whole : ""))
      .split(BETWEEN).filter((part) => part.trim());
    // What a reader may mean while typing, the likeliest first.
    const find = (written) => {
      const ram = RAM.exec(written), rest = ram ? written.replace(ram[0], " ") : written;
      const found = seek(rest), cards = found.filter((one) => one.address.startsWith("machine="));
      if (!ram || !cards.length) return found;
      const own = [...cards[0].address.matchAll(/[;+]([^;+*]+)\*/g)].some(([, id]) => gpus.get(id).options);
      return own ? seek(written.replace(ram[0], ` ${ram[1]} gb`)) : cards.map((one) => withRam(one, Number(ram[1])));
    };
    const withRam = (one, gib) => {
      const [many, groups, link, , ...others] = one.address.slice("machine=".length).split(";");
      const address = `machine=${[many, groups, link, gib, ...others].join(";")}`;
      return { ...one, gpu: null, count: 1, typed: 1, address, note: one.note && `GPU: ${one.note}`, text: ramWords((one.gpu && one.count > 1 ? `${one.count}× ` : "") + one.text, gib) };
    };
    const ramWords = (text, gib) => (gib ? `${text} + ${gib} GB RAM` : text);
    const seek = (written) => {
      const parts = apart(written), typed = parts[0] ?? "";
      if (parts.length > 1) return together(parts);
      const exact = meant(counted(typed)[1]).length > 0;
      const found = exact ? alone(typed) : alone(/\s\d{2,3}$/.test(typed.trim()) ? known(typed) : typed);
      return found.length ? found : alone(known(typed));
    };
    // GPUs of several kinds in one machine; nothing where one of them is not known.
    const together = (parts) => {
      const groups = parts.map((part) => {
        const text = meant(counted(part)[1]).length ? part : known(part);
        const first = alone(text).find((one) => one.gpu && meant(counted(text)[1]).includes(one.gpu.id));
        return first && { ...first.gpu, count: first.count };
      });
      if (groups.some((group) => !group)) return [];
      return [{ ...ofGroups(groups), typed: 1 }];
    };
    // What is typed in one word stands in a name side by side: "P40" is no "A100 40GB PCIe".
    // The sign of a count is in no name: "4 nodes 2x 4090" is "4 nodes × 2× RTX 4090".
    const unsigned = (typed) => typed.replace(/(?<=\b\d{1,3})x\b|\bof\b/g, "");
    const tokens = (typed) => unsigned(typed).split(/\s+/).map(pieces).filter((token) => token.length);
    const beside = (token) => ({ words }) => words.some((_, at) => token.every((part, i) =>
      (i < token.length - 1 ? words[at + i] === part : words[at + i]?.startsWith(part))));
    const of = (typed) => (entry) => tokens(typed).every((token) => beside(token)(entry));
    const cards = (said, exact) => entries.filter((entry) => entry.gpu && (exact.has(entry.gpu.id) || of(said)(entry)));
    // All GPUs that a reader may mean, and how many of each: for lists that are cut by what is typed.
    const listed = (typed) => {
      const found = new Map();
      let many = 0;
      for (const part of apart(typed)) {
        const [count, rest] = counted(part);
        many ||= count;
        const some = pieces(rest).length ? cards(rest, new Set(meant(rest))) : [];
        for (const entry of some) {
          const { gpu, gib } = entry;  // "Strix Halo 64 GB" is not the one with 32.
          if (!of(rest)(entry) && some.some((one) => one.gpu === gpu && of(rest)(one))) continue;
          found.set(gpu.id, [...found.get(gpu.id) ?? [], Math.round(gib)]);
        }
      }
      return { count: many, sizes: found };
    };
    const alone = (typed) => {
      const [count, rest] = counted(typed), said = pieces(unsigned(rest));
      const impossible = /^\s*\d{1,3}\s*[x×*]\s*\S/.test(typed) && !(count >= 1 && count <= MOST_GPUS);
      if (!said.length || impossible) return [];
      const exact = new Set(meant(rest));
      const stated = MEMORY.exec(plain(rest)), wanted = stated && !stated[2].startsWith("m") ? Number(stated[1]) : null;
      const ofName = (entry) => pieces(entry.gpu?.name ?? entry.combo.name);
      const rank = (entry) => [
        entry.gpu && exact.has(entry.gpu.id) ? 0 : 1,
        wanted !== null && entry.gpu?.options && near(wanted, entry.gib) ? 0 : 1,
        of(rest)(entry) ? 0 : 1,  // "Strix Halo 64 GB" is not the one with 32.
        said.every((word) => ofName(entry).includes(word)) ? 0 : 1,
        (count ? entry.combo?.name.startsWith(`${count}× `) : !/^\d+× /.test(entry.combo?.name)) ? 0 : 1,
        ofName(entry).includes("server") ? 1 : 0,  // Readers own workstations.
        ofName(entry).length,
      ];
      const before = (a, b) => {
        const one = rank(a), other = rank(b), at = one.findIndex((value, i) => value !== other[i]);
        return at < 0 ? 0 : one[at] - other[at];
      };
      const named = (text) => entries.filter((entry) => entry.combo && of(count ? `${count} ${text}` : text)(entry));
      const whole = named(rest), machines = whole.length ? whole : named(rest.replace(MEMORY, " "));
      const some = cards(rest, exact).sort(before).slice(0, machines.length ? MOST / 2 : MOST);
      const others = machines.sort(before).slice(0, MOST - some.length);
      const own = some.map((entry) => unsold(ofGpu(entry.gpu.id, count || 1, entry.gib), wanted));
      const builds = others.map((entry) => ofCombo(entry.combo.id));
      // "Mac Studio" names machines and no chip.
      const first = others.length && rank(others[0])[3] === 0 && !(some.length && rank(some[0])[0] * rank(some[0])[3] === 0);
      return (first ? [...builds, ...own] : [...own, ...builds]).map((found) => ({ ...found, typed: count }));
    };

    // Lines of the tools that say which GPUs a computer has. A tool of the maker knows its own best.
    const read = (text) => {
      const found = [], seen = new Set(), codes = new Map();
      const add = (tool, name, gib = null, key = "") => {
        if (key && seen.has(key)) return;
        if (key) seen.add(key);
        found.push({ tool, name: name.trim(), gib });
      };
      const lines = text.split(/\r?\n/);
      const ram = /^\s*Memory:\s*(\d+) ?GB/m.exec(text);
      lines.forEach((line, at) => {
        let match;
        if ((match = /^\s*\|\s*(\d+)\s+(\S.*?)\s+(?:On|Off|N\/A|WDDM|TCC|MCDM|ERR!)\s*\|/.exec(line))) {
          const memory = /\/\s*(\d+) ?MiB/.exec(lines[at + 1] ?? "");
          add("smi", match[2], memory ? Number(memory[1]) / 1024 : null, `smi ${match[1]} ${found.length}`);
        } else if ((match = /^\s*GPU (\d+): (.+?) \(UUID:/.exec(line))) {
          add("list", match[2], null, `list ${match[1]}`);
        } else if ((match = /^\s*Product Name\s*:\s*(.+)$/.exec(line))) {
          const memory = /^\s*FB Memory Usage\s*\n(?:.*\n)??\s*Total\s*:\s*(\d+) MiB/m.exec(lines.slice(at, at + 200).join("\n"));
          add("query", match[1], memory ? Number(memory[1]) / 1024 : null);
        } else if ((match = /^\s*(?:\d+, *)?((?:NVIDIA|Tesla|Quadro|GeForce) [^,|]+?), *(\d+) MiB/.exec(line))) {
          add("csv", match[1], Number(match[2]) / 1024);
        } else if ((match = /^\s*(?:GPU|card)\s*\[?(\d+)\]?\s*:\s*Card (?:series|model)\s*:\s*(\S.*)$/i.exec(line))) {
          if (!/^(?:0x)?[0-9a-f]+$|^N\/A/i.test(match[2].trim())) add("rocm", match[2], null, `rocm ${match[1]}`);
          else if (!codes.has(match[1])) codes.set(match[1], match[2].trim());
        } else if ((match = /^\s*card(\d+),([^,]*[a-z][^,]*),/i.exec(line))) {
          add("rocm", match[2], null, `rocm ${match[1]}`);
        } else if ((match = /^\s*\|\s*[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d\s+(\S.*?)\s*\|/i.exec(line))) {
          const memory = /\/\s*(\d+) ?MB/.exec(lines[at + 1] ?? "");
          add("amd", match[1], memory ? Number(memory[1]) / 1024 : null);
        } else if ((match = /^\s*(?:Chipset Model|Chip):\s*(Apple M.+)$/.exec(line))) {
          add("apple", match[1], ram ? Number(ram[1]) : null, "apple");
        } else if ((match = /^\s*Chipset Model:\s*(.+)$/.exec(line))) {
          const memory = /^\s*VRAM \(Total\):\s*(\d+) GB/m.exec(lines.slice(at, at + 12).join("\n"));
          add("apple", match[1], memory ? Number(memory[1]) : null);
        } else if ((match = PCI.exec(line))) {
          // Adapters of other makers only draw a screen, of a server or of a virtual machine.
          const maker = /NVIDIA|AMD|Advanced Micro|Intel/.exec(match[1]);
          if (maker) add(`bus of ${maker[0].slice(0, 2)}`, onBus(match[1]));
        }
      });
      for (const [number, code] of codes) if (!seen.has(`rocm ${number}`)) add("rocm", code);
      const tools = new Set(found.map((one) => one.tool)), makers = new Set();
      const first = NVIDIA.find((tool) => tools.has(tool));
      if (first) makers.add("bus of NV");
      if (tools.has("rocm") || tools.has("amd")) makers.add("bus of AM").add("bus of Ad");
      return grouped(found.filter(({ tool }) => !makers.has(tool) && (!NVIDIA.includes(tool) || tool === first)));
    };
    // A name in brackets is the card's; a card that is newer than the list of names has a number alone.
    const onBus = (text) => {
      const named = [...text.matchAll(/\[([^\][]+)\]/g)].map((inner) => inner[1])
        .filter((inner) => !/^[0-9a-f]{4}(?::[0-9a-f]{4})?$|^AMD\/ATI$/i.test(inner));
      return named[0] ?? text.replace(/ \[[0-9a-f]{4}:[0-9a-f]{4}\]| \((?:rev|prog-if) .*$/g, "");
    };
    // "Radeon RX 7900 XT/7900 XTX/7900M" names three cards: none of them is meant alone.
    const choices = (told, gib) => {
      const name = /\[([^\][]+)\]\s*$/.exec(told)?.[1] ?? told;  // "Arcturus GL-XL [AMD Instinct MI100]"
      const whole = spelled(name, gib);
      if (whole.length || !name.includes("/")) return whole;
      const [first, ...rest] = name.split("/").map((part) => part.trim());
      const series = first.split(" ").slice(0, first.split(" ").findIndex((word) => /\d/.test(word))).join(" ");
      return [...new Set([first, ...rest.map((part) => (meant(part).length ? part : /\d{3}/.test(part) ? `${series} ${part}` : `${first} ${part}`))]
        .flatMap((part) => meant(part, gib)))];
    };
    const grouped = (found) => {
      const groups = new Map(), unknown = [];
      for (const { name, gib } of found) {
        const ids = choices(name, gib);
        if (!ids.length) {
          unknown.push(name);
          continue;
        }
        const key = ids.join(" ");
        const group = groups.get(key) ?? { ids, count: 0, gib, name };
        group.count += 1;
        groups.set(key, group);
      }
      return { groups: [...groups.values()], unknown };
    };

    return { meant, find, listed, read, described, comboOf, ofGpu, ofGroups, gpus };
  };
  return { opened };
})();
if (typeof module !== "undefined") module.exports = sitegenHardware;
