import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { ClickHouseError } from "../../../src/engine/clickhouse/failure.ts";
import { literal } from "../../../src/engine/clickhouse/literal.ts";
import { GatewayError } from "../../../src/errors.ts";
import { storable } from "../../../src/record/storable.ts";
import { assertProperty } from "../../chance.ts";
import { freePort } from "../../ports.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

const PASSWORD = "the-password-of-a-test";

let url: string;
let client: ClickHouse;

/** A server that gives this response to everything. */
async function serving(body: string, { status = 200, headers = {} }: { status?: number; headers?: object } = {}) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(body, { status, headers: { ...headers } }),
  });
  const url = `http://127.0.0.1:${server.port}`;
  const client = new ClickHouse({ urls: [url], database: "default" });
  return { url, client, [Symbol.asyncDispose]: () => server.stop(true) };
}

const OWN = { "x-clickhouse-query-id": "1", "x-clickhouse-exception-tag": "abcdefghijklmnop" };
const LATE =
  "\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 241. DB::Exception: (MEMORY_LIMIT_EXCEEDED)\r\n79 abcdefghijklmnop\r\n__exception__\r\n";

test.each([
  ["nothing, of a proxy", "", {}],
  ["a page of a proxy", "<html>Welcome</html>", {}],
  ["a page with ClickHouse's headers", "<html>Welcome</html>", OWN],
  ["rows", '{"a":1}\n', OWN],
  ["a failure after the response had begun", LATE, OWN],
])("%s is not the response of an insert that was stored", async (_name, body, headers) => {
  await using server = await serving(body, { headers });
  const error = await failure(server.client.insert("requests", [{ a: 1 }]));
  expect(error).toMatchObject({ code: "database_unavailable", status: 503 });
  expect((error as GatewayError).message).toContain(server.url);
});

test("the empty response of ClickHouse is the one of an insert that was stored", async () => {
  await using server = await serving("", { headers: OWN });
  await server.client.insert("requests", [{ a: 1 }]);
});

test.each([
  ["a page of a proxy", "<html>a secret</html>", {}],
  ["a page with ClickHouse's headers", "<html>a secret</html>", OWN],
  ["half of a row", '{"a":1}\n{"a":"a sec', OWN],
  ["rows and then a failure", `{"a":1}\n${LATE}`, OWN],
])("%s is no response to a query, and is not quoted", async (_name, body, headers) => {
  await using server = await serving(body, { headers });
  const error = await failure(server.client.query("select a from t"));
  expect(error).toMatchObject({ code: "database_unavailable", status: 503 });
  expect(Bun.inspect(error)).not.toContain("a sec");
});

test.each([
  [60, 404, "does not have the tables"],
  [81, 404, "does not have the database"],
  [164, 500, "only lets this user read"],
  [192, 403, "refuses the user or its password"],
  [201, 500, "has a quota for this user"],
  [202, 500, "has too much to do"],
  [241, 500, "needs more memory than it may use"],
  [242, 500, "cannot reach Keeper"],
  [243, 500, "has no space left on its disk"],
  [252, 500, "has too many parts to merge"],
  [285, 500, "enough replicas"],
  [497, 403, "the rights that Weir needs"],
  [516, 403, "refuses the user or its password"],
])("error %d is explained, and another server is tried", async (code, status, reason) => {
  const headers = { ...OWN, "x-clickhouse-exception-code": String(code) };
  await using failing = await serving(`Code: ${code}. DB::Exception: a secret (NAME)`, { status, headers });
  const error = await failure(failing.client.insert("requests", [{ a: 1 }]));
  expect(error).toMatchObject({ code: "database_unavailable" });
  expect((error as GatewayError).message).toContain(`${failing.url} `);
  expect((error as GatewayError).message).toContain(reason);
  expect((error as GatewayError).message).toEndWith(`(error ${code})`);

  await using working = await serving("", { headers: OWN });
  const both = new ClickHouse({ urls: [failing.url, working.url], database: "default", cluster: "all" });
  await both.insert("requests", [{ a: 1 }]);
});

test("a statement that took too long is a query_timeout, whichever side stopped it", async () => {
  const headers = { ...OWN, "x-clickhouse-exception-code": "159" };
  await using server = await serving("Code: 159. DB::Exception: (TIMEOUT_EXCEEDED)", { status: 500, headers });
  expect(await failure(server.client.query("select 1"))).toMatchObject({ code: "query_timeout", status: 504 });
});

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else clients();

function clients(): void {
  beforeAll(async () => {
    url = await sharedClickHouse();
    client = new ClickHouse({ urls: [url], database: "default" });
  });

  test("a value is read as it was written, inline or as a parameter", async () => {
    const value = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }).map(storable),
      fc.constantFrom("'", "\\", "\\'", "\n\t\r", "☃", "{a:String}", "-- x", "/*"),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.maxSafeInteger(),
    );
    await assertProperty(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async (values) => {
        const columns = values.map((each, index) => `${literal(each)} as c${index}`);
        const [row] = await client.query<Record<string, unknown>>(`select ${columns.join(", ")}`);
        expect(Object.values(row!)).toEqual(values.map((each) => (each === 0 ? 0 : each)));
      }),
      { numRuns: 30 },
    );
    const params = { text: "it's \\ \t ☃", number: 7 };
    expect(await client.query("select {text:String} as text, {number:Int64} as number", { params })).toEqual([params]);
  });

  test("a query that takes longer than it may is cancelled", async () => {
    const slow = client.query("select sleepEachRow(1) from numbers(60) settings max_block_size = 1", {
      deadlineMs: 300,
      settings: { function_sleep_max_microseconds_per_block: 0 },
    });
    expect(await failure(slow)).toMatchObject({ code: "query_timeout", status: 504 });
  });

  test("the error of a refused statement has the server's code, and none of its values", async () => {
    const error = await failure(client.query(`select no_such_function('a secret')`));
    expect(error).toBeInstanceOf(ClickHouseError);
    expect(error).toMatchObject({ code: 46, message: "ClickHouse error 46 (UNKNOWN_FUNCTION)" });
  });

  test("a failure in the middle of a result is a failure", async () => {
    const error = await failure(client.query("select throwIf(number = 3000000, 'late') from numbers(4000000)"));
    expect(error).toMatchObject({ code: 395 });
  });

  test("a failure after the rows had begun is a failure", async () => {
    const error = await failure(
      client.query("select number, throwIf(number = 3000000, 'late') from numbers(4000000)", {
        settings: { wait_end_of_query: 0, max_block_size: 1_000 },
      }),
    );
    // The server says it in the response, or breaks off a compressed one.
    expect(error).toBeInstanceOf(Error);
  });

  test("of servers without a cluster only those are used that hold the same tables", async () => {
    const [one, other] = [ownDatabase(), ownDatabase()];
    const make = async (database: string) => {
      const own = new ClickHouse({ urls: [url], database });
      await own.command(`create database ${database}`, { isOutside: true });
      await own.command("create table requests (a UInt32) engine = MergeTree order by a");
    };
    await Promise.all([make(one), make(other)]);
    // A front that leads to a server, to none, or to one with another database.
    let leadsTo: string | undefined = one;
    await using front = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        if (leadsTo === undefined) return new Response("away", { status: 502 });
        const target = new URL(url);
        target.search = new URL(request.url).search;
        target.searchParams.set("database", leadsTo);
        const response = await fetch(target, { method: "POST", body: await request.text() });
        const headers = new Headers(response.headers);
        for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name);
        return new Response(await response.text(), { status: response.status, headers });
      },
    });
    const both = new ClickHouse({ urls: [`http://127.0.0.1:${front.port}`, url], database: one });
    await both.insert("requests", [{ a: 1 }]);
    leadsTo = undefined;
    expect(await both.query("select a from requests")).toEqual([{ a: 1 }]);

    leadsTo = other;
    const mixed = new ClickHouse({ urls: [`http://127.0.0.1:${front.port}`, url], database: one });
    expect(await mixed.query("select count() as n from requests")).toEqual([{ n: 0 }]);
    leadsTo = undefined;
    const error = await failure(mixed.insert("requests", [{ a: 2 }]));
    expect(error).toMatchObject({ code: "database_unavailable" });
    expect((error as GatewayError).message).toContain("records_cluster");
    expect(await new ClickHouse({ urls: [url], database: one }).query("select a from requests")).toEqual([{ a: 1 }]);
  });

  test("a server of a cluster reads from the replica that all read from", async () => {
    const clustered = new ClickHouse({ urls: [url], database: "default", cluster: "all" });
    const names = ["load_balancing", "prefer_localhost_replica", "distributed_ddl_output_mode"];
    const settings = names.map((name) => `toString(getSetting('${name}')) as ${name}`).join(", ");
    expect(await clustered.query(`select ${settings}`)).toEqual([
      {
        load_balancing: "in_order",
        prefer_localhost_replica: "false",
        distributed_ddl_output_mode: "null_status_on_timeout",
      },
    ]);
  });

  test("of several servers the next one is tried if one cannot be reached", async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const both = new ClickHouse({ urls: [closed, url], database: "default" });
    expect(await both.query("select 1 as one")).toEqual([{ one: 1 }]);
    expect(await both.query("select 2 as two")).toEqual([{ two: 2 }]);
  });

  test("a server that cannot be reached is named without the password", async () => {
    const port = await freePort();
    const closed = `http://weir:${PASSWORD}@127.0.0.1:${port}`;
    const away = new ClickHouse({ urls: [closed], database: "default", user: "weir", password: PASSWORD });
    const error = await failure(away.query("select 1"));
    const message = `ClickHouse at http://127.0.0.1:${port} cannot be reached: nothing listens there`;
    expect(error).toMatchObject({ code: "database_unavailable", status: 503, message });
    expect(Bun.inspect(error)).not.toContain(PASSWORD);
  });

  test("a wrong password is reported as one", async () => {
    const stranger = new ClickHouse({ urls: [url], database: "default", user: "nobody", password: PASSWORD });
    const error = await failure(stranger.query("select 1"));
    expect(error).toMatchObject({ code: "database_unavailable" });
    expect((error as GatewayError).message).toContain("refuses the user");
    expect(Bun.inspect(error)).not.toContain(PASSWORD);
  });

  test("an address that is none is refused", () => {
    for (const urls of [[], ["ch.internal:8443"], ["ftp://ch"]])
      expect(() => new ClickHouse({ urls, database: "weir" })).toThrow(GatewayError);
  });
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
