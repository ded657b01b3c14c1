import { createHash } from "node:crypto";
import { canonicalJson } from "../../json-text/canonical.ts";
import { modelOfPath } from "../body/content.ts";

/** The parts that make two requests identical for the cache. */
export interface KeyParts {
  readonly organizationId: string;
  readonly seed: string;
  readonly method: string;
  /** Complete target URL, with its query. */
  readonly url: string;
  /** Every header that may hold a credential, as `name: value`, names in lower case, sorted. */
  readonly credentials: readonly string[];
  readonly acceptEncoding: string;
  readonly body: Uint8Array;
  readonly ignoredKeys: readonly string[];
}

export interface CacheKey {
  /** SHA-256, hexadecimal. The parts cannot be recovered from it. */
  readonly key: string;
  /** The model named in the body or the path. */
  readonly model: string | undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function cacheKey(parts: KeyParts): CacheKey {
  const { organizationId, seed, method, url, credentials, acceptEncoding, body, ignoredKeys } = parts;
  const json = readJson(body, ignoredKeys);
  const hash = createHash("sha256");
  const form = json === undefined ? "bytes" : "json";
  hash.update(JSON.stringify(["weir-1", organizationId, seed, method, url, credentials, acceptEncoding, form]));
  hash.update("\n");
  hash.update(json?.text ?? body);
  return { key: hash.digest("hex"), model: json?.model ?? modelOfPath(url) };
}

function readJson(body: Uint8Array, ignoredKeys: readonly string[]) {
  if (body.byteLength === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return undefined; // not UTF-8: the bytes are the key
  }
  return canonicalJson(text, ignoredKeys);
}
