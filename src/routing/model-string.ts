import { GatewayError } from "../errors.ts";

/** One name of a model string, as the client wrote it. */
export interface ModelName {
  readonly written: string;
  /** Without `[1m]`, `:floor` and `:nitro` at its end. */
  readonly name: string;
  /** The order that the name's suffix requests: `:floor` by price, `:nitro` by speed. */
  readonly order: "cheapest" | "fastest" | undefined;
}

export interface ModelString {
  /** In the client's order: each is the fallback of the previous one. */
  readonly names: readonly ModelName[];
  /** Provider names after `!`, as written: they are excluded for all names. */
  readonly excluded: readonly string[];
}

/** Names in one model string. */
const NAMES_MAX = 50;

/**
 * @param more - the members `models` and `fallbacks` of the body, appended to the list.
 * @throws GatewayError `invalid_body` if there are too many.
 */
export function readModelString(text: string, more: readonly string[] = []): ModelString {
  const names: ModelName[] = [];
  const excluded: string[] = [];
  for (const part of [text, ...more].flatMap((each) => each.split(","))) {
    const name = part.trim();
    if (name === "") continue;
    if (name.startsWith("!")) excluded.push(name.slice(1).trim());
    else names.push(readName(name));
  }
  if (names.length > NAMES_MAX || excluded.length > NAMES_MAX)
    throw new GatewayError("invalid_body", `model: name at most ${NAMES_MAX} models`, { path: "model" });
  return { names, excluded };
}

const ORDERS = { ":floor": "cheapest", ":nitro": "fastest" } as const;

function readName(written: string): ModelName {
  const text = withoutContext(written);
  for (const [suffix, order] of Object.entries(ORDERS)) {
    if (text.endsWith(suffix) && text.length > suffix.length)
      return { written, name: withoutContext(text.slice(0, -suffix.length)), order };
  }
  return { written, name: text, order: undefined };
}

const CONTEXT = "[1m]";

/** Claude Code marks a long context at the end of a model's name; no provider knows that mark. */
function withoutContext(model: string): string {
  return model.endsWith(CONTEXT) && model.length > CONTEXT.length ? model.slice(0, -CONTEXT.length) : model;
}
