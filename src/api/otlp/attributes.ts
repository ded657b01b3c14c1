import { parseJson } from "../../mapping/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { Attributes, Span } from "./span.ts";

/** Highest index in an attribute name that spells out a list. */
const INDEX_MAX = 1_000;

/** All attributes of a span. Some libraries put contents into an event, so that they can be left out. */
export function attributesOf({ attributes, events }: Span): Attributes {
  const said = events.filter(({ name }) => name.startsWith("gen_ai."));
  return said.length === 0 ? attributes : new Map([...said.flatMap((event) => [...event.attributes]), ...attributes]);
}

/** The first of these attributes with a value. */
export function first(attributes: Attributes, ...names: readonly string[]): Json {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return undefined;
}

export function firstText(attributes: Attributes, ...names: readonly string[]): string | undefined {
  const value = first(attributes, ...names);
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" || typeof one === "number" ? String(one) : undefined;
}

export function firstNumber(attributes: Attributes, ...names: readonly string[]): number | undefined {
  const value = Number(first(attributes, ...names) ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** The first present attribute, which may be JSON in a string. */
export function firstJson(attributes: Attributes, ...names: readonly string[]): Json {
  const value = first(attributes, ...names);
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  return parseJson(value) ?? value;
}

/**
 * The value that attributes below a prefix spell out, as in OpenInference and older conventions:
 * `llm.input_messages.0.message.role` is part of a list of objects at `llm.input_messages`.
 *
 * @returns undefined if there is none.
 */
export function spread(attributes: Attributes, prefix: string): Json {
  const root: Record<string, Json> = Object.create(null);
  for (const [key, value] of attributes) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const steps = key.slice(prefix.length + 1).split(".");
    let at = root;
    for (const step of steps.slice(0, -1)) {
      if (typeof at[step] !== "object" || at[step] === null) at[step] = Object.create(null);
      at = at[step];
    }
    at[steps.at(-1)!] = value;
  }
  return Object.keys(root).length === 0 ? undefined : asLists(root);
}

function asLists(value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, asLists(each)] as const);
  if (!entries.every(([name]) => /^\d{1,4}$/.test(name) && Number(name) < INDEX_MAX))
    return Object.fromEntries(entries);
  return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, each]) => each);
}
