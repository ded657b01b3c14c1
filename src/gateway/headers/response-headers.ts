import { readLength } from "../../runtime/http/length.ts";
import type { RawHeaders } from "../../spool/frame.ts";
import {
  CONNECTION,
  ENCODING,
  type HeaderName,
  HOP,
  headerName,
  LENGTH,
  namedByConnection,
  OWN,
} from "./header-names.ts";

/** Set by the gateway itself, unless a plugin that limits requests sets them. */
const LIMITS = "gateway-ratelimit-";
/** Values of `Connection` that name no other header. */
const USUAL = /^(?:keep-alive|close)$/i;
/** They describe the body, so only the provider or the gateway may set them. */
const OF_BODY: ReadonlySet<string> = new Set(["content-type", "content-encoding"]);

/** A provider's headers without hop-by-hop ones, and the values that the relay needs. */
interface ResponseHeaders {
  readonly forward: string[];
  readonly contentLength: number | undefined;
  readonly contentType: string;
}

export function readResponseHeaders(raw: RawHeaders): ResponseHeaders {
  let saysConnection = false;
  let contentLength: number | undefined;
  let contentType = "";
  const forward: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const { bits, lower } = headerName(raw[at]!);
    if ((bits & (HOP | OWN)) !== 0) {
      saysConnection ||= (bits & CONNECTION) !== 0 && !USUAL.test(raw[at + 1]!);
      continue;
    }
    const value = raw[at + 1]!;
    if ((bits & LENGTH) !== 0) {
      if (contentLength !== undefined) continue;
      contentLength = readLength(value) ?? Number(value);
    } else if (lower === "content-type") contentType = value;
    forward.push(raw[at]!, value);
  }
  const named = saysConnection ? namedByConnection(raw, namesOf(raw)) : undefined;
  return { forward: named === undefined ? forward : without(named, forward), contentLength, contentType };
}

/** @param named - names in lower case. */
function without(named: ReadonlySet<string>, raw: RawHeaders): string[] {
  return raw.flatMap((name, at) => (at % 2 === 1 || named.has(name.toLowerCase()) ? [] : [name, raw[at + 1]!]));
}

function namesOf(raw: RawHeaders): HeaderName[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [headerName(name)] : []));
}

/** The headers that a plugin may add to a response: not the gateway's own and not the body's. */
export function ofPlugin(
  headers: Readonly<Record<string, string>>,
  idHeaders: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(headers).filter(([name]) => {
    const { bits, lower } = headerName(name);
    if ((bits & (HOP | LENGTH | ENCODING)) !== 0 || OF_BODY.has(lower) || idHeaders.includes(lower)) return false;
    return (bits & OWN) === 0 || lower.startsWith(LIMITS);
  });
}
