import { hash } from "node:crypto";
import { KIND_COLUMNS, splitUsage } from "../../../record/kinds.ts";
import type { RequestRow } from "../../../record/written-row.ts";
import { insertInto, insertRows } from "../../../store/database/statements.ts";
import type { Statement, Value } from "../../../store/store.ts";
import type { StoredRow } from "./insert-requests.ts";

/** Number of kinds that are remembered. */
const SEEN_MAX = 4_096;
/** Columns that must not be null. */
const NOT_NULL: ReadonlySet<string> = new Set(["key_id", "method", "storage_location", "ai_gateway_body_mapping"]);
/** Values of these columns in a row that leaves them to its kind. */
const LEFT_OUT = KIND_COLUMNS.map((column) => [column, NOT_NULL.has(column) ? "" : null] as const);
/** A row is compared with this many recent kinds before its values are looked up: traffic at one time has few kinds. */
const RECENT_MAX = 8;

const INSERT_KIND = insertInto("kinds", ["id", ...KIND_COLUMNS, "usage_shape"], "on conflict (id) do nothing");

/**
 * Finds values that rows have in common. A kind is stored at its second occurrence, so that URLs that occur only once create
 * none.
 */
export class Kinds {
  /** Ids by their values, least recently used first. */
  readonly #seen = new Map<string, number>();
  readonly #recent: { readonly id: number; readonly values: readonly Value[] }[] = [];

  /**
   * The row as it is stored.
   *
   * @param used - receives the values of its kind: each transaction inserts the kinds that its rows refer to.
   * @param more - columns that are stored with other values, for another reason.
   */
  share(row: RequestRow, used: Map<number, readonly Value[]>, more?: Partial<StoredRow>): StoredRow {
    const usage = typeof row.usage_raw === "string" ? splitUsage(row.usage_raw) : undefined;
    const kind = isShareable(row) ? this.#kindOf(row, usage?.shape ?? null) : undefined;
    if (kind === undefined) return more === undefined ? row : { ...row, ...more };
    if (!used.has(kind.id)) used.set(kind.id, kind.values);
    const shared: Record<string, Value | undefined> = { ...row };
    // Assigning all of these one by one takes half as long as spreading them.
    for (const column in more) shared[column] = more[column as keyof StoredRow];
    for (const [column, value] of LEFT_OUT) shared[column] = value;
    shared["kind"] = kind.id;
    if (usage !== undefined) shared["usage_raw"] = usage.numbers;
    return shared as StoredRow;
  }

  /** Undefined at the first occurrence. */
  #kindOf(row: RequestRow, shape: string | null) {
    for (const recent of this.#recent) if (isOf(row, shape, recent.values)) return recent;
    const values: Value[] = KIND_COLUMNS.map((column) => row[column] ?? null);
    values.push(shape);
    const key = JSON.stringify(values);
    const known = this.#seen.get(key);
    const id = known ?? idOf(key);
    if (known !== undefined) this.#seen.delete(key);
    else if (this.#seen.size >= SEEN_MAX) this.#seen.delete(this.#seen.keys().next().value!);
    this.#seen.set(key, id);
    if (known === undefined) return undefined;
    const kind = { id, values };
    this.#recent.unshift(kind);
    if (this.#recent.length > RECENT_MAX) this.#recent.pop();
    return kind;
  }
}

function isOf(row: RequestRow, shape: string | null, values: readonly Value[]): boolean {
  if (values[KIND_COLUMNS.length] !== shape) return false;
  for (let at = 0; at < KIND_COLUMNS.length; at++) if ((row[KIND_COLUMNS[at]!] ?? null) !== values[at]) return false;
  return true;
}

export function insertKinds(used: ReadonlyMap<number, readonly Value[]>, into: Statement[]): void {
  const values: Value[] = [];
  for (const [id, columns] of used) values.push(id, ...columns);
  insertRows(INSERT_KIND, values, into);
}

/** Rows that are not final, or that a partial index selects by a kind's columns, store all values themselves. */
function isShareable(row: RequestRow): boolean {
  const { outcome, wire_schema: schema } = row;
  if ((row.unread ?? null) !== null) return false;
  if ((outcome ?? null) === null || (row.response_status ?? null) === null || row.cache_enabled === 1) return false;
  return schema !== null && schema !== undefined && schema !== "mapped" && schema !== "responses";
}

/** 48 bits of the SHA-256 of the values: among a hundred thousand kinds, the probability of a collision is 1 in 50,000. */
function idOf(key: string): number {
  return Number.parseInt(hash("sha256", key, "hex").slice(0, 12), 16);
}
