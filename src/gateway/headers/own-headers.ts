/** The cache's result for a request that used it. */
export interface CacheResponse {
  hit?: CacheHit;
}

export interface CacheHit {
  /** The original request, and when its response was stored. */
  readonly referenceId: string;
  readonly createdAt: number;
  /** Place of the response in its bucket. */
  readonly place: number;
}

/** A response's headers plus those that plugins add (raw pairs) and the gateway's own: its id, by one name or more, and the cache's result. */
// biome-ignore lint/complexity/useMaxParams: called for every response; an object for its arguments would be garbage of the hot path
export function withOwnHeaders(
  headers: readonly string[],
  added: readonly string[] | undefined,
  idHeaders: readonly string[],
  id: string,
  cache: CacheResponse | undefined,
): string[] {
  const from = headers.length;
  const first = idHeaders[0]!;
  const all = added === undefined ? [...headers, first, id] : [...headers, ...added, first, id];
  for (let at = 1; at < idHeaders.length; at++) all.push(idHeaders[at]!, id);
  if (cache !== undefined) {
    const { hit } = cache;
    if (hit === undefined) all.push("gateway-cache", "MISS");
    else all.push("gateway-cache", "HIT", "gateway-cache-bucket-idx", String(hit.place));
  }
  if (idHeaders.length > 1) repeatUnderAliases(all, from, idHeaders);
  return all;
}

const OWN = "gateway-";
const OWN_ID = "gateway-id";

/** Repeats the headers about the cache and limits under the configured aliases. */
function repeatUnderAliases(all: string[], from: number, idHeaders: readonly string[]): void {
  const end = all.length;
  for (let at = from; at < end; at += 2) {
    const name = all[at]!.toLowerCase();
    if (!name.startsWith(OWN) || name === OWN_ID) continue;
    for (const idHeader of idHeaders) {
      if (idHeader === OWN_ID) continue;
      all.push(`${idHeader.slice(0, -"id".length)}${name.slice(OWN.length)}`, all[at + 1]!);
    }
  }
}
