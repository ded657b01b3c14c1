import { isUtf8 } from "node:buffer";
import { messageOf } from "../../log.ts";
import { CutOff } from "../../plugin-host/hooks/guard.ts";
import { withinLimit } from "../../plugin-host/hooks/time-limit.ts";
import { NO_TEXTS } from "../../record/record-texts.ts";
import type { StoredPart } from "../../store/packs/request-content.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { toParts } from "./exchange-parts.ts";
import { readLabels } from "./labels.ts";
import { messageLines } from "./messages.ts";
import type { PrepareDeps, Prepared } from "./prepared.ts";
import { providerBodies, providerBytes, providerParts } from "./provider-parts.ts";
import { toRow } from "./row.ts";
import { type ClientSide, contentTypeOf, decodedSide } from "./sides.ts";

/** Maximum characters kept of an error message. */
const REASON_LENGTH_MAX = 300;

/** Why bodies were not read, for the record: a timeout, or the reader's error. */
export function unreadReason(error: unknown): string {
  if (error instanceof CutOff) return "timeout: reading it took too much CPU time";
  return `failed: ${messageOf(error)}`.slice(0, REASON_LENGTH_MAX);
}

/**
 * A record whose bodies cannot be read: ids, status, times and labels as usual, and the bodies as received, without their
 * content coding. `weir models reread` reads them again.
 *
 * @param reason - begins with `timeout:`, `failed:` or `crash:`.
 */
export async function prepareUnread(
  exchange: Exchange,
  reason: string,
  deps: PrepareDeps,
  now: number,
): Promise<Prepared> {
  const { begin, end } = exchange;
  const labels = readLabels(begin.gateway);
  const request = begin.omitRequest ? undefined : await decodedSide(exchange, "request", deps);
  const response = begin.omitResponse ? undefined : await decodedSide(exchange, "response", deps);
  const messages = (exchange.messages?.bytes ?? 0) === 0 ? undefined : messageLines(exchange, deps.spool);
  const { parts } = toParts(exchange, { request: undefined, response: undefined }, undefined, messages);
  const requestPart = request && asItCame(exchange, "request", request.bytes);
  const responsePart = response && asItCame(exchange, "response", response.bytes);
  if (requestPart !== undefined) parts.push(requestPart);
  // Also stored as the raw response: a later reading, such as a folded stream, replaces only the other copy.
  if (responsePart !== undefined && messages === undefined) parts.push(responsePart, { ...responsePart, part: "raw" });
  if (exchange.provider !== undefined) {
    const other = await providerBytes(exchange, deps);
    const read = () => providerParts(exchange, providerBodies(exchange, other, deps));
    const size = other.provider_response?.bytes.byteLength ?? 0;
    parts.push(...(await withinLimit(async (within) => within(size, read)).catch(() => [])));
  }
  const truncated =
    exchange.request.truncated ||
    exchange.response.truncated ||
    exchange.messages?.truncated ||
    request?.incomplete === true ||
    response?.incomplete === true ||
    end?.requestTruncated === true ||
    end?.responseTruncated === true;
  const findings = { reading: {}, cost: { cost: null, source: null }, streamed: false, truncated, unread: reason };
  return {
    exchange,
    row: toRow(exchange, labels, findings, now),
    labels,
    requestBody: textOf(requestPart),
    responseBody: textOf(responsePart),
    input: undefined,
    changedByPlugins: false,
    parts,
    texts: NO_TEXTS,
    assets: [],
  };
}

function asItCame(exchange: Exchange, side: ClientSide, bytes: Buffer): StoredPart {
  const contentType = contentTypeOf(exchange, side) ?? null;
  return { part: side, form: isUtf8(bytes) ? "text" : "binary", bytes, contentType };
}

/** Plugins see the text, so that a redacting plugin can work here too. */
const textOf = (part: StoredPart | undefined) => (part?.form === "text" ? part.bytes.toString("utf8") : undefined);
