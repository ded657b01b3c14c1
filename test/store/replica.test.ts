import { expect, test } from "bun:test";
import { openReplica } from "../../src/store/database/replica.ts";
import { ownDirectory } from "./open.ts";

/** A server of libSQL's protocol, as far as one query needs it, whose writes are numbered. */
const responding = (sql: string) => {
  const result = {
    cols: [{ name: "n" }],
    rows: [[{ type: "integer", value: "1" }]],
    affected_row_count: 0,
    replication_index: "7",
  };
  const results =
    sql.includes("execute") || sql.includes("batch") ? [{ type: "ok", response: { type: "execute", result } }] : [];
  return Response.json({ baton: null, base_url: null, results });
};

test("the position of a server that redirects is not read from where it points", async () => {
  const seen: string[] = [];
  await using elsewhere = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const text = await request.text();
      seen.push(text);
      return responding(text);
    },
  });
  await using redirecting = Bun.serve({
    port: 0,
    fetch: (request) => Response.redirect(new URL(new URL(request.url).pathname, elsewhere.url), 307),
  });
  using directory = ownDirectory();
  const url = `http://127.0.0.1:${redirecting.port}`;
  const store = openReplica({ ...directory.config, database_url: url, database_read_url: url });
  await store.records.query({ sql: "select 2", args: [] }).catch(() => {});
  await store.close();
  expect(seen.filter((text) => text.includes('"sql":"select 1"'))).toEqual([]);
});
