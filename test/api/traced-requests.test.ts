import { expect, test } from "bun:test";
import type { ApiContext } from "../../src/api/context.ts";
import { TracedRequests } from "../../src/api/otlp/traced-requests.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { ownDirectory } from "../store/open.ts";
import { insertInto } from "./open.ts";

const TIME = Date.UTC(2026, 0, 1);
/** As many as one question is about. */
const IDS_MAX = 10_000;
const OLDER = 5;

test("of more requests with one response id than a question is about, the newest are found", async () => {
  const { config } = ownDirectory();
  const store = await openStore(config, "write");
  await using closing = new AsyncDisposableStack();
  closing.defer(() => store.close());
  await migrate(store);
  const first = {
    ...{ request_id: "r-0", organization_id: "o", key_id: "k", method: "POST", provider: "OPENAI" },
    ...{ request_created_at: TIME, updated_at: TIME, response_status: 200, response_id: "one" },
  };
  const columns = Object.keys(first);
  const others = columns.map((column) => {
    if (column === "request_id") return "'r-' || n.n";
    return column === "request_created_at" ? `${column} + n.n` : column;
  });
  await store.records.batch([
    insertInto("requests", first),
    {
      sql: `insert into requests (${columns.join(", ")})
        with recursive n(n) as (select 1 union all select n + 1 from n where n < ${IDS_MAX + OLDER - 1})
        select ${others.join(", ")} from n, requests where request_id = 'r-0'`,
      args: [],
    },
  ]);
  // Of the context only these are used.
  const traced = new TracedRequests({ config, current: store } as unknown as ApiContext, "o");
  const ids = async (to: number) =>
    (await traced.byResponse(["one", "none"], { from: TIME, to })).map(({ request_id }) => request_id);
  const found = await ids(TIME + IDS_MAX * 2);
  expect(found.length).toBe(IDS_MAX);
  expect(found.slice(0, 2)).toEqual([`r-${IDS_MAX + OLDER - 1}`, `r-${IDS_MAX + OLDER - 2}`]);
  expect(found.at(-1)).toBe(`r-${OLDER}`);
  expect(await ids(TIME + 1)).toEqual(["r-1", "r-0"]);
});
