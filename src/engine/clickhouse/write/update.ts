import { type ClickHouse, LARGE } from "../client.ts";
import { literal } from "../literal.ts";
import { type Layout, localTable, onCluster, type TableName } from "../tables.ts";
import { areRows, type RowKey } from "./find-rows.ts";

/** Changes to one row: SQL of the new values, by column. */
export interface RowUpdate {
  readonly key: RowKey;
  readonly set: Readonly<Record<string, string>>;
}

/** Maximum characters of one statement, unless a single update is longer. */
const CHARACTERS_MAX = 4_000_000;
const ROWS_MAX = 500;

/**
 * Changes rows. The database merges each change with the current row, so concurrent changes by several nodes are all kept,
 * and the next query sees them.
 */
export async function updateRows(
  client: ClickHouse,
  { table, layout }: { readonly table: TableName; readonly layout: Layout },
  updates: readonly RowUpdate[],
): Promise<void> {
  for (const some of portions(updates.filter(({ set }) => Object.keys(set).length > 0))) {
    const columns = [...new Set(some.flatMap(({ set }) => Object.keys(set)))];
    const values = columns.map((column) => `${column} = ${newValue(column, some)}`);
    if (table === "requests") values.push("whole = ''");
    const name = localTable(table, layout);
    const where = areRows(some.map(({ key }) => key));
    await client.command(`update ${name}${onCluster(layout)} set ${values.join(", ")} where ${where}`, {
      settings: LARGE,
    });
  }
}

function newValue(column: string, updates: readonly RowUpdate[]): string {
  const cases = updates.flatMap(({ key, set }) => {
    const value = set[column];
    return value === undefined ? [] : [{ is: `request_id = ${literal(key.request_id)}`, value }];
  });
  const [only] = cases;
  if (updates.length === 1 && only !== undefined) return only.value;
  return `multiIf(${cases.map(({ is, value }) => `${is}, ${value}`).join(", ")}, ${column})`;
}

function* portions(updates: readonly RowUpdate[]): Generator<readonly RowUpdate[]> {
  let some: RowUpdate[] = [];
  let characters = 0;
  for (const update of updates) {
    for (const value of Object.values(update.set)) characters += value.length;
    if (some.length > 0 && (characters > CHARACTERS_MAX || some.length === ROWS_MAX)) {
      yield some;
      some = [];
      characters = 0;
    }
    some.push(update);
  }
  if (some.length > 0) yield some;
}

export async function deleteRows(client: ClickHouse, layout: Layout, keys: readonly RowKey[]): Promise<void> {
  if (keys.length > 0) await deleteWhere(client, layout, { table: "requests", where: areRows(keys) });
}

/** Deletes the noted times of records. Most records have none, because their ids contain them. */
export async function deleteIds(
  client: ClickHouse,
  layout: Layout,
  { organizationId, requestIds }: { readonly organizationId: string; readonly requestIds: readonly string[] },
): Promise<void> {
  const where = `organization_id = ${literal(organizationId)} and request_id in (${requestIds.map(literal).join(", ")})`;
  const noted = await client.query<object>(`select 1 as one from ids where ${where} limit 1`, { settings: LARGE });
  if (noted.length > 0) await deleteWhere(client, layout, { table: "ids", where });
}

function deleteWhere(
  client: ClickHouse,
  layout: Layout,
  { table, where }: { readonly table: TableName; readonly where: string },
): Promise<void> {
  return client.command(`delete from ${localTable(table, layout)}${onCluster(layout)} where ${where}`, {
    // A mutation would rewrite parts and wait for merges.
    settings: { ...LARGE, lightweight_delete_mode: "lightweight_update_force" },
  });
}
