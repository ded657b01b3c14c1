import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream, type Upstream } from "../e2e/upstream.ts";
import { gatewayHeaders, recordOf, startWeir, type Weir } from "../e2e/weir.ts";
import { until } from "../until.ts";
import { startCollector } from "./collector.ts";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** A service whose plugin has these lines in its table. */
async function exporting(table: string): Promise<Weir & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "weir-otlp-"));
  writeFileSync(join(folder, "weir.toml"), `[plugins.otlp]\n${table}\n`);
  return Object.assign(await startWeir({ dataDirectory: folder }), { folder });
}

function ask(weir: Weir, headers: Readonly<Record<string, string>> = {}, body: object = {}) {
  return fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: gatewayHeaders(upstream.origin, { "content-type": "application/json", ...headers }),
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "a secret question" }], ...body }),
  });
}

test("each request has a span by the conventions for generative AI, in the client's trace", async () => {
  await using collector = await startCollector();
  const weir = await exporting(
    `endpoint = "${collector.address}"\ninterval_ms = 20\nservice_name = "gateway-a"\nheaders = { "x-team" = "blue" }\nresource = { "deployment.environment.name" = "test" }`,
  );
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const response = await ask(
    weir,
    {
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      tracestate: "vendor=1",
      "Gateway-Session-Id": "s-1",
      "Gateway-User-Id": "ann",
      "Gateway-Property-Team": "blue",
      "Gateway-Target-Provider": "openai",
    },
    { temperature: 0.5, max_tokens: 64, stream: true, stream_options: { include_usage: true } },
  );
  await response.text();
  const id = response.headers.get("gateway-id")!;
  const record = await recordOf(weir, id);
  await until(
    () => collector.spans().length === 1,
    180_000,
    () => "no span came",
  );
  const [batch] = collector.batches;
  expect(batch).toMatchObject({
    path: "/v1/traces",
    resource: { "service.name": "gateway-a", "deployment.environment.name": "test" },
  });
  expect(batch!.headers).toMatchObject({ "x-team": "blue", "content-type": "application/json" });
  const [span] = batch!.spans;
  expect(span).toMatchObject({
    traceId,
    spanId: id.replaceAll("-", "").slice(16),
    parentSpanId: "00f067aa0ba902b7",
    traceState: "vendor=1",
    name: "chat gpt-4o-mini",
    kind: 3,
    status: { code: 0 },
  });
  expect(span!.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.system": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.max_tokens": 64,
    "gen_ai.response.model": record["response_model"],
    "gen_ai.response.id": record["response_id"],
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": record["prompt_tokens"],
    "gen_ai.usage.output_tokens": record["completion_tokens"],
    "gen_ai.conversation.id": "s-1",
    "server.address": "127.0.0.1",
    "server.port": upstream.port,
    "http.response.status_code": 200,
    "weir.request.id": id,
    "weir.cost.usd": record["cost"],
    "weir.streamed": true,
    "user.id": "ann",
    "weir.property.Team": "blue",
  });
  expect(span!.attributes["error.type"]).toBeUndefined();
  const lasted = (BigInt(span!.endTimeUnixNano) - BigInt(span!.startTimeUnixNano)) / 1_000_000n;
  expect(Math.abs(Number(lasted) - record["delay_ms"])).toBeLessThanOrEqual(2);
  expect(JSON.stringify(collector.batches)).not.toContain("a secret question");
  expect(weir.log()).not.toContain("blue");
  await weir.stop();
  rmSync(weir.folder, { recursive: true });
}, 300_000);

test("failures have their kind; unsampled traces and requests that ask no model have no span", async () => {
  await using collector = await startCollector();
  const weir = await exporting(`endpoint = "${collector.address}/v1/traces"\ninterval_ms = 20\nlabels = false`);
  await (await ask(weir, { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00" })).text();
  await (await fetch(`${weir.gateway}/v1/files`, { headers: gatewayHeaders(upstream.origin) })).text();
  const failed = await ask(weir, { "Gateway-Target-Url": "http://127.0.0.1:1", "Gateway-Property-Team": "blue" });
  await failed.text();
  await (await ask(weir)).text();
  await until(
    () => collector.spans().length === 2,
    180_000,
    () => `${collector.spans().length} spans came`,
  );
  const [broken] = collector.spans();
  expect(broken).toMatchObject({
    traceId: failed.headers.get("gateway-id")!.replaceAll("-", ""),
    status: { code: 2 },
    attributes: { "error.type": "upstream_unreachable", "http.response.status_code": 502 },
  });
  expect(broken!.parentSpanId).toBeUndefined();
  expect(broken!.attributes["weir.property.Team"]).toBeUndefined();
  await until(
    async () => (await (await fetch(`${weir.api}/metrics`)).text()).includes('counter="spans_unsampled"} 1'),
    180_000,
    () => "unsampled spans are not counted",
  );
  await until(
    async () => (await (await fetch(`${weir.api}/metrics`)).text()).includes('counter="spans_exported"} 2'),
    180_000,
    () => "exported spans are not counted",
  );
  await weir.stop();
  rmSync(weir.folder, { recursive: true });
}, 300_000);

test("a collector that stalls delays no record; what the queue cannot hold is dropped and counted", async () => {
  await using collector = await startCollector(() => "stall");
  const weir = await exporting(
    `endpoint = "${collector.address}"\ninterval_ms = 10\nqueue_spans = 5\nbatch_spans = 2\ntimeout_ms = 60000`,
  );
  const responses = await Promise.all(Array.from({ length: 20 }, () => ask(weir)));
  for (const response of responses) await recordOf(weir, response.headers.get("gateway-id")!);
  // The hook comes after the commit that made the last record visible.
  await until(
    async () => (await (await fetch(`${weir.api}/metrics`)).text()).includes('counter="spans_dropped"} 15'),
    180_000,
    () => "dropped spans are not counted",
  );
  expect(await weir.stop()).toBe(0);
  rmSync(weir.folder, { recursive: true });
}, 300_000);

test("a batch that the collector refuses temporarily is retried, and waiting batches are sent at a stop", async () => {
  await using collector = await startCollector((batch) =>
    batch < 2 ? { status: 503, headers: { "retry-after": "0" } } : { status: 200 },
  );
  const weir = await exporting(`endpoint = "${collector.address}"\ninterval_ms = 50`);
  await (await ask(weir)).text();
  await until(
    () => collector.batches.length === 3,
    180_000,
    () => `${collector.batches.length} tries came`,
  );
  expect(new Set(collector.spans().map(({ spanId }) => spanId)).size).toBe(1);
  await weir.stop();

  writeFileSync(
    join(weir.folder, "weir.toml"),
    `[plugins.otlp]\nendpoint = "${collector.address}"\ninterval_ms = 600000\n`,
  );
  const second = await startWeir({ dataDirectory: weir.folder });
  const last = await ask(second);
  await last.text();
  expect(await second.stop()).toBe(0);
  expect(collector.spans().at(-1)!.attributes["weir.request.id"]).toBe(last.headers.get("gateway-id"));
  rmSync(weir.folder, { recursive: true });
}, 300_000);

test("bad options stop the start, and without an endpoint nothing is counted", async () => {
  await expect(exporting('endpoint = "ftp://collector"')).rejects.toThrow(/endpoint/);
  await using weir = await startWeir();
  await (await ask(weir)).text();
  expect(await (await fetch(`${weir.api}/metrics`)).text()).not.toContain('plugin="otlp"');
}, 300_000);
