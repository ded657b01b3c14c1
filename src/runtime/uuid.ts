import { randomFillSync } from "node:crypto";

/**
 * Request ids: UUIDv7, so that they sort by creation time.
 *
 * Ids of one process are strictly ascending: within a millisecond the 12 bits after the version count up, and on overflow
 * the next millisecond is used early. The other 62 bits are random. Random bytes are drawn 4 kB at a time, because one call
 * per id costs more than everything else.
 */
const POOL = new Uint8Array(4_096);
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const COUNTER_MAX = 0xfff;

let used = POOL.length;
let lastMs = 0;
let counter = 0;

export function uuidv7(now = Date.now()): string {
  if (used + 10 > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  if (now > lastMs) {
    lastMs = now;
    // Starts in the lower half, so that a burst has at least 2,048 ids before it uses the next millisecond.
    counter = ((POOL[used]! & 0x07) << 8) | POOL[used + 1]!;
  } else if (++counter > COUNTER_MAX) {
    lastMs++;
    counter = 0;
  }
  const high = Math.floor(lastMs / 0x10000);
  const random = used + 2;
  used += 10;
  return (
    `${HEX[(high >>> 24) & 0xff]}${HEX[(high >>> 16) & 0xff]}${HEX[(high >>> 8) & 0xff]}${HEX[high & 0xff]}-` +
    `${HEX[(lastMs >>> 8) & 0xff]}${HEX[lastMs & 0xff]}-${HEX[0x70 | (counter >>> 8)]}${HEX[counter & 0xff]}-` +
    `${HEX[0x80 | (POOL[random]! & 0x3f)]}${HEX[POOL[random + 1]!]}-${HEX[POOL[random + 2]!]}${HEX[POOL[random + 3]!]}` +
    `${HEX[POOL[random + 4]!]}${HEX[POOL[random + 5]!]}${HEX[POOL[random + 6]!]}${HEX[POOL[random + 7]!]}`
  );
}

/** Any UUID, regardless of version and case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** Milliseconds since 1970 in a version 7 UUID in lower case; undefined for any other id. */
export function timeOfUuid(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined ? undefined : Number.parseInt(high + low!, 16);
}
