import { describe, expect, test } from "bun:test";
import { libsqlSource } from "../../../src/engine/libsql/source.ts";
import { decodeSort } from "../../../src/filter/sort.ts";
import { ALL } from "../../../src/filter/tree.ts";
import type { Database, Statement } from "../../../src/store/database/database.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { tiedRecord } from "../../filter/tied-record.ts";
import { ORGANIZATION, openWorld } from "../../filter/world.ts";
import { suiteOfPages } from "../suite/pages.ts";
import { LIBSQL } from "./engine.ts";
import { LIBSQL_SERVER } from "./server.ts";

describe.each([LIBSQL, LIBSQL_SERVER])("on $name", (engine) => suiteOfPages(engine, 40));

test("a deep page in the order of prompts sorts only as rows double, and finds texts by an index", async () => {
  await using world = await openWorld(Array.from({ length: 1_000 }, (_, n) => tiedRecord(n)));
  const { records } = world.reader;
  const sorted: Statement[] = [];
  const watched: Database = {
    ...records,
    query: (statement, options) => {
      if (statement.sql.includes("order by texts.prompt")) sorted.push(statement);
      return records.query(statement, options);
    },
  };
  const options = { sort: decodeSort({ request_prompt: "asc" }), limit: 100, deadline: new Deadline(180_000) };
  const scope = { organizationId: ORGANIZATION, tree: ALL };
  const { keys } = await libsqlSource(watched).page(scope, { ...options, offset: 700 });
  expect(keys).toHaveLength(100);
  expect(sorted).toHaveLength(2);
  const [statement] = sorted;
  const plan = await records.query<{ detail: string }>({ ...statement!, sql: `explain query plan ${statement!.sql}` });
  const steps = plan.map(({ detail }) => detail);
  expect(steps).toContainEqual(expect.stringContaining("SEARCH texts USING AUTOMATIC COVERING INDEX"));
});
