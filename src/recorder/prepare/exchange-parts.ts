import { isAscii } from "node:buffer";
import type { Asset } from "../../bodies/assets.ts";
import type { Body } from "../../bodies/body.ts";
import { fromLatin1 } from "../../bodies/headers.ts";
import { bodyParts } from "../../bodies/stored-parts.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { HeaderList } from "../../spool/header-list.ts";
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
    bytes: headersJson(exchange),
    contentType: null,
  };
  const stored = bodyParts({ request, response }, responseBody, messages);
  stored.parts.unshift(headers);
  return stored;
}

const REQUEST = Buffer.from('{"request":');
const RESPONSE = Buffer.from(',"response":');
const PROVIDER_REQUEST = Buffer.from(',"provider_request":');
const PROVIDER_RESPONSE = Buffer.from(',"provider_response":');
const END = Buffer.from("}");

/** The header lists as they are stored: names as sent, values decoded. */
function headersJson({ begin, head, provider }: Exchange): Buffer {
  const lists = [REQUEST, stored(begin.headers), RESPONSE, stored(head?.headers ?? HeaderList.none)];
  if (provider?.requestHead !== undefined) lists.push(PROVIDER_REQUEST, stored(provider.requestHead.headers));
  if (provider?.responseHead !== undefined) lists.push(PROVIDER_RESPONSE, stored(provider.responseHead.headers));
  lists.push(END);
  return Buffer.concat(lists);
}

/** The bytes of hardly any list are not ASCII. Values can be decoded together, because what separates them is ASCII. */
function stored({ bytes }: HeaderList): Buffer {
  if (isAscii(bytes)) return bytes;
  const text = bytes.toString();
  // Other characters than those of bytes came from no wire.
  return Buffer.from(/[^\x00-\xff]/.test(text) ? text : fromLatin1(text));
}
