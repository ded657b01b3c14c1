import { expect, test } from "bun:test";
import Libsql from "libsql";
import { statementOf } from "../../src/filter/parameters.ts";
import { EMPTY, join, raw, type Sql, type SqlValue, sql } from "../../src/filter/sql.ts";

/** What a statement finds, in a database of its own. */
function found(statement: { readonly sql: string; readonly args: readonly SqlValue[] }): unknown[] {
  const database = new Libsql(":memory:");
  const rows = database.prepare(statement.sql).all([...statement.args]);
  database.close();
  return rows;
}

const list = (values: readonly SqlValue[]): Sql =>
  join(
    values.map((value) => sql`${value}`),
    ", ",
  );

test.each([
  ["a value", sql`select ${"x"} as v`, "select ?1 as v", ["x"]],
  ["a value that looks like SQL", sql`select ${"'; drop table t; --"} as v`, "select ?1 as v", ["'; drop table t; --"]],
  ["the same value twice", sql`select ${1} as a, ${"x"} as b, ${1} as c`, "select ?1 as a, ?2 as b, ?1 as c", [1, "x"]],
  ["pieces within pieces", sql`select ${sql`${1} + ${raw("2")}`} as v${EMPTY}`, "select ?1 + 2 as v", [1]],
  ["null", sql`select ${null} as v`, "select ?1 as v", [null]],
  ["a list", sql`select ${list([3, 4])}`, "select ?1, ?2", [3, 4]],
  ["nothing", join([], ", "), "", []],
] as const)("%s is printed as text and values", (_what, piece, text, args) => {
  expect(statementOf(piece)).toEqual({ sql: text, args: [...args] });
});

test.each([
  ["few", 400],
  ["many", 499],
] as const)("%s values, used again and in any order, are those that were bound", (_how, count) => {
  const values = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? i : i % 3 === 1 ? `text ${i}` : null));
  const wanted = values.toReversed();
  const statement = statementOf(
    join(
      wanted.map((value) => sql`select ${value} as v`),
      " union all ",
    ),
  );
  expect(found(statement)).toEqual(wanted.map((v) => ({ v })));
  expect(statement.sql).toMatch(/\?\d/);
});

test("very many are written without numbers, which SQLite would look for one by one, and not as constants", () => {
  const values = Array.from({ length: 2_000 }, (_, i) => `v${i}`);
  const wanted = [...values, "v3", "v1999", "v3"];
  const statement = statementOf(
    sql`select count(*) as n from json_each('["v1","v2"]') where value in (${list(wanted)})`,
  );
  expect(statement.args).toEqual(wanted);
  expect(statement.sql).not.toMatch(/\?\d/);
  expect(statement.sql.match(/\(select \?\)/g)).toHaveLength(2_000 - 500 + 1);
  expect(found(statement)).toEqual([{ n: 2 }]);
});
