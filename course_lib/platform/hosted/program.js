// What a program finds around it: `tools`, `text` and `image`, a clock that is the same each time it
// is run again, and nothing that reaches out or waits. Returns how it is played: `start` it, give
// each `answer` when it has come to rest, and have its `report`.
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
    const fits = typeof given === "string" || Object.prototype.toString.call(given) === "[object Object]";
    if (!fits) throw new TypeError(`tools.${name} takes one object with its arguments.`);
    if (calls.length === most) throw new RangeError(`A program may make ${most} calls.`);
    const made = taken(stringify(given));
    return new Promise((resolve, reject) => {
      calls.push([name, made]);
      settle.push({ resolve, reject });
    });
  };
  const toolbox = (names, most) => {
    const box = Object.create(null);
    for (const name of names) box[name] = call(name, most);
    return new Proxy(Object.freeze(box), {
      get(box, name) {
        if (typeof name === "symbol" || name in box) return box[name];
        const there = `These are: ${names.join(", ") || "none"}.`;
        throw new ReferenceError(`The tool ${name} cannot be called by a program. ${there}`);
      },
    });
  };
  // Shared memory is a way to wait, WebAssembly one around the limits, the rest tells real time.
  const withheld = ["console", "Atomics", "SharedArrayBuffer", "WebAssembly", "Temporal", "WeakRef",
    "FinalizationRegistry", "__timer_manager", "setTimeout", "clearTimeout"];
  const setClock = (seconds) => {
    let now = seconds * 1000; // each look at the clock takes a millisecond
    const Clock = new Proxy(Date, {
      construct: (Real, given, as) => Reflect.construct(Real, given.length ? given : [now++], as),
      apply: (Real) => new Real(now++).toString(),
    });
    Date.now = () => now++;
    Date.prototype.constructor = Clock;
    globalThis.Date = Clock;
  };

  return {
    start(given) {
      const { code, names, now, most_calls, most_text } = parse(given);
      room = most_text;
      for (const name of withheld) if (!delete globalThis[name]) globalThis[name] = undefined;
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
