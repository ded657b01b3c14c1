import { randomBytes } from "node:crypto";
import { GatewayError } from "../../errors.ts";
import type { ClickHouse } from "./client.ts";
import { isMissing } from "./failure.ts";
import { identifier } from "./literal.ts";
import { tablesVersion } from "./tables.ts";

/** The oldest supported version. The main requirement is updates of single rows that are visible immediately. */
export const OLDEST_VERSION = [26, 3] as const;

/** What a server reports about itself. */
interface ServerProbe {
  readonly version: string;
  readonly isTooOld: boolean;
  /** How far its clock is ahead of this machine's; 0 when the difference is within the duration of the query. */
  readonly clockAheadMs: number;
  /** Version of the tables; undefined when they do not exist yet. */
  readonly tables: number | undefined;
}

/**
 * Queries a server's version, clock and tables.
 *
 * @throws GatewayError `database_unavailable`, `database_newer`
 */
export async function probeServer(client: ClickHouse): Promise<ServerProbe> {
  const sentMs = Date.now();
  const [row] = await client.query<{ version: string; now: number }>(
    "select version() as version, toUnixTimestamp64Milli(now64(3)) as now",
    { isOutside: true },
  );
  const tookMs = Date.now() - sentMs;
  const { version, now } = row!;
  // The server read its clock at some moment during the query.
  const aheadMs = now - (sentMs + tookMs / 2);
  return {
    version,
    isTooOld: isOlder(version),
    clockAheadMs: Math.abs(aheadMs) <= tookMs / 2 ? 0 : Math.round(aheadMs),
    tables: await tablesVersion(client),
  };
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1]);
}

/**
 * Creates a table in the database of the records, writes, reads, changes and deletes a row, and drops the table: everything
 * that the service needs privileges for.
 *
 * @throws the first failure. The table is dropped even then, if this user may drop it.
 */
export function probeTable(client: ClickHouse): Promise<void> {
  return withTable(client, async (table) => {
    const read = () => client.query<{ value: number }>(`select value from ${table}`);
    await client.insert(table, [{ id: "a", value: 1 }]);
    expectRows("wrote", await read(), 1);
    await client.command(`update ${table} set value = 2 where id = 'a'`);
    expectRows("changed", await read(), 2);
    await client.command(`delete from ${table} where id = 'a'`, {
      settings: { lightweight_delete_mode: "lightweight_update_force" },
    });
    expectRows("deleted", await read());
  });
}

/**
 * Writes a row through the first of several addresses without a cluster, and reads it through the others.
 *
 * @returns the others that do not have it: they are different servers, and the records would be split between them.
 */
export function serversApart(first: ClickHouse, others: readonly ClickHouse[]): Promise<readonly ClickHouse[]> {
  return withTable(first, async (table) => {
    await first.insert(table, [{ id: "a", value: 1 }]);
    const apart: ClickHouse[] = [];
    for (const other of others) {
      const rows = await other.query(`select value from ${table}`).catch((error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      });
      if (rows.length !== 1) apart.push(other);
    }
    return apart;
  });
}

/** Creates a missing database, as the service does. The table is dropped even when `use` fails. */
async function withTable<Result>(client: ClickHouse, use: (table: string) => Promise<Result>): Promise<Result> {
  const table = `doctor_${randomBytes(8).toString("hex")}`;
  await client.command(`create database if not exists ${identifier(client.database)}`, { isOutside: true });
  await client.command(
    `create table ${table} (id String, value UInt32) engine = MergeTree order by id
      settings enable_block_number_column = 1, enable_block_offset_column = 1`,
  );
  try {
    return await use(table);
  } finally {
    await client.command(`drop table if exists ${table} sync`).catch(() => undefined); // the earlier failure matters more
  }
}

function expectRows(done: string, rows: readonly { readonly value: number }[], ...values: readonly number[]): void {
  if (rows.map(({ value }) => value).join() === values.join()) return;
  throw new GatewayError(
    "database_unavailable",
    `after it ${done} a row the table held ${rows.length} rows, or other ones`,
  );
}
