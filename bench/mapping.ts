import { Value } from "@sinclair/typebox/value";
import { readBody } from "../src/bodies/body.ts";
import { CONFIG_SCHEMA, type Config } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { inferMapping } from "../src/mapping/infer/infer.ts";
import { costOf } from "../src/mapping/prices/cost.ts";
import { readExchange } from "../src/mapping/read-exchange.ts";
import { pluginFolders } from "../src/plugin-host/files/load.ts";
import { loadRegistry } from "../src/plugin-host/providers/registry.ts";
import { SHAPES } from "../test/mapping/infer-shapes.ts";

/**
 * How fast the recorder's reading path is, on one thread and without a database: bytes to JSON or events, model, usage,
 * texts, cost. `bun bench/mapping.ts [seconds for each kind]` prints records and megabytes a second.
 */
const seconds = Number(process.argv[2] ?? 2);
const config = Value.Default(CONFIG_SCHEMA, {}) as Config;
const log = createLog({ level: "warn", format: "text" });
const registry = await loadRegistry({
  directories: pluginFolders("provider", { ...config, providers_dir: "", plugins_dir: "" }),
  log,
});

const HEADERS = new Headers();

interface Kind {
  readonly name: string;
  readonly provider: string;
  readonly path: string;
  readonly request: Buffer;
  readonly response: Buffer;
  readonly type: string;
  readonly mapping?: ReturnType<typeof learn>;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const sse = (events: readonly unknown[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const usage = { prompt_tokens: 900, completion_tokens: 200, total_tokens: 1_100 };
const chunk = (content: string) => ({
  id: "c",
  object: "chat.completion.chunk",
  model: "gpt-4o-mini",
  choices: [{ index: 0, delta: { content } }],
});
const ask = (length: number) =>
  json({ model: "gpt-4o-mini", messages: [{ role: "user", content: "word ".repeat(length / 5) }] });
const responseOf = (length: number) =>
  json({
    id: "c",
    model: "gpt-4o-mini",
    choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(length / 5) } }],
    usage,
  });

function learn() {
  const { samples, model } = SHAPES[0]!;
  const found = inferMapping(samples, model);
  if ("reason" in found) throw new Error(found.reason);
  return found.mapping;
}

const KINDS: readonly Kind[] = [
  {
    name: "chat, 600-byte bodies",
    provider: "OPENAI",
    path: "/v1/chat/completions",
    request: ask(500),
    response: responseOf(300),
    type: "application/json",
  },
  {
    name: "chat, 500 kB history",
    provider: "OPENAI",
    path: "/v1/chat/completions",
    request: ask(500_000),
    response: responseOf(2_000),
    type: "application/json",
  },
  {
    name: "chat stream of 200 events",
    provider: "OPENAI",
    path: "/v1/chat/completions",
    request: ask(500),
    response: sse([...Array.from({ length: 200 }, () => chunk("word ")), { ...chunk(""), usage }]),
    type: "text/event-stream",
  },
  {
    name: "a mapped model",
    provider: "CUSTOM",
    path: "/talk",
    request: json(SHAPES[0]!.fresh.requestBody),
    response: json(SHAPES[0]!.fresh.responseBody),
    type: "application/json",
    mapping: learn(),
  },
];

for (const kind of KINDS) {
  const bytes = kind.request.byteLength + kind.response.byteLength;
  const one = () => read(kind);
  if (one() === undefined) throw new Error(`${kind.name} is not read`);
  for (let i = 0; i < 200; i++) one();
  let records = 0;
  const started = performance.now();
  while (performance.now() - started < seconds * 1_000) {
    for (let i = 0; i < 20; i++) one();
    records += 20;
  }
  const perSecond = records / ((performance.now() - started) / 1_000);
  console.log(
    `${kind.name.padEnd(28)} ${Math.round(perSecond).toString().padStart(8)} records/s ${((perSecond * bytes) / 1e6).toFixed(1).padStart(8)} MB/s`,
  );
}

const started = performance.now();
for (let i = 0; i < 100; i++) for (const { samples, model } of SHAPES) inferMapping(samples, model);
console.log(
  `learning a mapping from 3 samples: ${((performance.now() - started) / (100 * SHAPES.length)).toFixed(2)} ms`,
);

function read({ provider: name, path, request, response, type, mapping }: Kind): number | undefined {
  const context = { path, incomplete: false };
  const requestBody = readBody(request, { ...context, contentType: "application/json", isResponse: false });
  const said = readBody(response, { ...context, contentType: type, isResponse: true });
  const provider = registry.providerByName(name);
  const exchange = {
    method: "POST",
    path,
    host: "api.example.com",
    status: 200,
    requestHeaders: HEADERS,
    responseHeaders: HEADERS,
    requestBody: requestBody.json,
    responseBody: said.events === undefined ? said.json : undefined,
    events: said.events,
    provider,
    modelOverride: undefined,
    ...(mapping && { mappingOf: () => mapping }),
  };
  const reading = readExchange(exchange);
  costOf({
    provider,
    models: [reading.responseModel, reading.requestModel],
    usage: reading.usage,
    usageRaw: reading.usageRaw,
    statedCost: reading.cost,
    exchange,
    at: new Date(),
  });
  return reading.usage?.total_tokens;
}
