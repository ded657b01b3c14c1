/**
 * Runs the readers over a folder of recorded exchanges and prints one line per provider, then every disagreement.
 *
 *   bun build/conformance.ts <folder>
 *
 * A file has one exchange: `request` (method, url, headers, body), `response` (status, headers, and `body`, or `body_base64`
 * if it is binary), `expect` (model, stream, token counts as sent, text, tool_calls) and `expect_more`. Counts in `expect`
 * are as on the wire; `inclusiveCounts` converts them to a record's.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { createLog } from "../src/log.ts";
import { isObject } from "../src/mapping/json.ts";
import { readExchange, toLlmSchema } from "../src/mapping/read-exchange.ts";
import type { Json } from "../src/plugin-host/contract.ts";
import { loadRegistry } from "../src/plugin-host/providers/registry.ts";
import { LlmSchema } from "../src/record/llm-schema.ts";
import { shippedFolder } from "../src/runtime/platform.ts";
import { type Check, compare } from "../test/providers/compare.ts";
import { recordedResponse } from "../test/providers/recording.ts";

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: bun build/conformance.ts <folder>");
  process.exit(2);
}

const providers = await loadRegistry({
  directories: [{ path: shippedFolder("providers"), builtIn: true }],
  log: createLog({ level: "warn", format: "text" }),
});
const rows = new Map<string, { exchanges: number; passed: Record<string, number> }>();
const disagreements: string[] = [];

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()) {
  const recording: Json = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const checks = await runOne(recording);
  const row = rows.get(recording.provider) ?? { exchanges: 0, passed: {} };
  rows.set(recording.provider, row);
  row.exchanges++;
  for (const { name, ok, wanted, found } of checks) {
    row.passed[name] = (row.passed[name] ?? 0) + Number(ok);
    if (!ok) disagreements.push(`${recording.name}: ${name} wanted ${wanted}, found ${found}`);
  }
}

async function runOne(recording: Json): Promise<Check[]> {
  const { request, response } = recording;
  const url = new URL(request.url);
  const provider = providers.providerByHost(url.hostname);
  const requestBody = isObject(request.body) ? request.body : undefined;
  const path = url.pathname + url.search;
  const reading = readExchange({
    method: request.method,
    path,
    host: url.hostname,
    requestHeaders: new Headers(request.headers),
    requestBody,
    status: response.status,
    responseHeaders: new Headers(response.headers),
    provider,
    ...(await recordedResponse(recording)),
    modelOverride: undefined,
  });
  const schema = toLlmSchema({
    wireSchema: reading.wireSchema,
    provider: provider?.name ?? "CUSTOM",
    model: reading.model ?? reading.requestModel ?? null,
    path,
    requestBody,
    responseBody: reading.responseBody,
    status: response.status,
  });
  const problem = schema === null ? undefined : Value.Errors(LlmSchema, schema).First();
  const valid = {
    name: "schema",
    ok: problem === undefined,
    wanted: "valid",
    found: `${problem?.path} ${problem?.message}`,
  };
  return [...compare(recording, reading, schema, request.method), valid];
}

const names = [
  "model",
  "request model",
  "prompt",
  "completion",
  "total",
  "cache",
  "reasoning",
  "text",
  "tools",
  "error",
  "cost",
  "schema",
];
const line = (cells: readonly string[]) =>
  cells
    .map((cell, at) => (at === 0 ? cell.padEnd(14) : cell.padStart(Math.max(5, names[at - 2]?.length ?? 5))))
    .join("  ");
console.log(line(["provider", "n", ...names]));
for (const [provider, { exchanges, passed }] of rows) {
  console.log(line([provider, `${exchanges}`, ...names.map((name) => `${passed[name] ?? 0}`)]));
}
for (const disagreement of disagreements) console.log(disagreement);
console.log(
  `${[...rows.values()].reduce((sum, row) => sum + row.exchanges, 0)} exchanges, ${disagreements.length} disagreements`,
);
process.exit(disagreements.length === 0 ? 0 : 1);
