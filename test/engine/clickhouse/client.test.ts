import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { ClickHouseError } from "../../../src/engine/clickhouse/failure.ts";
import { literal } from "../../../src/engine/clickhouse/literal.ts";
import { GatewayError } from "../../../src/errors.ts";
import { storable } from "../../../src/record/storable.ts";
import { assertProperty } from "../../chance.ts";
import { freePort } from "../../ports.ts";
import { isClickHouseMissing, sharedClickHouse } from "./server.ts";

const PASSWORD = "the-password-of-a-test";

let url: string;
let client: ClickHouse;

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else clients();

function clients(): void {
  beforeAll(async () => {
    url = await sharedClickHouse();
    client = new ClickHouse({ urls: [url], database: "default" });
  });

  test("a value comes back as it was written, in place or as a parameter", async () => {
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

  test("a statement that is refused says its number, and nothing of what it held", async () => {
    const error = await failure(client.query(`select no_such_function('a secret')`));
    expect(error).toBeInstanceOf(ClickHouseError);
    expect(error).toMatchObject({ code: 46, message: "ClickHouse error 46 (UNKNOWN_FUNCTION)" });
  });

  test("a failure in the middle of a result is a failure", async () => {
    const error = await failure(client.query("select throwIf(number = 3000000, 'late') from numbers(4000000)"));
    expect(error).toMatchObject({ code: 395 });
  });

  test("of several servers the next one is asked where one cannot be reached", async () => {
    const closed = `http://127.0.0.1:${await freePort()}`;
    const both = new ClickHouse({ urls: [closed, url], database: "default" });
    expect(await both.query("select 1 as one")).toEqual([{ one: 1 }]);
    expect(await both.query("select 2 as two")).toEqual([{ two: 2 }]);
  });

  test("a server that cannot be reached is named without the password", async () => {
    const closed = `http://weir:${PASSWORD}@127.0.0.1:${await freePort()}`;
    const away = new ClickHouse({ urls: [closed], database: "default", user: "weir", password: PASSWORD });
    const error = await failure(away.query("select 1"));
    expect(error).toMatchObject({ code: "database_unavailable", status: 503 });
    expect(Bun.inspect(error)).not.toContain(PASSWORD);
  });

  test("a wrong password is said to be one", async () => {
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
