import { join } from "node:path";
import Database from "libsql";
import { PACKED_SIZE_MAX } from "../src/engine/libsql/write/pack-excerpts.ts";
import { beginning, EXCERPT_MAX } from "../src/record/excerpt.ts";
import { LocalWriter, PAGE_BYTES } from "../src/store/database/local-writer.ts";
import { LocalPackIds } from "../src/store/packs/pack-ids.ts";
import { PackStore } from "../src/store/packs/pack-store.ts";
import type { Content, StoredPart } from "../src/store/packs/request-content.ts";
import { FIRST_ORGANIZATION } from "../src/store/people/organization-names.ts";
import { INPUTS, NUMBERS, objectOf, PROPERTIES } from "./seed-properties.ts";
import { exchangeOf, MODELS, POOL } from "./seed-texts.ts";

type Connection = InstanceType<typeof Database>;

/** The options of a seed. */
export interface Seed {
  readonly records: number;
  readonly dataDir: string;
  /** Time of the first record, in milliseconds since 1970. */
  readonly start: number;
  /** Called every second or so with what is done. */
  readonly onProgress: (done: string) => void;
}

const STEP = 50_000;

/**
 * The numbers of `source` from ?1 to ?2 with all that is derived from them: `h` is a hash, `a`, `b` and `c` independent
 * parts of it from 0 to 999, `created` the time, `id` the request id. ?3 is the time of the first, ?4 the milliseconds
 * between two.
 */
const partsOf = (source: string) => `with numbers as (
    select n.value as v, (n.value * 2654435761) % 4294967296 as h, ?3 + cast(n.value * ?4 as integer) as created
    from ${source}
  ), parts as (
    select v, h, created, h % 1000 as a, (h / 1000) % 1000 as b, (h / 1000000) % 1000 as c,
      printf('%08x-%04x-7%03x-%04x-%012x', created >> 16, created & 65535, h & 4095, 32768 | (h >> 12 & 16383), v) as id
    from numbers
  )`;
const PARTS = partsOf(NUMBERS);
/** The model of a number. */
const MODEL_OF = `join temp.model m on m.n = (b * 7 + c) % ${MODELS.length}`;
/** US dollars of a number and its model `m`; unknown where the request failed. */
const COST = "case when a < 35 then null else (40 + b * 3) * m.price / 1e6 + c * m.price * 4 / 1e6 end";
/** Records are spread over 30 days. */
const everyMs = (records: number) => (30 * 86_400_000) / records;

/**
 * A file opened so that nothing in it would survive a crash, and nothing needs to: a seed is made again. An index is
 * sorted in runs as large as the cache: in small ones, beside another thread, it takes half the time.
 */
function open(path: string): Connection {
  const database = new Database(path, {});
  database.exec(
    "pragma journal_mode=off; pragma synchronous=off; pragma cache_size=-8000; pragma temp_store=file; pragma threads=2",
  );
  return database;
}

function close(database: Connection): void {
  database.exec("pragma journal_mode=wal");
  database.close();
}

export function fillRecords(seed: Seed): void {
  const database = open(join(seed.dataDir, "weir.db"));
  const [organization] = rowOf(database, "select id from organizations where name = ?", FIRST_ORGANIZATION) as [string];
  const [before] = rowOf(database, "select coalesce(max(seq), 0) from requests") as [number];
  const known = { before, organization };
  makePool(database);
  insertKinds(database);
  const built = takeAway(database);
  eachStep(database, seed, "records", (from, to) => insertRequests(database, { ...seed, ...known, from, to }));
  insertProperties(database, seed, known);
  insertModels(database, seed, organization);
  buildAgain(database, built, seed);
  close(database);
}

/** Records whose bodies are stored together, as the recorder does under load. */
const BODIES_TOGETHER = 500;

/** In packs, as the recorder stores them. A record's bodies need nothing of the record but its number. */
export async function fillBodies({ records, dataDir, start, onProgress }: Seed): Promise<void> {
  // Not the store: it would open the records' file as well, which the other process has.
  const path = join(dataDir, "bodies.db");
  const database = new LocalWriter(path, false, { pageBytes: PAGE_BYTES.bodies, logPages: 8_000 });
  const content = new PackStore(database, new LocalPackIds(database, path));
  const pool = Array.from({ length: POOL }, (_, n) => contentOf(n));
  for (let from = 1; from <= records; from += BODIES_TOGETHER) {
    const count = Math.min(BODIES_TOGETHER, records - from + 1);
    await content.put(
      Array.from({ length: count }, (_, at) => {
        const number = from + at;
        const hash = hashOf(number);
        const requestId = requestIdOf(number, hash, start + Math.trunc(number * everyMs(records)));
        return { ...pool[hash % POOL]!, requestId, organizationId: "seed", isNew: true };
      }),
    );
    if ((from - 1) % STEP === 0) onProgress(`${from + count - 1} bodies`);
  }
  await database.close();
}

function contentOf(n: number): Content {
  const { prompt, completion, request, response } = exchangeOf(n);
  const part = (name: "request" | "response", body: object): StoredPart => ({
    part: name,
    form: "json",
    bytes: Buffer.from(JSON.stringify(body)),
    contentType: null,
  });
  const parts = [part("request", request), part("response", response)];
  const size = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const excerpts = { input: beginning(prompt, EXCERPT_MAX), output: beginning(completion, EXCERPT_MAX) };
  return { parts, assets: [], texts: { prompt, completion }, ...(size <= PACKED_SIZE_MAX && { excerpts }) };
}

/** `h` and `id` of `partsOf`. */
const hashOf = (number: number) => Number((BigInt(number) * 2_654_435_761n) % 4_294_967_296n);
function requestIdOf(number: number, hash: number, created: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  const [high, low] = [hex(Math.floor(created / 65_536), 8), hex(created % 65_536, 4)];
  return `${high}-${low}-7${hex(hash & 4_095, 3)}-${hex(32_768 | ((hash >>> 12) & 16_383), 4)}-${hex(number, 12)}`;
}

function eachStep(
  database: Connection,
  { records, onProgress }: Seed,
  what: string,
  fill: (from: number, to: number) => void,
): void {
  for (let from = 1; from <= records; from += STEP) {
    database.exec("begin");
    fill(from, Math.min(from + STEP - 1, records));
    database.exec("commit");
    onProgress(`${Math.min(from + STEP - 1, records)} ${what}`);
  }
}

function rowOf(database: Connection, sql: string, ...args: unknown[]): unknown[] {
  return database
    .prepare(sql)
    .raw(true)
    .get(...args) as unknown[];
}

/** What records are made of: models, and texts with their bodies. */
function makePool(database: Connection): void {
  database.exec(`create temp table pool (n integer primary key, size integer);
    create temp table model (n integer primary key, provider text, name text, price real, host text)`);
  const addModel = database.prepare("insert into model values (?, ?, ?, ?, ?)");
  for (const [n, model] of MODELS.entries()) addModel.run(n, ...model);
  const insert = database.prepare("insert into pool values (?, ?)");
  database.exec("begin");
  for (let n = 0; n < POOL; n++) {
    const { request, response } = exchangeOf(n);
    insert.run(n, Buffer.byteLength(JSON.stringify(request) + JSON.stringify(response)));
  }
  database.exec("commit");
}

/** An index or a trigger. */
interface Built {
  readonly name: string;
  readonly sql: string;
}

/** Takes away what can be built at the end, and the triggers, which have nothing to say of records that are new. */
function takeAway(database: Connection): Built[] {
  const found = database
    .prepare(
      `select type, name, sql from sqlite_master
        where type in ('index', 'trigger') and sql is not null and tbl_name in ('requests', 'properties')`,
    )
    .raw(true)
    .all() as [string, string, string][];
  for (const [type, name] of found) database.exec(`drop ${type} ${name}`);
  return found.map(([, name, sql]) => ({ name, sql }));
}

function buildAgain(database: Connection, built: readonly Built[], { onProgress }: Seed): void {
  for (const { name, sql } of built) {
    database.exec(sql);
    onProgress(name);
  }
}

/** What was there before. */
interface Before {
  /** The highest `seq`. */
  readonly before: number;
  readonly organization: string;
}

interface Step extends Seed {
  readonly from: number;
  readonly to: number;
}

interface RecordStep extends Step, Before {}

/** Rows that leave to their kind what they have in common; the recorder stores those of cached responses whole. */
const IS_SHARED = "c % 8 <> 0";
const HAS_FAILED = "a < 20";
const KIND_ID = `m.n * 2 + (${HAS_FAILED})`;
const TARGET = "m.host || '/v1/chat/completions'";
const own = (sql: string, otherwise = "null") => `case when ${IS_SHARED} then ${otherwise} else ${sql} end`;

/** What the records of one model have in common. */
function insertKinds(database: Connection): void {
  database.exec(`insert or ignore into kinds (id, key_id, gateway_user, auth_hash, method, target_url, request_path, provider,
      request_model, response_model, model, outcome, cost_source, wire_schema, ai_gateway_body_mapping, storage_location)
    select ${KIND_ID}, 'seed', 'seed', 'seed', 'POST', ${TARGET}, '/v1/chat/completions', m.provider, m.name, m.name, m.name,
      outcome, 'seed', 'chat-completions', 'NO_MAPPING', 'libsql'
    from temp.model m join (select 0 as a, 'upstream_failed' as outcome union all select 999, 'complete')`);
}

function insertRequests(database: Connection, step: RecordStep): void {
  const { from, to, before, organization, start, records } = step;
  database
    .prepare(
      `insert into requests (seq, request_id, organization_id, key_id, gateway_user, auth_hash, method, target_url, request_path,
        country_code, provider, request_model, response_model, model, request_created_at, response_created_at, updated_at,
        response_id, response_status, outcome, delay_ms, time_to_first_token, prompt_tokens, completion_tokens, total_tokens,
        prompt_cache_read_tokens, cost, cost_source, user_id, session_id, session_name, session_path, prompt_id,
        experiment_id, cache_enabled, cached, streamed, size_bytes, wire_schema, properties, prompt_inputs, scores,
        feedback_id, feedback_rating, feedback_created_at, kind, excerpts_packed)
      ${PARTS}
      select ?5 + v, id, ?6, ${own("'seed'", "''")}, ${own("'seed'")}, ${own("'seed'")}, ${own("'POST'", "''")},
        ${own(TARGET)}, ${own("'/v1/chat/completions'")},
        case when b % 4 = 0 then null else substr('DEFRGBUSINJPBRZA', 1 + b % 8 * 2, 2) end,
        ${own("m.provider", "''")}, ${own("m.name")}, ${own("m.name")}, ${own("m.name")},
        created, created + 200 + c * 5, created + 200 + c * 5, 'chatcmpl-' || v,
        case when a < 20 then 500 when a < 35 then 429 else 200 end, ${own(`case when ${HAS_FAILED} then 'upstream_failed' else 'complete' end`)},
        200 + c * 5 + b / 10.0, case when b % 2 = 0 then 80 + c / 2.0 end, 40 + b * 3, c, 40 + b * 3 + c,
        case when a % 3 = 0 then b end, ${COST},
        ${own("'seed'")}, case when a % 10 = 0 then null else 'user-' || (h % 5000) end,
        case when b % 2 = 0 then 'session-' || (v / 12) end, case when b % 2 = 0 then 'Support' end,
        case when b % 2 = 0 then '/chat' end, case when c % 5 = 0 then 'prompt-' || (c % 7) end,
        case when a = 500 then 'experiment-1' end, c % 8 = 0, c % 40 = 0, b % 2 = 0, p.size, ${own("'chat-completions'")},
        ${objectOf(PROPERTIES)}, ${objectOf(INPUTS)},
        case when a % 20 = 0 then json_object('quality', c / 1000.0) else '{}' end,
        case when a % 25 = 0 then v end, case when a % 25 = 0 then b % 3 > 0 end, case when a % 25 = 0 then created + 60000 end,
        case when ${IS_SHARED} then ${KIND_ID} end, case when p.size <= ${PACKED_SIZE_MAX} then 1 end
      from parts ${MODEL_OF} join temp.pool p on p.n = h % ${POOL}`,
    )
    .run(from, to, start, everyMs(records), before, organization);
}

/** In the order of the table's key, which is its own index, and from the numbers alone: no row is read again. */
function insertProperties(database: Connection, seed: Seed, { before, organization }: Before): void {
  const named = [
    ...PROPERTIES.map((property) => ({ kind: 0, ...property })),
    ...INPUTS.map((input) => ({ kind: 1, ...input })),
  ];
  for (const { kind, name, value, has, source } of named) {
    database
      .prepare(
        `insert into properties (organization_id, kind, name, value, request_created_at, seq, cost)
        ${partsOf(source)}
        select ?6, ${kind}, '${name}', ${value}, created, ?5 + v, ${COST} from parts ${MODEL_OF} where ${has}`,
      )
      .run(1, seed.records, seed.start, everyMs(seed.records), before, organization);
    seed.onProgress(`property ${name}`);
  }
}

function insertModels(database: Connection, { records, start }: Seed, organization: string): void {
  database
    .prepare(
      `insert into models (organization_id, provider, model, state, count, since, reason)
      ${PARTS}
      select ?5, m.provider, m.name, 'mapped', count(*), min(created), null from parts ${MODEL_OF} group by m.n
      on conflict (organization_id, provider, model) do update set count = count + excluded.count`,
    )
    .run(1, records, start, everyMs(records), organization);
}
