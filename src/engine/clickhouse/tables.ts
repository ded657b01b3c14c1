import { GatewayError } from "../../errors.ts";
import type { ClickHouse } from "./client.ts";
import { COLUMN_TYPES, WHOLE } from "./columns.ts";
import { isMissing } from "./failure.ts";
import { identifier, literal } from "./literal.ts";

/** Version of the tables that this program uses. */
export const TABLES_VERSION = 4;

/** Number of recent batches whose tokens a table remembers: repeating one of them stores nothing. */
const TOKENS_KEPT = 10_000;
/** A token of a replicated table is also forgotten after this time. */
const TOKENS_KEPT_SECONDS = 7 * 24 * 3_600;
/** A row in flight that never ends expires after this time. */
const OPEN_DAYS = 30;
/** A record is found by the time in its id if both times differ by at most this. */
export const ID_TIME_SLACK_MS = 60_000;

/**
 * Tables of records:
 *
 * - `requests`: finished records, each inserted once and then changed by updates.
 * - `open`: rows of requests in flight. An ended one is replaced by a row with `is_ended`.
 * - `ids`: the time of records whose id does not contain it, filled by the view `ids_of_requests`.
 * - `removed`: ids of records of dropped days, until everything that belongs to them is removed too. Since version 2.
 * - `versions`: one row for each version of the tables so far.
 *
 * In a cluster these are Distributed tables over `requests_local` and so on.
 */
export type TableName = "requests" | "open" | "ids" | "removed" | "versions";

/** The layout of tables on servers. */
export interface Layout {
  /** Name of the cluster; empty for one server. */
  readonly cluster: string;
  /** False for a cluster without Keeper, whose shards have one replica: statements are then run on each server separately. */
  readonly hasKeeper: boolean;
}

export const SINGLE: Layout = { cluster: "", hasKeeper: false };

/** The table with a server's own rows: updates and partitions need this one. */
export function localTable(name: TableName, { cluster }: Layout): string {
  return cluster === "" ? name : `${name}_local`;
}

/** Follows the table's name in a statement for all servers. */
export function onCluster({ cluster, hasKeeper }: Layout): string {
  return cluster !== "" && hasKeeper ? ` on cluster ${identifier(cluster)}` : "";
}

/**
 * Creates the database and its tables if they do not exist.
 *
 * @throws GatewayError `database_newer` when a later version of Weir created them.
 */
export async function makeTables(client: ClickHouse, layout: Layout = SINGLE): Promise<void> {
  // A statement for all servers of a cluster waits for unavailable ones, so none is sent for existing tables.
  const before = await tablesVersion(client);
  if (before === TABLES_VERSION) return;
  const database = identifier(client.database);
  await client.command(`create database if not exists ${database}${onCluster(layout)}`, { isOutside: true });
  const statements = [...tableStatements(layout, client.database), ...changesSince(before, layout)];
  for (const statement of statements) await client.command(statement);
  await client.insert("versions", [{ version: TABLES_VERSION, made_at: Math.floor(Date.now() / 1_000) }]);
}

/**
 * The version of the existing tables; undefined when there are none.
 *
 * @throws GatewayError `database_newer`
 */
export async function tablesVersion(client: ClickHouse): Promise<number | undefined> {
  const rows = await client
    .query<{ version: number }>("select max(version) as version from versions having count() > 0")
    .catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
  const version = rows[0]?.version;
  if (version !== undefined && version > TABLES_VERSION)
    throw new GatewayError(
      "database_newer",
      `the tables in the ClickHouse database ${client.database} are of version ${version}, and this Weir knows ${TABLES_VERSION}`,
    );
  return version;
}

/** Statements that create everything. */
export function tableStatements(layout: Layout, database: string): readonly string[] {
  const columns = Object.entries(COLUMN_TYPES).map(([name, type]) => `${name} ${type}`);
  const local = (name: TableName) => localTable(name, layout);
  const create = (table: string, definition: string) =>
    `create table if not exists ${table}${onCluster(layout)} ${definition}`;
  const statements = [
    create(
      local("requests"),
      `(${[...columns, WHOLE, ...INDEXES].join(", ")})
      engine = ${engine("MergeTree", layout, local("requests"))}
      partition by ${PARTITION}
      order by (organization_id, request_created_at, request_id)
      settings ${UPDATABLE}, ${tokens(layout)}, fsync_after_insert = 1, ${READ_AT_ONCE}`,
    ),
    create(
      local("open"),
      `(${[...columns, "version UInt64", "is_ended UInt8", "written_at DateTime default now()"].join(", ")})
      engine = ${engine("ReplacingMergeTree", layout, local("open"), ["version", "is_ended"])}
      order by (organization_id, request_id)
      ttl written_at + interval ${OPEN_DAYS} day
      settings ${UPDATABLE}, ${CLEANED}, ${tokens(layout)}`,
    ),
    create(
      local("ids"),
      `(organization_id LowCardinality(String), request_id String, request_created_at Int64)
      engine = ${engine("ReplacingMergeTree", layout, local("ids"))}
      order by (request_id, request_created_at)
      settings ${UPDATABLE}, ${tokens(layout)}`,
    ),
    `create materialized view if not exists ids_of_requests${onCluster(layout)} to ${local("ids")} as
      select organization_id, request_id, request_created_at from ${local("requests")}
      where abs(${ID_TIME} - request_created_at) > ${ID_TIME_SLACK_MS}`,
    create(
      local("removed"),
      `(organization_id LowCardinality(String), request_id String, request_created_at Int64)
      engine = ${engine("MergeTree", layout, local("removed"))}
      partition by ${PARTITION}
      order by (organization_id, request_created_at, request_id)`,
    ),
    create(
      local("versions"),
      `(version UInt32, made_at DateTime) engine = ${engine("MergeTree", layout, local("versions"))} order by version`,
    ),
  ];
  if (layout.cluster === "") return statements;
  for (const name of ["requests", "open", "ids", "removed", "versions"] as const) {
    const parts = [layout.cluster, database, local(name)].map((each) => literal(each));
    statements.push(create(name, `as ${local(name)} engine = Distributed(${parts.join(", ")}, ${SHARDS[name]})`));
  }
  return statements;
}

/** Statements that change existing tables of an earlier version. Each may run again after an interruption. */
function changesSince(version: number | undefined, layout: Layout): readonly string[] {
  if (version === undefined) return [];
  const alter = (table: string, change: string) => `alter table ${table}${onCluster(layout)} ${change}`;
  const settings = [
    alter(localTable("ids", layout), `modify setting ${UPDATABLE}`),
    alter(localTable("open", layout), `modify setting ${CLEANED}`),
  ];
  // The Distributed table after the one below it.
  const requests = [...new Set([localTable("requests", layout), "requests"])];
  return [
    ...(version < 3 ? settings : []),
    ...(version < 4 ? requests.map((table) => alter(table, `add column if not exists ${WHOLE}`)) : []),
  ];
}

/** Lets rows be changed and deleted without a mutation. Of `ids` since version 3. */
const UPDATABLE = "enable_block_number_column = 1, enable_block_offset_column = 1";
/** Lets rows with `is_ended` be removed permanently, with what they replace. Since version 3. */
const CLEANED = "allow_experimental_replacing_merge_with_cleanup = 1";

/** The UTC day. */
const PARTITION = "toYYYYMMDD(fromUnixTimestamp64Milli(request_created_at, 'UTC'))";

/** Milliseconds since 1970 in a version 7 UUID; 0 for any other id. */
const ID_TIME = `if(match(request_id, '^[0-9a-f]{8}-[0-9a-f]{4}-7'),
  toInt64(reinterpretAsUInt64(reverse(unhex(concat('0000', substring(request_id, 1, 8), substring(request_id, 10, 4)))))), 0)`;

/** Indexes that skip parts of the table without matches. */
const INDEXES: readonly string[] = [
  ...["request_id", "user_id", "session_id", "response_id"].map(
    (column) => `index by_${column} ${column} type bloom_filter(0.01) granularity 1`,
  ),
  "index by_property mapValues(properties) type bloom_filter(0.01) granularity 1",
];

/**
 * The minimum that is read of a column: 1,024 rows, or 8 kB. The default is eight times as much, which slows down lookups of
 * a record or a page; scans are not affected. In a table of 1,000,000 records a look-up took a third of the CPU time, a page
 * half of it.
 */
const READ_AT_ONCE = "index_granularity = 1024, min_compress_block_size = 8192";

/** Determines the shard of a row in a Distributed table: rows of an organization and an hour are on one shard. */
const BY_HOUR = "cityHash64(organization_id, intDiv(request_created_at, 3600000))";
const SHARDS: Readonly<Record<TableName, string>> = {
  requests: BY_HOUR,
  open: "cityHash64(organization_id, request_id)",
  ids: "cityHash64(request_id)",
  removed: BY_HOUR,
  versions: "1",
};

function engine(name: string, { hasKeeper, cluster }: Layout, table: string, args: readonly string[] = []): string {
  if (cluster === "" || !hasKeeper) return `${name}(${args.join(", ")})`;
  const path = [literal(`/clickhouse/tables/{shard}/{database}/${table}`), literal("{replica}")];
  return `Replicated${name}(${[...path, ...args].join(", ")})`;
}

function tokens({ cluster, hasKeeper }: Layout): string {
  return cluster === "" || !hasKeeper
    ? `non_replicated_deduplication_window = ${TOKENS_KEPT}`
    : `replicated_deduplication_window = ${TOKENS_KEPT}, replicated_deduplication_window_seconds = ${TOKENS_KEPT_SECONDS}`;
}
