import { isObject, type JsonObject, listOf, parseJson, textOf } from "../../mapping/json.ts";
import { isPacked } from "../../mapping/translate/state.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { ResponseName } from "../../threads.ts";
import type { EarlierResponse } from "../../unified/earlier-response.ts";
import type { BodyStore } from "../bodies/body-store.ts";
import type { RequestBodies } from "../packs/read.ts";

/** Longest chain of earlier responses that is followed. */
const DEPTH_MAX = 100;
/** Placeholder for a file in bodies of an older version, which stored files separately. */
const FILE_APART = /"weir-asset:[0-9a-f]{64}"/;

/** Where responses are looked up. */
export interface EarlierResponses {
  readonly records: {
    responseOf(name: ResponseName): Promise<EarlierResponse | undefined>;
    isWhole(requestId: string): Promise<boolean>;
  };
  readonly content: BodyStore;
}

/**
 * The turns that led to a response, and the response itself, as items of a request's `input`: JSON text, which is faster to
 * send between threads than objects.
 *
 * @param bytesMax - limit for all recorded bodies together.
 * @returns undefined when one of them is not recorded completely or was sent with `store: false`.
 */
export async function turnsBefore(
  earlier: EarlierResponses,
  organizationId: string,
  responseId: string,
  bytesMax: number,
): Promise<string | undefined> {
  const turns: Json[][] = [];
  let bytes = 0;
  for (let id: string | undefined = responseId; id !== undefined; ) {
    const response = await earlier.records.responseOf({ organizationId, responseId: id });
    if (response === undefined || turns.length === DEPTH_MAX) return undefined;
    const turn = await readTurn(earlier, response.requestId);
    if (turn === undefined) return undefined;
    bytes += turn.bytes;
    if (bytes > bytesMax) return undefined;
    turns.push(turn.items);
    id = turn.previous;
  }
  return JSON.stringify(turns.reverse().flat());
}

/** JSON list of the output items of a response, as its client received them. */
export async function itemsOf(
  earlier: EarlierResponses,
  organizationId: string,
  responseId: string,
): Promise<string | undefined> {
  const response = await earlier.records.responseOf({ organizationId, responseId });
  const turn = response && (await readTurn(earlier, response.requestId));
  return turn && JSON.stringify(turn.output);
}

interface Turn {
  readonly items: Json[];
  readonly output: readonly Json[];
  readonly previous: string | undefined;
  readonly bytes: number;
}

async function readTurn({ records, content }: EarlierResponses, requestId: string): Promise<Turn | undefined> {
  if (!(await records.isWhole(requestId))) return undefined;
  const bodies = (await content.get([requestId], ["request", "response"], "sent")).get(requestId);
  const [request, response] = [objectIn(bodies?.request), objectIn(bodies?.response)];
  if (request === undefined || response === undefined || request["store"] === false) return undefined;
  const output = listOf(response["output"]);
  return {
    items: [...inputOf(request["input"]), ...output.flatMap(outputItem)],
    output,
    previous: textOf(request["previous_response_id"]),
    bytes: bodies!.request!.bytes + bodies!.response!.bytes,
  };
}

/** Undefined when the body is missing or is not exactly what the client sent or received. */
function objectIn(body: RequestBodies["request"]): JsonObject | undefined {
  if (body?.form !== "json") return undefined;
  const text = Buffer.from(body.content).toString("utf8");
  const value = FILE_APART.test(text) ? undefined : parseJson(text);
  return isObject(value) ? value : undefined;
}

const inputOf = (input: Json): readonly Json[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : listOf(input);

/**
 * Converts an output item to an input item. Ids refer to what one provider has stored; other providers do not have it.
 * Reasoning that OpenAI encrypted works for one account only, so it is dropped unless Weir's packing names the account.
 */
function outputItem(item: Json): Json[] {
  if (!isObject(item)) return [];
  const { id: _id, status: _status, ...rest } = item;
  if (rest["type"] !== "reasoning") return [rest];
  return isPacked(textOf(rest["encrypted_content"]) ?? "") ? [rest] : [];
}
