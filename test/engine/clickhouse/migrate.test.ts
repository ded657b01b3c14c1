import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import { type CopyOptions, copyDay } from "../../../src/engine/clickhouse/migrate/copy-day.ts";
import { daysOf } from "../../../src/engine/clickhouse/migrate/days.ts";
import { clickhouseSource } from "../../../src/engine/clickhouse/source.ts";
import { makeTables, SINGLE } from "../../../src/engine/clickhouse/tables.ts";
import { libsqlSource } from "../../../src/engine/libsql/source.ts";
import type { RecordSource } from "../../../src/engine/record-source.ts";
import { decodeFilter } from "../../../src/filter/decode.ts";
import { NEWEST_FIRST } from "../../../src/filter/sort.ts";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import { EXCHANGES, ORGANIZATION } from "../../filter/samples.ts";
import { insert } from "../../filter/world.ts";
import { ownDirectory } from "../../store/open.ts";
import { isClickHouseMissing, ownDatabase, sharedClickHouse } from "./server.ts";

// A busy server takes its time; nothing here is about that.
setDefaultTimeout(600_000);

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("records of libSQL in ClickHouse", migration);

function migration(): void {
  const directory = ownDirectory();
  let writer: Store;
  let reader: Store;
  let client: ClickHouse;
  let copy: CopyOptions;
  let engines: readonly RecordSource[];

  beforeAll(async () => {
    writer = await openStore(directory.config, "write");
    await migrate(writer);
    const sql = "insert into organizations (id, name, created_at) values (?, 'it', 0)";
    await writer.records.batch([{ sql, args: [ORGANIZATION] }]);
    // Those without a status are in flight, and stay.
    await insert(writer, EXCHANGES);
    client = new ClickHouse({ urls: [await sharedClickHouse()], database: ownDatabase() });
    await makeTables(client);
    reader = await openStore(directory.config, "read");
    copy = { records: reader.records, client, keepsTexts: true, layout: SINGLE, ofProviders: async () => ({}) };
    const reading = { client, control: reader.records, hasOpenRows: true, keepsTexts: true };
    engines = [libsqlSource(reader.records), clickhouseSource({ ...reading, loadBodies: async () => new Map() })];
  });
  afterAll(async () => {
    await client.command(`drop database ${client.database} sync`, { isOutside: true });
    await reader.close();
    await writer.close();
    directory[Symbol.dispose]();
  });

  async function copyAll() {
    const done = [];
    for (const day of await daysOf(reader.records)) done.push(await copyDay(copy, day));
    return {
      count: done.reduce((sum, { count }) => sum + count, 0),
      copied: done.reduce((sum, { copied }) => sum + copied, 0),
      days: done.map(({ from }) => from),
    };
  }

  const ended = { request_response_rmt: { status: { "not-equals": null } } };
  const idsOf = async (source: RecordSource, filter: unknown) => {
    const scope = { organizationId: ORGANIZATION, tree: decodeFilter(filter, "legacy").tree };
    const options = { sort: NEWEST_FIRST, limit: 1_000, offset: 0, deadline: new Deadline(180_000) };
    return (await source.page(scope, options)).keys.map(({ requestId }) => ({ requestId }));
  };
  const wholeOf = async (source: RecordSource) => {
    const rows = await source.records(ORGANIZATION, await idsOf(source, ended));
    return rows.map(({ seq, kind, excerpts_packed, ...row }) => ({
      ...row,
      properties: JSON.parse(row.properties),
      prompt_inputs: JSON.parse(row.prompt_inputs),
      scores: JSON.parse(row.scores),
      comments: 0,
    }));
  };

  test("all that have ended are copied, the newest day first, as they are", async () => {
    const { count, copied, days } = await copyAll();
    const there = EXCHANGES.filter(({ columns }) => (columns.response_status ?? null) !== null).length;
    expect([count, copied]).toEqual([there, there]);
    expect(days).toEqual(days.toSorted((a, b) => b - a));
    expect(await wholeOf(engines[1]!)).toEqual(await wholeOf(engines[0]!));
    for (const filter of [
      { request: { prompt: { contains: "kelvin" } } },
      { properties: { "App-Name": { "not-equals": null } } },
      { values: { Environment: { like: "%" } } },
    ]) {
      const both = { left: filter, operator: "and", right: ended };
      expect(await idsOf(engines[1]!, both)).toEqual(await idsOf(engines[0]!, both));
    }
  });

  test("a copy that was cut off continues, and one that is whole is left as it is", async () => {
    expect((await copyAll()).copied).toBe(0);
    await client.command(`delete from requests where request_created_at % 3 = 0`);
    const [left] = await client.query<{ n: number }>("select count() as n from requests");
    const { count, copied } = await copyAll();
    expect([copied > 0, copied]).toEqual([true, count - left!.n]);
    expect(await wholeOf(engines[1]!)).toEqual(await wholeOf(engines[0]!));
  });

  test("records that changed after they were copied are copied again, others not", async () => {
    const sql = `update requests set model = 'changed', total_tokens = 77, updated_at = updated_at + 1
      where response_status is not null and cost > 5`;
    await writer.records.batch([{ sql, args: [] }]);
    const [changed] = await writer.records.query<{ n: number }>({
      sql: "select count(*) as n from requests where model = 'changed'",
      args: [],
    });
    expect((await copyAll()).copied).toBe(changed!.n);
    expect(await wholeOf(engines[1]!)).toEqual(await wholeOf(engines[0]!));
  });
}
