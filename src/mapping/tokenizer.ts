export type Encoding = "o200k_base" | "cl100k_base";

/** Maximum characters to count, 0.03 s of work for text and 0.3 s for noise; the rest is extrapolated. */
const CHARACTERS_MAX = 100_000;

/** Pieces that are counted separately: a tokenizer's time is quadratic in a run without spaces. */
const PIECES = /[\s\S]{1,100}(?=\s|$)|[\s\S]{1,100}/g;

/** Text that looks like a special token is counted as ordinary text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

type Counter = (texts: readonly (string | undefined)[]) => number;

const counters = new Map<Encoding, Promise<Counter>>();

/** OpenAI's tokenizer, loaded on first use (about 100 MB in memory) and kept by its thread. */
export function tokenizer(encoding: Encoding): Promise<Counter> {
  let counter = counters.get(encoding);
  if (counter === undefined) {
    counter = load(encoding);
    counters.set(encoding, counter);
  }
  return counter;
}

async function load(encoding: Encoding): Promise<Counter> {
  const { countTokens } = await (encoding === "o200k_base"
    ? import("gpt-tokenizer/encoding/o200k_base")
    : import("gpt-tokenizer/encoding/cl100k_base"));
  return (texts) => {
    const text = texts.join("\n").trim();
    let tokens = 0;
    for (const [piece] of text.slice(0, CHARACTERS_MAX).matchAll(PIECES)) tokens += countTokens(piece, AS_TEXT);
    return Math.round(tokens * Math.max(1, text.length / CHARACTERS_MAX));
  };
}
