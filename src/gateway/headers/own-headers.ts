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
export function withOwnHeaders(
  headers: readonly string[],
  added: readonly string[] | undefined,
  idHeaders: readonly string[],
  id: string,
  cache: CacheAnswer | undefined,
): string[] {
  const all = added === undefined ? [...headers] : [...headers, ...added];
  for (const name of idHeaders) all.push(name, id);
  if (cache === undefined) return all;
  const { hit } = cache;
  if (hit === undefined) all.push("gateway-cache", "MISS");
  else all.push("gateway-cache", "HIT", "gateway-cache-bucket-idx", String(hit.place));
  return all;
}
