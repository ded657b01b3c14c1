import { randomUUID } from "node:crypto";
import { crc32 } from "node:zlib";
import type { MappingsOfProviders } from "../../../store/bodies/body-text.ts";
import type { Database } from "../../../store/store.ts";
import { type ClickHouse, LARGE } from "../client.ts";
import { literal } from "../literal.ts";
import { toTableRow, withWhole } from "../rows.ts";
import type { Layout } from "../tables.ts";
import { deleteRows } from "../write/update.ts";
import { keysBetween, type StoredKey, storedRecords } from "./stored-records.ts";

export interface CopyOptions {
  /** The libSQL database, open for reading. */
  readonly records: Database;
  readonly client: ClickHouse;
  readonly layout: Layout;
  readonly keepsTexts: boolean;
  readonly ofProviders: MappingsOfProviders;
}

export interface Day {
  readonly organizationId: string;
  /** Start and end, in milliseconds since 1970; the end is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** Checksums of some records, for comparing both databases. */
interface Sums {
  readonly count: number;
  readonly tokens: bigint;
  /** Sum of the checksums of their ids. */
  readonly ids: number;
}

export interface CopiedDay extends Day, Sums {
  /** Number of records that were missing or had changed. */
  readonly copied: number;
}

/** The copy is unusable, because the two databases differ. */
export class CopyMismatch extends Error {
  override readonly name = "CopyMismatch";
}

/**
 * Copies the finished records of one day. It skips unchanged records that ClickHouse already has, so that an interrupted copy
 * can be resumed and a day can be copied again.
 *
 * @throws CopyMismatch when the databases differ afterwards.
 */
export async function copyDay(options: CopyOptions, day: Day): Promise<CopiedDay> {
  let [count, tokens, ids, copied] = [0, 0n, 0, 0];
  for await (const keys of keysBetween(options.records, day.organizationId, day)) {
    copied += await copyBatch(options, day.organizationId, keys);
    const sums = sumsOf(keys);
    count += sums.count;
    tokens += sums.tokens;
    ids = (ids + sums.ids) % IDS_MODULUS;
  }
  return { ...day, count, tokens, ids, copied };
}

async function copyBatch(options: CopyOptions, organizationId: string, keys: readonly StoredKey[]): Promise<number> {
  const { client } = options;
  const among = amongSql(organizationId, keys);
  const there = new Map(
    (
      await client.query<{ id: string; updatedAt: number }>(
        `select request_id as id, updated_at as updatedAt from requests where ${among}`,
        { settings: LARGE },
      )
    ).map(({ id, updatedAt }) => [id, updatedAt]),
  );
  const changed = keys.filter(({ requestId, updatedAt }) => (there.get(requestId) ?? updatedAt) < updatedAt);
  const missing = keys.filter(({ requestId }) => !there.has(requestId));
  const wanted = [...missing, ...changed];
  if (wanted.length === 0) return 0;
  const stored = await storedRecords(options.records, wanted, { ...options, organizationId });
  if (changed.length > 0) {
    const rows = changed.map(({ requestId, createdAt }) => ({
      request_id: requestId,
      organization_id: organizationId,
      request_created_at: createdAt,
    }));
    await deleteRows(client, options.layout, rows);
  }
  // A unique token: without one, the server would drop a batch equal to an earlier one as a duplicate, even if its rows were
  // deleted since.
  await client.insert(
    "requests",
    stored.map((record) => withWhole(toTableRow(record, { keepsTexts: options.keepsTexts }))),
    { settings: { insert_deduplication_token: randomUUID() } },
  );
  await compare(client, among, keys, stored.length < wanted.length);
  return stored.length;
}

/** @param isShort - whether records may be missing because they were deleted in libSQL during the copy. */
async function compare(client: ClickHouse, among: string, keys: readonly StoredKey[], isShort: boolean): Promise<void> {
  const [row] = await client.query<{ count: number; tokens: string; ids: number }>(
    `select count() as count, toString(sum(toInt128(ifNull(total_tokens, 0)))) as tokens,
        sum(CRC32(request_id)) % ${IDS_MODULUS} as ids from requests where ${among}`,
    { settings: LARGE },
  );
  const expected = sumsOf(keys);
  const { count, tokens, ids } = row!;
  if (isShort && count < expected.count) return;
  if (count === expected.count && BigInt(tokens) === expected.tokens && ids === expected.ids) return;
  const day = new Date(keys[0]!.createdAt).toISOString().slice(0, 10);
  throw new CopyMismatch(
    `${day}: of ${expected.count} records with ${expected.tokens} tokens ClickHouse holds ${count} with ${tokens} tokens; run it again`,
  );
}

function amongSql(organizationId: string, keys: readonly StoredKey[]): string {
  const times = keys.map(({ createdAt }) => createdAt);
  return `organization_id = ${literal(organizationId)}
    and request_created_at between ${Math.min(...times)} and ${Math.max(...times)}
    and request_id in (${keys.map(({ requestId }) => literal(requestId)).join(", ")})`;
}

const IDS_MODULUS = 2 ** 32;

function sumsOf(keys: readonly StoredKey[]): Sums {
  return {
    count: keys.length,
    tokens: keys.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n),
    ids: keys.reduce((sum, { requestId }) => (sum + crc32(requestId)) % IDS_MODULUS, 0),
  };
}
