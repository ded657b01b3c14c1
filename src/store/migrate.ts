import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import type { Database, Statement } from "./database/database.ts";
import { foreignTables, MADE_TABLES, type MadeTable, saysForeign } from "./database/foreign-tables.ts";
import { bodiesPath } from "./database/local.ts";
import { inspectFile } from "./database/snapshot.ts";
import type { Store } from "./databases.ts";
import { MIGRATIONS } from "./migrations/list.ts";
import type { Migration } from "./migrations/migration.ts";
import { NEWEST } from "./migrations/newest.ts";
import { localPath } from "./store.ts";

/**
 * Migrates both databases to the newest version. Migrations that are already applied are skipped. Two programs may call this
 * at the same time. The store must be open for writing.
 *
 * @throws GatewayError `database_newer` when a newer Weir migrated them, `database_foreign` when they belong to another
 * program.
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = MIGRATIONS,
  onUpgrade: (upgrade: Upgrade) => void = () => {},
): Promise<void> {
  await migrateTarget(store.bodies, "bodies", { all: migrations, onUpgrade });
  await migrateTarget(store.records, "records", { all: migrations, onUpgrade });
}

/** Of a database with an earlier version, before its first step, which may take minutes. */
interface Upgrade {
  readonly database: Migration["target"];
  readonly from: number;
  readonly to: number;
}

interface Steps {
  readonly all: readonly Migration[];
  readonly onUpgrade: (upgrade: Upgrade) => void;
}

async function migrateTarget(
  database: Database,
  target: Migration["target"],
  { all, onUpgrade }: Steps,
): Promise<void> {
  const mine = all.filter((migration) => migration.target === target);
  await refuseForeign(database, target);
  await database.batch([
    {
      sql: `create table if not exists migrations (
        target text not null, version integer not null, name text not null, applied_at integer not null,
        primary key (target, version)
      )`,
      args: [],
    },
  ]);
  for (let said = false; ; said = true) {
    const version = await currentVersion(database, target);
    refuseNewer(target, version, mine.length);
    // A new database gets all steps in one transaction: a transaction costs more than a step on empty tables.
    const next = version === 0 ? mine : mine.slice(version, version + 1);
    if (next.length === 0) return;
    if (version > 0 && !said) onUpgrade({ database: target, from: version, to: mine.length });
    const isNew = version === 0 && all === MIGRATIONS;
    const statements = isNew ? NEWEST[target] : next.flatMap((step) => step.statements);
    try {
      await database.batch([...next.map(mark), ...statements.map((sql) => ({ sql, args: [] }))]);
    } catch (cause) {
      // Another program may have applied this step meanwhile: then inserting its version fails, and the version has advanced.
      if ((await currentVersion(database, target)) === version) throw cause;
    }
  }
}

/**
 * Checks versions without changing anything: a program that cannot write now must not read a database that is too new for it.
 *
 * @throws GatewayError `database_newer`, or the error of opening while the database is unavailable.
 */
export async function checkVersions(config: Config, store: Store): Promise<void> {
  const path = localPath(config);
  for (const target of ["records", "bodies"] as const) {
    const known = MIGRATIONS.filter((migration) => migration.target === target).length;
    // A connection that sees both files would read only the version table of the records.
    const version =
      path === undefined
        ? await currentVersion(store.records, target)
        : (await inspectFile(target === "records" ? path : bodiesPath(path), target)).version;
    refuseNewer(target, version, known);
  }
}

function refuseNewer(target: Migration["target"], version: number, known: number): void {
  if (version <= known) return;
  throw new GatewayError(
    "database_newer",
    `the database (${target}) has version ${version}, this program knows ${known}: start the newer Weir`,
  );
}

/** Leaves other programs' databases alone: a typo in a path or URL would otherwise add all our tables to one. */
async function refuseForeign(database: Database, target: Migration["target"]): Promise<void> {
  const foreign = foreignTables(await database.query<MadeTable>({ sql: MADE_TABLES, args: [] }));
  if (foreign.length === 0) return;
  const says = saysForeign(`the database (${target})`, foreign);
  throw new GatewayError("database_foreign", `${says}: set another database_url or data_dir`);
}

async function currentVersion(database: Database, target: string): Promise<number> {
  const sql = "select coalesce(max(version), 0) as version from migrations where target = ?";
  const [row] = await database.query<{ version: number }>({ sql, args: [target] });
  return row?.version ?? 0;
}

function mark({ target, version, name }: Migration): Statement {
  return {
    sql: "insert into migrations (target, version, name, applied_at) values (?, ?, ?, ?)",
    args: [target, version, name, Date.now()],
  };
}
