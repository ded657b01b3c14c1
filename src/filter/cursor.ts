import { createHash } from "node:crypto";
import { GatewayError } from "../errors.ts";
import type { Scope } from "./scope.ts";
import { CREATED_AT, keySql, type Sort, type SortKey } from "./sort.ts";
import { join, raw, type Sql, sql } from "./sql.ts";
import { type FilterTree, isJunction } from "./tree.ts";

/** The end of a page: the last row's sort values in the order of the keys, and its id. */
export interface Position {
  readonly values: readonly (string | number | null)[];
  readonly requestId: string;
}

/** A position as text, valid only for the query it came from. */
export function encodeCursor(position: Position, scope: Scope, sort: Sort): string {
  const content = [fingerprint(scope, sort), ...position.values, position.requestId];
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/** @throws GatewayError `invalid_body` if the cursor belongs to another filter or sort, or is not one of Weir's. */
export function decodeCursor(cursor: unknown, scope: Scope, sort: Sort): Position {
  const wrong = (message: string) => new GatewayError("invalid_body", message, { path: "cursor" });
  if (sort === "random") throw wrong("a random order has no next page");
  const content = typeof cursor === "string" ? parse(cursor) : undefined;
  if (content === undefined) throw wrong("this is not a cursor from a response's next_cursor");
  const [mark, ...values] = content;
  const requestId = values.pop();
  if (mark !== fingerprint(scope, sort) || values.length !== sort.length || typeof requestId !== "string") {
    throw wrong("this cursor belongs to another filter or sort");
  }
  return { values, requestId };
}

/**
 * SQL for "after this row" in the given order: one key decides, and all keys before it are equal. Nulls come last in either
 * direction, so after a null only the later keys can decide.
 */
export function afterSql(position: Position, sort: readonly SortKey[], creation: string = CREATED_AT): Sql {
  const [first] = sort;
  const last = beyond(first!);
  if (sort.length === 1 && !first!.nullable) {
    return sql`(${keySql(first!, creation)}, r.request_id) ${last} (${position.values[0]!}, ${position.requestId})`;
  }
  const equal: Sql[] = [];
  const ways: Sql[] = [];
  for (const [index, key] of sort.entries()) {
    const column = keySql(key, creation);
    const value = position.values[index]!;
    if (value !== null) {
      const after = sql`${column} ${beyond(key)} ${value}`;
      ways.push(join([...equal, key.nullable ? sql`(${after} or ${column} is null)` : after], " and "));
    }
    equal.push(value === null ? sql`${column} is null` : sql`${column} = ${value}`);
  }
  ways.push(join([...equal, sql`r.request_id ${last} ${position.requestId}`], " and "));
  return sql`((${join(ways, ") or (")}))`;
}

/** The comparison operator for "later" in a key's order. */
const beyond = ({ direction }: SortKey): Sql => raw(direction === "asc" ? ">" : "<");

/**
 * `afterSql` in two parts, each of which an index can find: rows that follow by value, then rows without a value. Undefined
 * if the order does not continue in this way.
 */
export function afterInParts(position: Position, sort: readonly SortKey[]): readonly Sql[] | undefined {
  const [key, ...others] = sort;
  const value = position.values[0] ?? null;
  if (key === undefined || others.length > 0 || !key.nullable || value === null) return undefined;
  return [sql`(${key.sql}, r.request_id) ${beyond(key)} (${value}, ${position.requestId})`, sql`${key.sql} is null`];
}

/** A hash of organization, filter and sort: a cursor is valid only where it is equal. */
function fingerprint({ organizationId, tree }: Scope, sort: Sort): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([organizationId, sort === "random" ? [] : sort.map((key) => [key.label, key.direction])]));
  const pending: (FilterTree | ")")[] = [tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === ")") hash.update(")");
    else if (isJunction(node)) {
      hash.update(`${node.kind}(`);
      pending.push(")", ...node.terms.toReversed());
    } else if (node.kind === "condition") {
      hash.update(JSON.stringify([node.label, node.name ?? null, node.operator, node.value]));
    } else hash.update(node.kind);
  }
  return hash.digest("base64url").slice(0, 22);
}

function parse(cursor: string): (string | number | null)[] | undefined {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(content)) return undefined;
  const plain = content.every((value) => value === null || typeof value === "string" || typeof value === "number");
  return plain ? content : undefined;
}
