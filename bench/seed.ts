import { createHash, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { zstdCompressSync } from "node:zlib";
import { Value as Schema } from "@sinclair/typebox/value";
import Connection from "libsql";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { FIRST_ORGANIZATION } from "../src/store/keys.ts";
import { migrate } from "../src/store/migrate.ts";
import { openStore } from "../src/store/store.ts";
import { ANSWERS, MODELS, QUESTIONS } from "./seed-texts.ts";

/**
 * Fills the database of a data directory with plausible records of organization `default` over the last 30 days. The
 * service must not be running.
 *
 *     bun bench/seed.ts --records 200000 [--data-dir ./weir-data]
 *
 * The rows are made by SQL itself, from their number alone, so the same command makes the same records. Indexes are
 * taken away first and built at the end, which is what makes it fast.
 */
const { values } = parseArgs({
  options: { records: { type: "string", default: "100000" }, "data-dir": { type: "string" } },
});
const records = Number(values.records);
if (!Number.isInteger(records) || records < 1) throw new Error("--records takes a whole number above 0");
const dataDir = resolve(values["data-dir"] ?? process.env["WEIR_DATA_DIR"] ?? "./weir-data");

const started = performance.now();
const store = await openStore({ ...Schema.Create(CONFIG_SCHEMA), data_dir: dataDir }, "write");
await migrate(store);
await store.records.batch([
  {
    sql: "insert into organizations (id, name, created_at) values (?, ?, ?) on conflict (name) do nothing",
    args: [randomUUID(), FIRST_ORGANIZATION, Date.now()],
  },
]);
await store.close();

const STEP = 50_000;
const database = new Connection(join(dataDir, "weir.db"), {});
database.exec(`attach '${join(dataDir, "bodies.db").replaceAll("'", "''")}' as bodies_file`);
// Nothing here survives a crash, and nothing needs to: a seed is made again.
for (const file of ["main", "bodies_file"]) {
  database.exec(`pragma ${file}.synchronous=off; pragma ${file}.cache_size=-200000`);
}
database.exec("pragma temp_store=memory; pragma busy_timeout=2000");

const organization = scalar("select id from organizations where name = ?", FIRST_ORGANIZATION) as string;
const firstSeq = Number(scalar("select coalesce(max(seq), 0) from requests")) + 1;
const start = Date.now() - 30 * 86_400_000;
const lastId = firstSeq + records - 1;
makePools();
const indexes = dropIndexes();
for (let from = firstSeq; from <= lastId; from += STEP) insertStep(from, Math.min(from + STEP - 1, lastId));
insertProperties(0, "properties");
insertProperties(1, "prompt_inputs");
for (const sql of indexes) database.exec(sql);
countModels();
for (const file of ["main", "bodies_file"]) database.exec(`pragma ${file}.wal_checkpoint(truncate)`);
database.close();

const seconds = (performance.now() - started) / 1000;
console.log(`${records} records in ${seconds.toFixed(1)} s, ${Math.round(records / seconds)} a second, in ${dataDir}`);

function scalar(sql: string, ...args: unknown[]): unknown {
  return (
    database
      .prepare(sql)
      .raw(true)
      .get(...args) as unknown[] | undefined
  )?.[0];
}

/** Texts and bodies that records share: bodies go into the database once each, as blobs. */
function makePools(): void {
  database.exec(`create temp table pool (n integer primary key, prompt text, completion text, request_hash text, response_hash text, request_bytes integer, response_bytes integer);
    create temp table model (n integer primary key, provider text, name text, price real, host text)`);
  MODELS.forEach(([provider, name, price, host], n) => {
    database.prepare("insert into model values (?, ?, ?, ?, ?)").run(n, provider, name, price, host);
  });
  const insert = database.prepare("insert into pool values (?, ?, ?, ?, ?, ?, ?)");
  database.exec("begin");
  for (let n = 0; n < 2_000; n++) {
    const prompt = `${QUESTIONS[n % QUESTIONS.length]} (${n})`;
    const completion = Array.from({ length: 2 + (n % 5) }, (_, i) => ANSWERS[(n * 7 + i * 3) % ANSWERS.length]).join(
      " ",
    );
    const [, model] = MODELS[n % MODELS.length]!;
    const request = blob({
      model,
      messages: [
        { role: "system", content: ANSWERS[n % 5] },
        { role: "user", content: prompt },
      ],
    });
    const message = { role: "assistant", content: completion };
    const response = blob({
      id: `chatcmpl-${n}`,
      object: "chat.completion",
      model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 40 + n, completion_tokens: n % 400, total_tokens: 40 + n + (n % 400) },
    });
    insert.run(n, prompt, completion, request.hash, response.hash, request.bytes, response.bytes);
  }
  database.exec("commit");
}

function blob(body: object): { hash: string; bytes: number } {
  const content = Buffer.from(JSON.stringify(body));
  const hash = createHash("sha256").update(content).digest("hex");
  database
    .prepare(
      "insert into blobs (hash, codec, content_type, bytes, data) values (?, 'zstd', 'application/json', ?, ?) on conflict do nothing",
    )
    .run(hash, BigInt(content.length), zstdCompressSync(content));
  return { hash, bytes: content.length };
}

/** Takes away what can be built at the end, and answers the statements that build it. */
function dropIndexes(): string[] {
  const found = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in ('requests', 'properties')",
    )
    .raw(true)
    .all() as [string, string][];
  for (const [name] of found) database.exec(`drop index ${name}`);
  return found.map(([, sql]) => sql);
}

/** `h` is a hash of the row's number; `a`, `b` and `c` are independent parts of it from 0 to 999. */
function insertStep(from: number, to: number): void {
  database.exec("begin");
  database
    .prepare(
      `insert into requests (seq, request_id, organization_id, key_id, gateway_user, auth_hash, method, target_url, request_path,
        country_code, provider, request_model, response_model, model, request_created_at, response_created_at, updated_at,
        response_id, response_status, outcome, delay_ms, time_to_first_token, prompt_tokens, completion_tokens, total_tokens,
        prompt_cache_read_tokens, cost, cost_source, user_id, session_id, session_name, session_path, prompt_id,
        experiment_id, cache_enabled, cached, streamed, size_bytes, wire_schema, properties, prompt_inputs, scores,
        feedback_id, feedback_rating, feedback_created_at)
      with numbers as (
        select value as v, (value * 2654435761) % 4294967296 as h from generate_series(?1, ?2)
      ), parts as (
        select v, h, h % 1000 as a, (h / 1000) % 1000 as b, (h / 1000000) % 1000 as c,
          ?3 + cast((v - ?4) * ?5 as integer) as created from numbers
      )
      select v, printf('%08x-%04x-7%03x-%04x-%012x', created >> 16, created & 65535, h & 4095, 32768 | (h >> 12 & 16383), v),
        ?6, 'seed', 'seed', 'seed', 'POST', m.host || '/v1/chat/completions', '/v1/chat/completions',
        case when b % 4 = 0 then null else substr('DEFRGBUSINJPBRZA', 1 + b % 8 * 2, 2) end, m.provider, m.name, m.name, m.name,
        created, created + 200 + c * 5, created + 200 + c * 5, 'chatcmpl-' || v,
        case when a < 20 then 500 when a < 35 then 429 else 200 end, case when a < 20 then 'upstream_failed' else 'complete' end,
        200 + c * 5 + b / 10.0, case when b % 2 = 0 then 80 + c / 2.0 end, 40 + b * 3, c, 40 + b * 3 + c,
        case when a % 3 = 0 then b end, case when a < 35 then null else (40 + b * 3) * m.price / 1e6 + c * m.price * 4 / 1e6 end,
        'seed', case when a % 10 = 0 then null else 'user-' || (h % 5000) end,
        case when b % 2 = 0 then 'session-' || (v / 12) end, case when b % 2 = 0 then 'Support' end,
        case when b % 2 = 0 then '/chat' end, case when c % 5 = 0 then 'prompt-' || (c % 7) end,
        case when a = 500 then 'experiment-1' end, c % 8 = 0, c % 40 = 0, b % 2 = 0, p.request_bytes + p.response_bytes, 'openai_chat',
        json_object('Environment', case when a < 700 then 'production' when a < 900 then 'staging' else 'development' end,
          'Team', 'team-' || (b % 20), 'Feature', 'feature-' || (c % 50), 'Customer', 'customer-' || (h % 20000)),
        case when c % 5 = 0 then json_object('city', 'city-' || (b % 30)) else '{}' end,
        case when a % 20 = 0 then json_object('quality', c / 1000.0) else '{}' end,
        case when a % 25 = 0 then v end, case when a % 25 = 0 then b % 3 > 0 end, case when a % 25 = 0 then created + 60000 end
      from parts join temp.model m on m.n = (b * 7 + c) % ?7 join temp.pool p on p.n = h % 2000`,
    )
    .run(from, to, start, firstSeq, (30 * 86_400_000) / records, organization, MODELS.length);
  const rows =
    "from requests r join temp.pool p on p.n = ((r.seq * 2654435761) % 4294967296) % 2000 where r.seq between ? and ?";
  database.prepare(`insert into texts select r.request_id, p.prompt, p.completion ${rows}`).run(from, to);
  database
    .prepare(
      `insert into bodies (request_id, part, form, bytes, codec, blob_hash)
      select r.request_id, part.column1, 'json', case part.column1 when 'request' then p.request_bytes else p.response_bytes end, 'zstd',
        case part.column1 when 'request' then p.request_hash else p.response_hash end
      ${rows.replace("where", "cross join (values ('request'), ('response')) part where")} order by r.request_id, part.column1`,
    )
    .run(from, to);
  database.exec("commit");
}

/** In the order of the table's key, which is its own index. */
function insertProperties(kind: 0 | 1, column: "properties" | "prompt_inputs"): void {
  database
    .prepare(
      `insert into properties (organization_id, kind, name, value, request_created_at, seq, cost)
      select r.organization_id, ?, j.key, j.value, r.request_created_at, r.seq, r.cost from requests r, json_each(r.${column}) j
      where r.seq >= ? order by j.key, j.value, r.request_created_at, r.seq`,
    )
    .run(kind, firstSeq);
}

function countModels(): void {
  database.exec(`insert into models (organization_id, provider, model, state, count, since, reason)
    select organization_id, provider, model, 'mapped', count(*), min(request_created_at), null from requests
    where seq >= ${firstSeq} group by organization_id, provider, model
    on conflict (organization_id, provider, model) do update set count = count + excluded.count`);
}
