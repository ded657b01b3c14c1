import { randomBytes } from "node:crypto";
import { GatewayError } from "../../errors.ts";
import type { ClickHouse } from "./client.ts";
import { isMissing } from "./failure.ts";
import { identifier } from "./literal.ts";
import { tablesVersion } from "./tables.ts";

/** The oldest version that has all that Weir uses: updates of single rows that are seen at once, above all. */
export const OLDEST_VERSION = [26, 3] as const;

/** What a server says of itself. */
export interface ServerProbe {
  readonly version: string;
  readonly isTooOld: boolean;
  /** How far its clock is ahead of this machine's; 0 where that cannot be told from the time that the question took. */
  readonly clockAheadMs: number;
  /** Version of the tables; undefined where there are none yet. */
  readonly tables: number | undefined;
}

/**
 * Asks a server what it is.
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
  // It said its time at some moment between the two.
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
 * Makes a table beside those of the records, writes a row, reads, changes and deletes it, and removes the table: what the
 * service does and needs rights for.
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
 * Writes a row through the first of some addresses that are of no cluster, and looks for it through the others.
 *
 * @returns which of the others do not have it: they are other servers, among which the records would be divided.
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

/** The database is made where it is missing, as the service does it; the table goes even where `use` fails. */
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
    await client.command(`drop table if exists ${table} sync`).catch(() => undefined); // the failure before it is what matters
  }
}

function expectRows(done: string, rows: readonly { readonly value: number }[], ...values: readonly number[]): void {
  if (rows.map(({ value }) => value).join() === values.join()) return;
  throw new GatewayError(
    "database_unavailable",
    `after it ${done} a row the table held ${rows.length} rows, or other ones`,
  );
}
