import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { metrics } from "../../src/engine/libsql/aggregates/metrics.ts";
import { makeNextBlock } from "../../src/engine/libsql/column-store/keep.ts";
import { listedRecords, wholeRecords } from "../../src/engine/libsql/find/records.ts";
import { keysOf } from "../../src/engine/record-source.ts";
import { ALL } from "../../src/filter/tree.ts";
import { MADE_FROM, storedMembers } from "../../src/record/request-record.ts";
import { Deadline } from "../../src/store/database/deadline.ts";
import { createServiceKey, ensureFirstKey, listKeys } from "../../src/store/keys.ts";
import { migrate } from "../../src/store/migrate.ts";
import { beat, leave, nodeIdOf } from "../../src/store/nodes/nodes.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { insertInto, insertRecord } from "../api/open.ts";
import { chance } from "../chance.ts";
import { startObjectStore } from "../objects/store.ts";
import { accepts, freePort } from "../ports.ts";
import { until } from "../until.ts";
import { ownDirectory } from "./open.ts";

const random = chance("remote");
const directory = ownDirectory();
let port: number;
let server: ChildProcess;

beforeAll(async () => {
  port = await freePort();
  server = await startServer(port);
});
afterAll(async () => {
  await stopServer(server);
  directory[Symbol.dispose]();
});

const open = (scheme: string) =>
  openStore({ ...directory.config, database_url: `${scheme}://127.0.0.1:${port}` }, "write");

/** How the runtime's client of each scheme describes a closed port. */
const AWAY: Readonly<Record<string, string>> = { http: "nothing listens there", ws: "no connection can be made" };

describe.each(["http", "ws"])("a libSQL server over %s", (scheme) => {
  let store: Store;
  beforeAll(async () => {
    store = await open(scheme);
    await migrate(store);
  });
  afterAll(() => store.close());

  test("holds both databases, and records are found in them", async () => {
    await migrate(store);
    const id = await insertRecord(
      store,
      "o",
      { prompt_tokens: 2n ** 60n, cost: 0.5 },
      { request: { form: "json", content: "{}" } },
    );
    const [row] = await wholeRecords(store.records, "o", keysOf([id]));
    expect(row).toMatchObject({ request_id: id, prompt_tokens: 2 ** 60, cost: 0.5 });
    const sql = "select b.data from bodies b join requests r using (request_id) where request_id = ?";
    const [body] = await store.records.query<{ data: Uint8Array }>({ sql, args: [id] });
    expect(Buffer.from(body!.data).toString()).toBe("{}");
  });

  test("lists records as it reads them, one with a damaged cell among them", async () => {
    const ids = [
      await insertRecord(store, "o", { prompt_tokens: 2n ** 60n, cost: 0.1 + 0.2, error_message: "🌊\u0001" }),
      await insertRecord(store, "o", { error_message: new Uint8Array([255, 1, 2]) }),
    ];
    for (const keys of [ids.slice(0, 1), ids]) {
      const rows = await wholeRecords(store.records, "o", keysOf(keys));
      const listed = await listedRecords(
        store.records,
        { organizationId: "o", sight: "bodies", keys: keysOf(keys) },
        MADE_FROM,
      );
      expect(listed.map(({ stored }) => JSON.parse(stored))).toEqual(
        rows.map((row) => JSON.parse(JSON.stringify(storedMembers(row)))),
      );
      expect(listed.map(({ row }) => row.cost)).toEqual(rows.map(({ cost }) => cost));
    }
  });

  test.each(["records", "s3"] as const)(
    "keeps the packs of two nodes separate, and each erases its own; those of a dead node the other erases: %s",
    async (bodies_engine) => {
      await using bucket = await startObjectStore();
      const nodes = [ownDirectory(), ownDirectory()];
      const settings = { ...bucket.settings, bodies_engine, database_url: `${scheme}://127.0.0.1:${port}` };
      const [one, two, reader] = [
        await openStore({ ...nodes[0]!.config, ...settings }, "write"),
        await openStore({ ...nodes[1]!.config, ...settings }, "write"),
        await openStore({ ...nodes[1]!.config, ...settings }, "current"),
      ];
      const ids = nodes.map(({ path }) => nodeIdOf(path));
      for (const id of ids) await beat(store.records, id, "run", true);
      const text = random.bytes(20_000).toString("base64");
      const put = async (node: Store, bytes: string) => {
        const part = { part: "request", form: "text", contentType: null, bytes: Buffer.from(bytes) } as const;
        const texts = { prompt: null, completion: null };
        const requestId = crypto.randomUUID();
        await node.content.put([{ requestId, organizationId: "o", parts: [part], assets: [], texts }]);
        return requestId;
      };
      const read = async (id: string) => {
        const body = (await reader.content.get([id], ["request"])).get(id)?.request;
        return body && Buffer.from(body.content).toString();
      };
      const sweep = async (node: Store) => {
        while ((await node.content.sweep(true)).swept);
      };
      /** Whose objects are in the bucket. */
      const owners = async () => {
        const names = [...(await bucket.all()).keys()];
        return [...new Set(names.map((name) => ids.indexOf(name.split("/")[1]!)))].sort();
      };
      const written = (...nodes: number[]) => (bodies_engine === "s3" ? nodes : []);
      const packs = async () =>
        (await store.bodies.query<{ node: string }>({ sql: "select node from packs order by id", args: [] }))
          .map(({ node }) => ids.indexOf(node))
          .filter((at) => at >= 0);
      const mine = [await put(one, text), await put(one, `${text}!`)];
      const others = [await put(two, text), await put(two, `${text}?`)];
      expect([await read(mine[1]!), await read(others[1]!)]).toEqual([`${text}!`, `${text}?`]);
      expect(await packs()).toEqual([0, 1]);
      expect(await owners()).toEqual(written(0, 1));

      await two.content.remove([mine[0]!, mine[1]!]);
      await sweep(two);
      expect(await packs()).toEqual([0, 1]);
      expect(await owners()).toEqual(written(0, 1));
      await sweep(one);
      expect(await packs()).toEqual([1]);
      expect(await owners()).toEqual(written(1));
      expect([await read(mine[1]!), await read(others[1]!)]).toEqual([undefined, `${text}?`]);
      mine.push(await put(one, `${text}.`));
      expect(await read(mine[2]!)).toBe(`${text}.`);

      await leave(store.records, ids[1]!, "run");
      await one.content.remove(others);
      await sweep(one);
      expect(await packs()).toEqual([0]);
      expect(await owners()).toEqual(written(0));
      await leave(store.records, ids[0]!, "run");
      await one.content.remove(mine);
      await sweep(one);
      await Promise.all([one.close(), two.close(), reader.close()]);
      for (const node of nodes) node[Symbol.dispose]();
    },
  );

  test("undoes a whole batch when one statement of it fails", async () => {
    const row = insertInto("settings", { name: scheme, value: "1" });
    await expect(store.records.batch([row, row])).rejects.toMatchObject({
      code: expect.stringContaining("CONSTRAINT"),
    });
    expect(
      await store.records.query<unknown>({ sql: "select * from settings where name = ?", args: [scheme] }),
    ).toEqual([]);
  });

  test("holds keys", async () => {
    await ensureFirstKey(store.records, "us", "");
    const order = { name: scheme, organization: "default", scopes: ["read"], region: "us", expiresAt: null } as const;
    const { key, ...listed } = await createServiceKey(store.records, order);
    expect(await listKeys(store.records, { id: listed.id })).toEqual([listed]);
  });

  test("returns the same metrics from blocks as from records", async () => {
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into requests (request_id, organization_id, key_id, method, provider, model, request_created_at, updated_at, response_status, delay_ms, cost)
      select ? || i, ?, 'k', 'POST', 'OPENAI', 'm-' || (i % 3), i * 60000, i, 200 + i % 2 * 300, i % 97, i / 8.0 from n`;
    await store.records.batch([{ sql, args: [scheme, scheme] }]);
    const ask = async () => {
      const scope = { organizationId: scheme, tree: ALL };
      const query = { groupBy: ["model"], timeBucket: "day", limit: 100, offset: 0 } as const;
      return metrics(store.records, scope, query, new Deadline(180_000));
    };
    const fromRecords = await ask();
    while ((await makeNextBlock(store, { short: 1_000, long: 2_000, changesMax: 100 })) !== undefined);
    expect(await ask()).toEqual(fromRecords);
    expect(fromRecords).toHaveLength(12);
  });

  test("is no longer waited for after the deadline", async () => {
    const sql =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000000) select count(*) as n from n";
    const slow = store.records.query({ sql, args: [] }, { deadlineMs: 100 });
    await expect(slow).rejects.toMatchObject({ code: "query_timeout" });
  });

  test("is named while it is away, and works again when it is back", async () => {
    await stopServer(server);
    await expect(store.records.query({ sql: "select 1", args: [] })).rejects.toMatchObject({
      code: "database_unavailable",
      message: `the database server 127.0.0.1:${port} cannot be reached: ${AWAY[scheme]}`,
    });
    server = await startServer(port);
    expect(await store.records.query<unknown>({ sql: "select 1 as one", args: [] })).toEqual([{ one: 1 }]);
  }, 300_000);
});

async function startServer(onPort: number): Promise<ChildProcess> {
  const manifest = createRequire(import.meta.url).resolve(`@sqld/${process.platform}-${process.arch}/package.json`);
  const args = ["-d", join(directory.path, "server"), "--http-listen-addr", `127.0.0.1:${onPort}`];
  const child = spawn(join(dirname(manifest), "sqld"), args, { stdio: "ignore" });
  await until(
    () => accepts(onPort),
    180_000,
    () => "the server did not start",
  );
  return child;
}

async function stopServer(child: ChildProcess): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.once("exit", () => resolve());
  child.kill("SIGKILL");
  await ended;
}
