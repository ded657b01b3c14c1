import type { Asset } from "../../bodies/assets.ts";
import type { Body } from "../../bodies/body.ts";
import { fromLatin1 } from "../../bodies/headers.ts";
import { bodyParts } from "../../bodies/stored-parts.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import type { StoredPart } from "../../store/packs/request-content.ts";
import type { Exchange } from "../exchanges/exchange.ts";

/** The headers and bodies of an exchange as they are stored, and the files in them. */
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

/** The header lists as they are stored: names as sent, values decoded. */
function headersJson({ begin, head, provider }: Exchange): string {
  const lists: Record<string, RawHeaders> = { request: begin.headers, response: head?.headers ?? [] };
  if (provider?.requestHead !== undefined) lists["provider_request"] = provider.requestHead.headers;
  if (provider?.responseHead !== undefined) lists["provider_response"] = provider.responseHead.headers;
  const text = JSON.stringify(lists);
  // One test of the complete text: hardly any header has non-ASCII characters.
  if (!/[^\x00-\x7f]/.test(text)) return text;
  return JSON.stringify(
    Object.fromEntries(Object.entries(lists).map(([side, headers]) => [side, headers.map(fromLatin1)])),
  );
}
