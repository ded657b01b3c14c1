import type { Json } from "../../plugin/contract.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import { type Asset, extractAssets } from "../bodies/assets.ts";
import type { Body, BodyForm } from "../bodies/body.ts";
import type { Exchange } from "../exchanges/exchange.ts";
import { fromLatin1 } from "./headers.ts";

export type BodyPart = "request" | "response" | "raw" | "headers" | "provider_request" | "provider_response";

/** One body as it is to be stored. */
export interface StoredPart {
  readonly part: BodyPart;
  readonly form: BodyForm;
  readonly bytes: Buffer;
  readonly contentType: string | null;
}

/** The bodies of an exchange as they are stored, and the files that came in them. */
export function toParts(
  exchange: Exchange,
  { request, response }: { request: Body | undefined; response: Body | undefined },
  responseBody: Json,
  messages: Buffer | undefined,
): { parts: StoredPart[]; assets: Asset[] } {
  const headers: StoredPart = {
    part: "headers",
    form: "json",
    bytes: Buffer.from(headersJson(exchange)),
    contentType: null,
  };
  const { parts, assets } = bodyParts({ request, response }, responseBody, messages);
  return { parts: [headers, ...parts], assets };
}

/** The same without the headers. */
export function bodyParts(
  { request, response }: { request: Body | undefined; response: Body | undefined },
  responseBody: Json,
  messages: Buffer | undefined,
): { parts: StoredPart[]; assets: Asset[] } {
  const parts: StoredPart[] = [];
  const assets: Asset[] = [];
  if (request !== undefined) parts.push(toPart("request", request, request.json, assets));
  if (messages !== undefined) {
    parts.push({ part: "response", form: "text", bytes: messages, contentType: "application/x-ndjson" });
  } else if (response !== undefined) {
    if (response.events === undefined) parts.push(toPart("response", response, response.json, assets));
    else parts.push(...streamParts(response, responseBody, assets));
  }
  return { parts, assets };
}

/** A stream is stored twice: as the object that it amounts to, and as it came. */
function streamParts(response: Body, responseBody: Json, assets: Asset[]): StoredPart[] {
  const raw: StoredPart = {
    part: "raw",
    form: response.form === "binary" ? "binary" : "text",
    bytes: response.bytes,
    contentType: response.mime || null,
  };
  // A stream that nobody can fold is its own text.
  if (responseBody === undefined) return [{ ...raw, part: "response" }, raw];
  assets.push(...extractAssets(responseBody));
  return [{ part: "response", form: "json", bytes: Buffer.from(JSON.stringify(responseBody)), contentType: null }, raw];
}

function toPart(part: BodyPart, body: Body, json: Json, assets: Asset[]): StoredPart {
  const found = body.form === "json" ? extractAssets(json) : [];
  assets.push(...found);
  const bytes = found.length === 0 ? body.bytes : Buffer.from(JSON.stringify(json));
  return { part, form: body.form, bytes, contentType: body.mime || null };
}

/** The lists of headers as they are stored: names as sent, values as the text that they mean. */
function headersJson({ begin, head, provider }: Exchange): string {
  const lists: Record<string, RawHeaders> = { request: begin.headers, response: head?.headers ?? [] };
  if (provider?.requestHead !== undefined) lists["provider_request"] = provider.requestHead.headers;
  if (provider?.responseHead !== undefined) lists["provider_response"] = provider.responseHead.headers;
  const text = JSON.stringify(lists);
  // One look at all of it: hardly any header holds more than ASCII.
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return JSON.stringify(
    Object.fromEntries(Object.entries(lists).map(([side, headers]) => [side, headers.map(fromLatin1)])),
  );
}
