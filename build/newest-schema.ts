/**
 * Writes `src/store/migrations/newest.ts`, what all migrations make of an empty database:
 *
 *   bun build/newest-schema.ts
 *
 * To be run after each new migration; `test/store/migrate.test.ts` fails until then.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database, Value } from "../src/store/database/database.ts";
import { openLocal } from "../src/store/database/local.ts";
import { migrate } from "../src/store/migrate.ts";
import { MIGRATIONS } from "../src/store/migrations/list.ts";

const FILE = join(import.meta.dirname, "../src/store/migrations/newest.ts");

const HEAD = `// Made by \`bun build/newest-schema.ts\` from the migrations; do not edit by hand.

import type { Migration } from "./migration.ts";

/** What all migrations make of an empty database, in a third of their CPU time. */
export const NEWEST: Readonly<Record<Migration["target"], readonly string[]>> = {`;

export async function newestSchema(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "weir-schema-"));
  const store = openLocal(join(directory, "weir.db"), "write");
  try {
    // A copy of the list is applied step by step.
    await migrate(store, [...MIGRATIONS]);
    const lines = [HEAD];
    for (const target of ["records", "bodies"] as const) {
      const statements = [...(await schemaOf(store[target])), ...(await rowsOf(store[target]))];
      lines.push(`  ${target}: [`, ...statements.map((sql) => `    ${quoted(sql)},`), "  ],");
    }
    return `${lines.join("\n")}\n};\n`;
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const MADE = "sql is not null and name not like 'sqlite_%' and name <> 'migrations'";

async function schemaOf(database: Database): Promise<string[]> {
  const made = await database.query<{ sql: string }>({
    sql: `select sql from sqlite_schema where ${MADE} order by rowid`,
    args: [],
  });
  return made.map(({ sql }) => sql);
}

/** Inserts for what the migrations put into tables. */
async function rowsOf(database: Database): Promise<string[]> {
  const tables = await database.query<{ name: string }>({
    sql: `select name from sqlite_schema where type = 'table' and ${MADE} order by rowid`,
    args: [],
  });
  const inserts: string[] = [];
  for (const { name } of tables)
    for (const row of await database.query<Record<string, Value>>({ sql: `select * from ${name}`, args: [] }))
      inserts.push(
        `insert into ${name} (${Object.keys(row).join(", ")}) values (${Object.values(row).map(literal).join(", ")})`,
      );
  return inserts;
}

function literal(value: Value): string {
  if (value === null || typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replaceAll("'", "''")}'`;
  throw new Error(`a migration stores a value that has no literal here: ${typeof value}`);
}

/** As the formatter writes it. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  const count = (part: string) => text.split(part).length;
  if (count('"') <= count("'")) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

if (import.meta.main) writeFileSync(FILE, await newestSchema());
