import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Value as Schema } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { makeNextBlock } from "../src/engine/libsql/column-store/keep.ts";
import { keyOf } from "../src/engine/libsql/find/found-row.ts";
import { listedRecords } from "../src/engine/libsql/find/records.ts";
import { WordSearch } from "../src/engine/libsql/find/word-search.ts";
import { decodeFilter } from "../src/filter/decode.ts";
import { MADE_FROM } from "../src/record/request-record.ts";
import { Deadline } from "../src/store/database/deadline.ts";
import { migrate } from "../src/store/migrate.ts";
import { FIRST_ORGANIZATION } from "../src/store/people/organization-names.ts";
import { openStore } from "../src/store/store.ts";
import { insertWords, shards } from "../src/store/words/shards.ts";
import { IndexSize } from "../src/store/words/size.ts";
import { readWordQuery } from "../src/store/words/word-query.ts";
import { quantile } from "./measured.ts";
import { exchangeOf, POOL } from "./seed-texts.ts";

/**
 * Times the search for words on a seeded database (`bench/seed.ts`): the first call of a search, with its records read but
 * without HTTP around it. Where the seed has no index yet it is made first, as the recorder makes it.
 *
 *     bun bench/search.ts [--data-dir ./weir-data] [--runs 40]
 */
const { values } = parseArgs({ options: { "data-dir": { type: "string" }, runs: { type: "string", default: "40" } } });
const dataDir = resolve(values["data-dir"] ?? process.env["WEIR_DATA_DIR"] ?? "./weir-data");
const runs = Number(values.runs);
const config = { ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir };

const BATCH = 500;
const WORDS = 50_000;
/** Words of each record beside those of its text. */
const MORE_WORDS = 60;

const writer = await openStore(config, "write");
await migrate(writer);
while ((await makeNextBlock(writer)) !== undefined);
const query = async <T>(sql: string, ...args: (string | number)[]) => writer.records.query<T>({ sql, args });
const [{ organizationId, records } = { organizationId: "", records: 0 }] = await query<{
  organizationId: string;
  records: number;
}>(
  `select o.id as organizationId, (select max(seq) from requests) as records from organizations o where name = ?`,
  FIRST_ORGANIZATION,
);
if ((await shards(writer.bodies)).length === 0) await fill();
await writer.close();

const reader = await openStore(config, "read");
const bytes = await new IndexSize(reader.bodies).bytes(new Deadline(600_000));
const [load] = loadavg();
console.log(`load ${load!.toFixed(1)}`);
console.log(`${records} records, index ${Math.round(bytes / records)} bytes a record; ${runs} runs each, milliseconds`);

const leaf = (field: string, condition: object) => ({ request_response_rmt: { [field]: condition } });
/** Not the same word each time: what is searched for a second time comes from memory. */
const SEARCHES: readonly (readonly [string, (run: number) => string, unknown?])[] = [
  ["a common word", () => "order"],
  ["two common words", (run) => `order w${run % 20}`],
  ["a middling word", (run) => `w${500 + run}`],
  ["a rare word", (run) => `rec${1 + Math.floor((records * (run + 0.5)) / runs)}`],
  ["a common beginning", (run) => `w${1 + (run % 9)}*`],
  ["a rare beginning", (run) => `rec${Math.floor((records * (run + 0.5)) / runs / 100)}*`],
  ["a phrase", () => '"low barrier across"'],
  ["a phrase that nobody said, of common words", () => '"barrier low"'],
  ["a word that nobody said", (run) => `absent${run}`],
  ["a common word of one user", () => "order w1", leaf("user_id", { equals: "user-42" })],
];

for (const [name, text, filter = "all"] of SEARCHES) {
  const times: number[] = [];
  const cpu: number[] = [];
  let rows = 0;
  for (let run = 0; run < runs; run++) {
    const [started, before] = [performance.now(), process.cpuUsage()];
    const scope = { organizationId, tree: decodeFilter(filter, "legacy").tree };
    const deadline = new Deadline(60_000);
    const ofProviders = async () => ({});
    const options = {
      query: readWordQuery(text(run)),
      limit: 100,
      after: undefined,
      deadline,
      isIndexed: true,
      ofProviders,
    };
    const page = await new WordSearch(reader.records, scope, options).page();
    const keys = page.rows.map(keyOf);
    await listedRecords(reader.records, { organizationId, sight: "bodies", keys }, MADE_FROM);
    times.push(performance.now() - started);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
    rows = page.rows.length;
  }
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  const [busy50, busy95] = [quantile(cpu, 0.5), quantile(cpu, 0.95)];
  const shown = [p50, p95, busy50, busy95].map((each) => each.toFixed(1).padStart(8));
  console.log(`${name.padEnd(46)} p50 ${shown[0]}  p95 ${shown[1]}  CPU p50 ${shown[2]}  p95 ${shown[3]}  (${rows})`);
}
await reader.close();

async function fill(): Promise<void> {
  const cpu = process.cpuUsage();
  let longest = 0;
  for (let from = 1; from <= records; from += BATCH) {
    const count = Math.min(BATCH, records - from + 1);
    const batch = Array.from({ length: count }, (_, at) => ({
      seq: from + at,
      organizationId,
      text: textOf(from + at),
    }));
    const started = performance.now();
    await writer.bodies.batch(insertWords(batch));
    longest = Math.max(longest, performance.now() - started);
    if (from % 200_000 === 1) console.error(`${from} records indexed`);
  }
  const { user, system } = process.cpuUsage(cpu);
  const each = (user + system) / records;
  console.log(
    `indexed ${textOf(1).length} characters a record: ${each.toFixed(1)} µs of CPU each, in batches of ${BATCH}`,
  );
  console.log(`the longest batch took ${longest.toFixed(0)} ms`);
}

/** The text of a seeded exchange, words of which few are frequent, and one that no other record has. */
function textOf(seq: number): string {
  const { prompt, completion } = exchangeOf(((seq * 2_654_435_761) % 4_294_967_296) % POOL);
  let state = seq;
  const words = Array.from({ length: MORE_WORDS }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return `w${Math.floor(WORDS ** (state / 2_147_483_648))}`;
  });
  return `${prompt} ${completion} ${words.join(" ")} rec${seq}`;
}
