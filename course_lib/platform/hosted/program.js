// What a program finds around it: `tools`, `text` and `image`, a clock and chance that are the same
// each time it is run again, and nothing that reaches out or waits. Returns how it is played:
// `start` it, give each `answer` when it has come to rest, and have its `report`.
(() => {
  const { parse, stringify } = JSON;
  const calls = []; // [name, arguments as JSON], in the order they were made
  const settle = []; // of each call how it is answered
  const emitted = [];
  let room = 0; // characters that may still be emitted or handed to tools
  let ended = false;
  let error = null;

  const told = (thrown) => {
    if (!(thrown instanceof Error)) return `Uncaught ${shown(thrown)}`;
    const line = /\bprogram:(\d+)/.exec(thrown.stack ?? "");
    // two lines stand before the code: those of the function it is put into
    return `${thrown.name}: ${thrown.message}` + (line ? ` (line ${line[1] - 2})` : "");
  };
  const shown = (value) => (typeof value === "string" ? value : (stringify(value) ?? String(value)));
  const taken = (written) => {
    room -= written.length;
    if (room < 0) throw new RangeError("The program writes too much.");
    return written;
  };
  const call = (name, most) => (given = {}) => {
    const fits = typeof given === "string" || (typeof given === "object" && given && !Array.isArray(given));
    if (!fits) throw new TypeError(`tools.${name} takes one object with its arguments.`);
    if (calls.length === most) throw new RangeError(`A program may make ${most} calls.`);
    const made = taken(stringify(given));
    return new Promise((resolve, reject) => {
      calls.push([name, made]);
      settle.push({ resolve, reject });
    });
  };
  const there = (names) => (names.length ? `These are: ${names.join(", ")}.` : "None is.");
  const toolbox = (names, most) => {
    const box = Object.create(null);
    for (const name of names) box[name] = call(name, most);
    return new Proxy(Object.freeze(box), {
      get(box, name) {
        if (typeof name === "symbol" || name in box) return box[name];
        throw new ReferenceError(`The tool ${name} cannot be called by a program. ${there(names)}`);
      },
    });
  };

  const withhold = () => {
    // Shared memory is a way to wait, WebAssembly one around the limits, the rest tells real time.
    for (const name of ["console", "Atomics", "SharedArrayBuffer", "WebAssembly", "Temporal",
      "WeakRef", "FinalizationRegistry", "__timer_manager", "setTimeout", "clearTimeout"]) {
      if (!delete globalThis[name]) globalThis[name] = undefined;
    }
  };
  const setClock = (seconds) => {
    let now = seconds * 1000; // each look at the clock takes a millisecond
    const Clock = new Proxy(Date, {
      construct: (Real, given, as) => Reflect.construct(Real, given.length ? given : [now++], as),
      apply: (Real) => new Real(now++).toString(),
    });
    Date.now = () => now++;
    Date.prototype.constructor = Clock;
    globalThis.Date = Clock;
    let seed = seconds; // mulberry32
    Math.random = () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  };

  return {
    start(given) {
      const { code, names, now, most_calls, most_text } = parse(given);
      room = most_text;
      withhold();
      setClock(now);
      globalThis.tools = toolbox(names, most_calls);
      globalThis.text = (value) => void emitted.push(taken(shown(value)));
      globalThis.image = (url) => void emitted.push(taken(shown(url)));
      const Code = (async () => {}).constructor;
      (async () => await new Code(`${code}\n//# sourceURL=program`)())().then(
        () => { ended = true; },
        (thrown) => { ended = true; error = told(thrown); },
      );
    },
    answer(given) {
      const { index, value, failed } = parse(given);
      const meant = () => {
        try { return typeof value === "string" ? parse(value) : value; } catch { return value; }
      };
      if (failed) settle[index]?.reject(new Error(value));
      else settle[index]?.resolve(meant());
    },
    report: () => stringify({ calls, emitted, ended, error }),
  };
})()
