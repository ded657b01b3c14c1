import type { Json } from "../plugin-host/contract.ts";
import type { StoredPart } from "../store/packs/request-content.ts";
import { type Asset, extractAssets, mayHoldAssets } from "./assets.ts";
import type { Body } from "./body.ts";
import { filePlaces } from "./file-places.ts";

/** The bodies of an exchange as they are stored, and the files in them. */
export function bodyParts(
  { request, response }: { request: Body | undefined; response: Body | undefined },
  responseBody: Json,
  messages: Buffer | undefined,
): { parts: StoredPart[]; assets: Asset[] } {
  const parts: StoredPart[] = [];
  const assets: Asset[] = [];
  if (request !== undefined) parts.push(toPart("request", request, assets));
  if (messages !== undefined) {
    parts.push({ part: "response", form: "text", bytes: messages, contentType: "application/x-ndjson" });
  } else if (response !== undefined) {
    if (response.events === undefined) parts.push(toPart("response", response, assets));
    else parts.push(...streamParts(response, responseBody, assets));
  }
  return { parts, assets };
}

/** A stream is stored twice: folded into an object, and as received. */
function streamParts(response: Body, responseBody: Json, assets: Asset[]): StoredPart[] {
  const raw = storedBody("raw", response);
  const stream: StoredPart = response.form === "binary" ? raw : { ...raw, form: "text" };
  // A stream that cannot be folded is stored as text.
  if (responseBody === undefined) return [{ ...stream, part: "response" }, stream];
  const text = JSON.stringify(responseBody);
  const whole: StoredPart = { part: "response", form: "json", bytes: Buffer.from(text), contentType: null };
  return [withoutFiles(whole, { text, json: responseBody }, assets), stream];
}

function toPart(part: "request" | "response", body: Body, assets: Asset[]): StoredPart {
  const stored = storedBody(part, body);
  return body.form === "json" ? withoutFiles(stored, body, assets) : stored;
}

/** A body as it is stored; if the sent bytes differ from the displayed ones, with both. */
export function storedBody(part: StoredPart["part"], { form, bytes, sent, mime }: Body): StoredPart {
  const stored: StoredPart = { part, form, bytes, contentType: mime || null };
  return sent === bytes ? stored : { ...stored, sent };
}

/** Extracts the files from a body's value, in place, and returns their places in its text. */
function withoutFiles(stored: StoredPart, body: Pick<Body, "text" | "json" | "unread">, assets: Asset[]): StoredPart {
  const { json, unread } = body;
  const found = unread !== undefined || mayHoldAssets(body.text ?? "") ? extractAssets(json, unread) : [];
  if (found.length === 0) return stored;
  assets.push(...found);
  const files = stored.sent === undefined ? filePlaces(stored.bytes, found, json) : undefined;
  if (files !== undefined) return { ...stored, files };
  // Files that are escaped in an unusual way are not found: the body is stored twice, as displayed and as sent.
  return { ...stored, bytes: Buffer.from(JSON.stringify(json)), sent: stored.sent ?? stored.bytes };
}
