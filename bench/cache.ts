/**
 * Milliseconds that a cached response takes, one request after another on one connection, beside the same request sent to
 * the provider through Weir; for a small response, a stream and a large request body.
 *
 * Claim: at most 1 ms at the median for a hit. Run: `bun bench/cache.ts [--requests 2000]`.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { gatewayHeaders, startWeir } from "../test/e2e/weir.ts";
import { quantile, spread } from "./measured.ts";

const { values } = parseArgs({ options: { requests: { type: "string", default: "2000" } } });
const requests = Number(values.requests);
const MEDIAN_MS_MAX = 1;

const RESPONSE = JSON.stringify({
  id: "c-1",
  choices: [{ message: { role: "assistant", content: "deep ".repeat(100) } }],
});
const EVENTS = Array.from({ length: 100 }, (_, at) => `data: {"choices":[{"delta":{"content":"word ${at}"}}]}\n\n`);

const server = http.createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.url === "/stream") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of EVENTS) response.write(event);
      response.end();
    } else response.writeHead(200, { "content-type": "application/json" }).end(RESPONSE);
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

await using weir = await startWeir();
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request. @returns how long it took, in ms, and what the cache said. */
function send(path: string, body: string, cached: boolean): Promise<{ ms: number; cache: string | undefined }> {
  const headers = gatewayHeaders(target, {
    "Content-Type": "application/json",
    Authorization: "Bearer key",
    ...(cached && { "Gateway-Cache-Enabled": "true" }),
  });
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(weir.gateway + path, { method: "POST", agent, headers }, (response) => {
      response.resume().on("end", () => {
        const cache = response.headers["gateway-cache"];
        resolve({ ms: performance.now() - startedAt, cache: cache?.toString() });
      });
    });
    request.on("error", reject).end(body);
  });
}

let failed = false;
for (const [name, path, bytes] of [
  ["answer of 600 bytes", "/answer", 600],
  ["stream of 100 events", "/stream", 600],
  ["request of 500 kB", "/answer", 500_000],
] as const) {
  const content = "How deep is the river? ".repeat(Math.ceil(bytes / 23));
  const body = JSON.stringify({ model: "m-1", messages: [{ role: "user", content }] });
  await send(path, body, true);
  const rounds = bytes > 10_000 ? Math.ceil(requests / 10) : requests;
  const hits: number[] = [];
  const plain: number[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    const hit = await send(path, body, true);
    if (hit.cache !== "HIT") throw new Error(`${name}: the cache said ${hit.cache}`);
    hits.push(hit.ms);
    plain.push((await send(path, body, false)).ms);
  }
  // The first ones warm both sides up.
  const warm = Math.ceil(rounds / 10);
  console.log(`${name}: hit ${spread(hits.slice(warm))}; without the cache ${spread(plain.slice(warm))}`);
  if (bytes < 10_000 && quantile(hits.slice(warm), 0.5) > MEDIAN_MS_MAX) failed = true;
}
agent.destroy();
server.closeAllConnections();
server.close();
if (failed) console.error(`a hit took more than ${MEDIAN_MS_MAX} ms at the median`);
process.exitCode = failed ? 1 : 0;
