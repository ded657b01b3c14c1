import type { ClickHouse } from "../src/engine/clickhouse/client.ts";
import { literal } from "../src/engine/clickhouse/literal.ts";
import { PACKED_SIZE_MAX } from "../src/engine/libsql/write/pack-excerpts.ts";
import { beginning, EXCERPT_MAX } from "../src/record/excerpt.ts";
import { INPUTS, type Named, PROPERTIES } from "./seed-properties.ts";
import { exchangeOf, MODELS, POOL } from "./seed-texts.ts";

export interface Seeding {
  readonly organizationId: string;
  readonly records: number;
  /** As `seed.ts` took it: records are those of the 30 days before, in milliseconds since 1970. */
  readonly start: number;
  /** Called every few seconds with the number of records. */
  readonly onProgress: (records: number) => void;
}

const STEP = 250_000;

/**
 * Makes the records of `seed.ts` inside of ClickHouse, from their numbers alone: as a copy they would take hours. What
 * a record is made of stands in `insertRequests` of `seed-fill.ts`, in the same order; `sumsOf` tells whether both made the same.
 */
export async function seedClickHouse(client: ClickHouse, seeding: Seeding): Promise<void> {
  await client.command(
    "create table pool (n UInt64, size Int64, input Nullable(String), output Nullable(String)) engine = MergeTree order by n",
  );
  await client.insert(
    "pool",
    Array.from({ length: POOL }, (_, n) => ({ n, ...pooled(n) })),
  );
  for (let from = 1; from <= seeding.records; from += STEP) {
    const count = Math.min(STEP, seeding.records - from + 1);
    await client.command(insertRequests(seeding, from, count), { deadlineMs: 3_600_000, settings: { max_threads: 1 } });
    seeding.onProgress(from + count - 1);
  }
  await client.command("drop table pool");
}

function pooled(n: number) {
  const { prompt, completion, request, response } = exchangeOf(n);
  const size = Buffer.byteLength(JSON.stringify(request) + JSON.stringify(response));
  if (size > PACKED_SIZE_MAX) return { size };
  return { size, input: beginning(prompt, EXCERPT_MAX), output: beginning(completion, EXCERPT_MAX) };
}

const mapOf = (named: readonly Named[]) =>
  `mapFilter((k, x) -> x != '', map(${named.map(({ name, value, has }) => `'${name}', if(${has}, ${value}, '')`).join(", ")}))`;
const ofModel = (member: 0 | 1 | 2 | 3) => `[${MODELS.map((model) => literal(model[member])).join(", ")}][m + 1]`;
const hex = (value: string, digits: number) => `leftPad(lower(hex(toUInt64(${value}))), ${digits}, '0')`;

function columnsOf({ organizationId }: Seeding): Readonly<Record<string, string>> {
  const ended = "created + 200 + c * 5";
  const seed = "'seed'";
  return {
    request_id: `concat(${hex("intDiv(created, 65536)", 8)}, '-', ${hex("created % 65536", 4)}, '-7', right(${hex("h % 4096", 4)}, 3), '-',
      ${hex("32768 + intDiv(h, 4096) % 16384", 4)}, '-', ${hex("v", 12)})`,
    organization_id: literal(organizationId),
    ...{ key_id: seed, gateway_user: seed, auth_hash: seed, method: "'POST'", cost_source: seed },
    target_url: `${ofModel(3)} || '/v1/chat/completions'`,
    request_path: "'/v1/chat/completions'",
    country_code: "if(b % 4 = 0, null, substring('DEFRGBUSINJPBRZA', 1 + b % 8 * 2, 2))",
    provider: ofModel(0),
    ...{ request_model: ofModel(1), response_model: ofModel(1), model: ofModel(1) },
    ...{ request_created_at: "created", response_created_at: ended, updated_at: ended },
    response_id: "'chatcmpl-' || v",
    response_status: "multiIf(a < 20, 500, a < 35, 429, 200)",
    outcome: "if(a < 20, 'upstream_failed', 'complete')",
    delay_ms: "200 + c * 5 + b / 10.0",
    time_to_first_token: "if(b % 2 = 0, 80 + c / 2.0, null)",
    ...{ prompt_tokens: "40 + b * 3", completion_tokens: "c", total_tokens: "40 + b * 3 + c" },
    prompt_cache_read_tokens: "if(a % 3 = 0, b, null)",
    cost: "if(a < 35, null, (40 + b * 3) * price / 1e6 + c * price * 4 / 1e6)",
    user_id: "if(a % 10 = 0, null, 'user-' || (h % 5000))",
    session_id: "if(b % 2 = 0, 'session-' || intDiv(v, 12), null)",
    session_name: "if(b % 2 = 0, 'Support', null)",
    session_path: "if(b % 2 = 0, '/chat', null)",
    prompt_id: "if(c % 5 = 0, 'prompt-' || (c % 7), null)",
    experiment_id: "if(a = 500, 'experiment-1', null)",
    ...{ cache_enabled: "c % 8 = 0", cached: "c % 40 = 0", streamed: "b % 2 = 0" },
    size_bytes: "size",
    wire_schema: "'chat-completions'",
    properties: mapOf(PROPERTIES),
    prompt_inputs: mapOf(INPUTS),
    scores: "if(a % 20 = 0, map('quality', c / 1000.0), cast(map(), 'Map(String, Float64)'))",
    feedback_id: "if(a % 25 = 0, v, null)",
    feedback_rating: "if(a % 25 = 0, b % 3 > 0, null)",
    feedback_created_at: "if(a % 25 = 0, created + 60000, null)",
    ...{ storage_location: "'libsql'", gateway_warnings: "'[]'", ai_gateway_body_mapping: "'NO_MAPPING'" },
    ...{ input: "input", output: "output" },
  };
}

function insertRequests(seeding: Seeding, from: number, count: number): string {
  const columns = columnsOf(seeding);
  const everyMs = (30 * 86_400_000) / seeding.records;
  const names = Object.keys(columns).join(", ");
  return `insert into requests (${names}, whole)
    with v * 2654435761 % 4294967296 as h, ${seeding.start} + toInt64(v * toFloat64(${everyMs})) as created,
      h % 1000 as a, intDiv(h, 1000) % 1000 as b, intDiv(h, 1000000) % 1000 as c,
      (b * 7 + c) % ${MODELS.length} as m, ${ofModel(2)} as price
    select ${Object.entries(columns)
      .map(([name, value]) => `${value} as ${name}`)
      .join(",\n")}, formatRowNoNewline('JSONEachRow', ${names})
    from (select number as v from numbers(${from}, ${count})) s join pool p on p.n = v * 2654435761 % 4294967296 % ${POOL}`;
}
