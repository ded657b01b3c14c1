/** What the cache had for a request that asked it. */
export interface CacheAnswer {
  hit?: CacheHit;
}

export interface CacheHit {
  /** The request whose answer is repeated, and when that was stored. */
  readonly referenceId: string;
  readonly createdAt: number;
  /** Place of the answer in its bucket. */
  readonly place: number;
}

/** The headers of an answer, those that plugins add (raw pairs), and what the gateway says of it: its id, and what the cache had. */
// biome-ignore lint/complexity/useMaxParams: called for every response; an object for its arguments would be garbage of the hot path
export function withOwnHeaders(
  headers: readonly string[],
  added: readonly string[] | undefined,
  idHeaders: readonly string[],
  id: string,
  cache: CacheAnswer | undefined,
): string[] {
  const all = added === undefined ? [...headers] : [...headers, ...added];
  const from = headers.length;
  for (const name of idHeaders) all.push(name, id);
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

/** Repeats the headers about the cache and limits under the names that clients know. */
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
