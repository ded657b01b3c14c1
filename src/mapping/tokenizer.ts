export type Encoding = "o200k_base" | "cl100k_base";

/** Characters that are counted at most, 0.03 s of work for text and 0.3 s for noise; what is beyond is taken to be like it. */
const CHARACTERS_MAX = 100_000;

/** Pieces that text is counted in: a tokenizer's time grows with the square of a run without spaces. */
const PIECES = /[\s\S]{1,100}(?=\s|$)|[\s\S]{1,100}/g;

/** Text that looks like one of the tokenizer's own marks is counted as the text it is. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

export type Counter = (texts: readonly (string | undefined)[]) => number;

const counters = new Map<Encoding, Promise<Counter>>();

/** OpenAI's tokenizer, loaded when it is first needed (about 100 MB in memory) and kept by its thread. */
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
