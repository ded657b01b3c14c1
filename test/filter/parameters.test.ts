import { expect, test } from "bun:test";
import Libsql from "libsql";
import { Parameters } from "../../src/filter/parameters.ts";

/** What a statement finds that puts each of these values into a list, in this order. */
function listed(values: readonly (string | number | null)[]) {
  const parameters = new Parameters();
  const { sql, args } = parameters.statement(
    values.map((value) => `select ${parameters.bind(value)} as v`).join(" union all "),
  );
  const database = new Libsql(":memory:");
  const rows = database.prepare(sql).all([...args]) as { v: unknown }[];
  database.close();
  return { sql, found: rows.map(({ v }) => v) };
}

test.each([
  ["few", 400],
  ["many", 499],
] as const)("%s values, used again and in any order, are those that were bound", (_how, count) => {
  const values = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? i : i % 3 === 1 ? `text ${i}` : null));
  const { found, sql } = listed(values.toReversed());
  expect(found).toEqual(values.toReversed());
  expect(sql).toMatch(/\?\d/);
});

test("very many are written without numbers, which SQLite would look for one by one, and not as constants", () => {
  const parameters = new Parameters();
  const values = Array.from({ length: 2_000 }, (_, i) => `v${i}`);
  for (const value of values) parameters.bind(value);
  const wanted = [...values.toReversed(), "v3", "v1999", "v3"];
  const { sql, args } = parameters.statement(
    `select json_array(${wanted.slice(0, 90).map(parameters.bind).join()}) as a`,
  );
  expect(sql).not.toMatch(/\?\d/);
  expect(args).toEqual(wanted.slice(0, 90));
  expect(parameters.bind("v1999")).toBe("(select ?2000)");
  expect(parameters.bind("v499")).toBe("?500");
  const database = new Libsql(":memory:");
  const all = parameters.statement(
    `select count(*) as n from json_each('["v1","v2"]') where value in (${wanted.map(parameters.bind).join()})`,
  );
  expect(all.args).toEqual(wanted);
  expect(database.prepare(all.sql).get([...all.args])).toMatchObject({ n: 2 });
  database.close();
});
