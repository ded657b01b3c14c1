import type { Json } from "../../plugin-host/contract.ts";
import type { UsagePlaces } from "../mapping.ts";
import type { Pointer } from "../pointer.ts";
import { type Leaf, placesOf } from "./leaves.ts";
import { says, WORDS, wordsOf } from "./member-names.ts";

/** Lengths of requests and responses, in characters, body by body. */
export interface Lengths {
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
}

interface Count {
  readonly pointer: Pointer;
  readonly leaf: Leaf;
  /** Body by body; undefined if a body lacks it. */
  readonly values: readonly (number | undefined)[];
}

/** The places of token counts: by name, checked by arithmetic; if no names help, by arithmetic and lengths only. */
export function inferUsage(bodies: readonly Json[], lengths: Lengths): UsagePlaces | undefined {
  const counts = countsIn(bodies);
  const usage = byName(counts) ?? byArithmetic(counts, lengths);
  if (usage === undefined) return undefined;
  const parts = partsOf(counts, new Set(Object.values(usage)));
  return { ...usage, ...parts };
}

function countsIn(bodies: readonly Json[]): Count[] {
  const counts: Count[] = [];
  for (const [pointer, { leaf, values }] of placesOf(bodies)) {
    if (pointer.includes("*")) continue;
    const numbers = values.map(([value]) => (typeof value === "number" ? value : undefined));
    const present = numbers.filter((value) => value !== undefined);
    if (present.length * 2 < bodies.length || present.some((value) => !Number.isSafeInteger(value) || value < 0))
      continue;
    if (present.some((value) => value > 10_000_000)) continue; // a timestamp, not a count
    const words = wordsOf(leaf.name);
    const isOther = words.some((word) => WORDS.noCount.has(word)) && !words.some((word) => WORDS.counts.has(word));
    if (!isOther) counts.push({ pointer, leaf, values: numbers });
  }
  return counts;
}

/** Names qualify if they, or their parents, mention tokens or usage. */
function byName(counts: readonly Count[]): UsagePlaces | undefined {
  const find = (meaning: ReadonlySet<string>, not: readonly ReadonlySet<string>[]) =>
    counts
      .filter(({ leaf }) => says(leaf.name, meaning) && !not.some((other) => says(leaf.name, other)))
      .filter(({ leaf }) => leaf.names.some((name) => says(name, WORDS.counts)))
      .sort((a, b) => a.leaf.names.length - b.leaf.names.length)[0];
  const parts = [WORDS.cached, WORDS.reasoning];
  const total = find(WORDS.total, parts);
  const input = find(WORDS.input, [WORDS.total, WORDS.output, ...parts]) ?? find(WORDS.input, [WORDS.total, ...parts]);
  const output = find(WORDS.output, [WORDS.total, ...parts]);
  if (input === undefined && output === undefined) return undefined;
  return {
    ...(input && { prompt_tokens: input.pointer }),
    ...(output && output !== input && { completion_tokens: output.pointer }),
    ...(total && { total_tokens: total.pointer }),
  };
}

/** Three counts of one object, two of which add up to the third; the lengths of the texts decide which one is the input. */
function byArithmetic(counts: readonly Count[], { inputs, outputs }: Lengths): UsagePlaces | undefined {
  if (inputs.length < 2) return undefined;
  for (const total of counts) {
    for (const [at, first] of counts.entries()) {
      for (const second of counts.slice(at + 1)) {
        if (first === total || second === total || !isSum(total, first, second)) continue;
        const straight = distance(first, inputs) + distance(second, outputs);
        const crossed = distance(second, inputs) + distance(first, outputs);
        // Most formats list the input first: only a clear mismatch of lengths overrides that.
        const [input, output] = straight <= crossed + CLEARLY * inputs.length ? [first, second] : [second, first];
        return {
          prompt_tokens: input.pointer,
          completion_tokens: output.pointer,
          total_tokens: total.pointer,
        };
      }
    }
  }
  return undefined;
}

const CLEARLY = 0.3;

const holderOf = ({ pointer }: Count) => pointer.slice(0, pointer.lastIndexOf("/"));

function isSum(total: Count, first: Count, second: Count): boolean {
  if (holderOf(total) !== holderOf(first) || holderOf(first) !== holderOf(second)) return false;
  return total.values.every((sum, index) => {
    const [a, b] = [first.values[index], second.values[index]];
    return sum !== undefined && a !== undefined && b !== undefined && a > 0 && b > 0 && a + b === sum;
  });
}

/** The distance of the counts from four characters per token, on a logarithmic scale. */
function distance({ values }: Count, lengths: readonly number[]): number {
  return values.reduce<number>(
    (sum, value, index) => sum + Math.abs(Math.log(((value ?? 0) * 4 + 1) / ((lengths[index] ?? 0) + 1))),
    0,
  );
}

function partsOf(counts: readonly Count[], taken: ReadonlySet<Pointer | undefined>): UsagePlaces {
  const rest = counts.filter(({ pointer }) => !taken.has(pointer));
  const cached = rest.find(
    ({ leaf }) => leaf.names.some((name) => says(name, WORDS.cached)) && !/writ|creat|miss/i.test(leaf.name),
  );
  const thought = rest.find(({ leaf }) => leaf.names.some((name) => says(name, WORDS.reasoning)));
  return {
    ...(cached && { prompt_cache_read_tokens: cached.pointer }),
    ...(thought && { reasoning_tokens: thought.pointer }),
  };
}

/** The place of the cost in dollars, as stated by the provider. */
export function inferCost(bodies: readonly Json[]): Pointer | undefined {
  for (const [pointer, { leaf, values }] of placesOf(bodies)) {
    const isAmount = values.every(
      ([value]) => value === undefined || (typeof value === "number" && value >= 0 && value < 1_000),
    );
    if (!pointer.includes("*") && isAmount && typeof leaf.value === "number" && /usd|dollar/i.test(pointer))
      return pointer;
  }
  return undefined;
}
