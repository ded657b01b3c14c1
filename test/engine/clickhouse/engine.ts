import { clickhouseAggregates } from "../../../src/engine/clickhouse/aggregates.ts";
import { ClickHouse } from "../../../src/engine/clickhouse/client.ts";
import type { ReaderOptions } from "../../../src/engine/clickhouse/records.ts";
import { toTableRow } from "../../../src/engine/clickhouse/rows.ts";
import { clickhouseSource } from "../../../src/engine/clickhouse/source.ts";
import { makeTables } from "../../../src/engine/clickhouse/tables.ts";
import { clickhouseWalk } from "../../../src/engine/clickhouse/walk.ts";
import type { EngineReader } from "../../../src/engine/reader.ts";
import type { Storable } from "../../../src/engine/storable.ts";
import { loadBodies } from "../../../src/store/bodies/load-bodies.ts";
import { type Exchange, ORGANIZATION, openWorld, type Property } from "../../filter/world.ts";
import type { TestedEngine } from "../tested-engine.ts";
import { ownDatabase, sharedClickHouse } from "./server.ts";

/** ClickHouse, in a database of its own for each set of records; tags and bodies are in a libSQL database. */
export const CLICKHOUSE: TestedEngine = { name: "ClickHouse", open: (exchanges, tags) => opened(exchanges, tags) };

/** The same as if its table were a large one. */
export const LARGE_CLICKHOUSE: TestedEngine = {
  name: "ClickHouse with a large table",
  open: (exchanges, tags) => opened(exchanges, tags, { fewRows: 0 }),
};

async function opened(
  exchanges: readonly Exchange[],
  tags: Parameters<TestedEngine["open"]>[1],
  further: Further = {},
) {
  const [url, world] = await Promise.all([sharedClickHouse(), openWorld(exchanges, tags)]);
  const client = new ClickHouse({ urls: [url], database: ownDatabase() });
  await makeTables(client);
  return filledEngine(client, world, exchanges, further);
}

type Further = Pick<ReaderOptions, "fewRows">;
type World = Awaited<ReturnType<typeof openWorld>>;

/** The records in tables that are there; the database goes with the engine. */
export async function filledEngine(
  client: ClickHouse,
  world: World,
  exchanges: readonly Exchange[],
  further: Further = {},
): Promise<EngineReader & AsyncDisposable> {
  // Every seventh record is one in flight, as far as it is stored: what is read of both is the same.
  const rows = exchanges.map((exchange) => toTableRow(storableOf(exchange), { keepsTexts: true }));
  await client.insert(
    "requests",
    rows.filter((_, at) => at % 7 !== 3),
  );
  await client.insert(
    "open",
    rows.filter((_, at) => at % 7 >= 3 && at % 7 < 5).map((row) => ({ ...row, version: 1, is_ended: 0 })),
  );
  const { records } = world.reader;
  const options: ReaderOptions = {
    client,
    control: records,
    hasOpenRows: true,
    keepsTexts: true,
    loadBodies: (ids, parts) => loadBodies(records, ids, parts),
    ...further,
  };
  return {
    source: clickhouseSource(options),
    aggregates: clickhouseAggregates(options),
    walk: clickhouseWalk(client),
    async [Symbol.asyncDispose]() {
      await client.command(`drop database ${client.database}`, { isOutside: true });
      await world[Symbol.asyncDispose]();
    },
  };
}

function storableOf({ columns, properties = [], inputs = [], scores = {}, assets = [], ...said }: Exchange): Storable {
  return {
    row: {
      organization_id: ORGANIZATION,
      key_id: "key-1",
      method: "POST",
      provider: "OPENAI",
      updated_at: columns.request_created_at,
      ...columns,
      scores: JSON.stringify(scores),
      assets: JSON.stringify(assets),
    },
    labels: {
      properties: valuesOf(properties),
      promptInputs: valuesOf(inputs),
      erasedProperties: erasedOf(properties),
      erasedInputs: erasedOf(inputs),
    },
    parts: [],
    texts: { prompt: said.prompt ?? null, completion: said.completion ?? null, said: said.prompt ?? null },
    assets: [],
  };
}

const valuesOf = (list: readonly Property[]) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
const erasedOf = (list: readonly Property[]) =>
  new Set(list.filter(({ erased }) => erased === true).map(({ name }) => name));
