import { parseRequest } from "../mapping/exact-json.ts";
import { isObject, listOf, textOf, utf8Of } from "../mapping/json.ts";
import { responseIdOf } from "../mapping/wire/responses/item-ids.ts";
import type { Json } from "../plugin-host/contract.ts";
import { type IssuerNamed, issuersIn } from "./issuers-in.ts";

const REFERENCE = "item_reference";
const NONE: readonly string[] = [];

/** Weir's own responses whose items a Responses request references by id, without duplicates. */
export function referredTo(body: Record<string, Json>, text: string): readonly string[] {
  // A search for its quote is three times as fast.
  if (!Array.isArray(body["input"]) || !text.includes(`"${REFERENCE}"`)) return NONE;
  const ids = listOf(body["input"]).flatMap((item) => responseIdOf(idIn(item) ?? "") ?? []);
  return [...new Set(ids)];
}

/** The id that an item references. */
const idIn = (item: Json): string | undefined =>
  isObject(item) && item["type"] === REFERENCE ? textOf(item["id"]) : undefined;

/** A body with its references replaced by items, or the place of the first unknown reference. */
export type WithItems =
  | { readonly body: Uint8Array; readonly issuers: readonly IssuerNamed[] }
  | { readonly missing: string };

/** @param recorded - a JSON list of items for each response. */
export function withItems(bytes: Uint8Array, recorded: readonly string[]): WithItems {
  const items: readonly Json[] = recorded.flatMap((list) => parseRequest(list));
  const body = parseRequest(utf8Of(bytes));
  const known = new Map<string, Json>(items.map((item) => [textOf(item?.id) ?? "", item]));
  const input: Json[] = [];
  for (const [index, item] of listOf(body.input).entries()) {
    const id = idIn(item);
    const isOurs = id !== undefined && responseIdOf(id) !== undefined;
    if (isOurs && !known.has(id)) return { missing: `input[${index}].id` };
    input.push(isOurs ? withoutPlace(known.get(id)!) : item);
  }
  const text = JSON.stringify({ ...body, input });
  return { body: Buffer.from(text), issuers: issuersIn(text) };
}

/** An item of a response, as an item of a request. */
function withoutPlace({ id: _id, status: _status, ...item }: Record<string, Json>): Json {
  return item;
}
