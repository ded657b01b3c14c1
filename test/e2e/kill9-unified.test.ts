import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chance } from "../chance.ts";
import { bodyPart, callApi, KEY, queryIds, startWeir, until, type Weir } from "./weir.ts";

const random = chance("moments of kills at the unified address");

const chat = (model: string, mark: string, stream: boolean) =>
  JSON.stringify({ messages: [{ role: "user", content: `✓ ${mark}`.repeat(40) }], model, stream });

const ask = ({ gatewayPort }: Weir, body: string) =>
  fetch(`http://127.0.0.1:${gatewayPort}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" },
    body,
  });

/** A provider that responds slowly enough to be cut off, and keeps the body of each request. */
async function startProvider() {
  const got: string[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    if (request.method === "GET") return void response.end('{"data":[]}'); // its models
    got.push(body);
    const stream = JSON.parse(body).stream === true;
    response.setHeader("Content-Type", stream ? "text/event-stream" : "application/json");
    if (!stream) return void response.end('{"choices":[]}');
    for (let at = 0; at < 20 && !response.destroyed; at++) {
      response.write(`data: {"choices":[{"delta":{"content":"${at}"}}]}\n\n`);
      await new Promise((wake) => setTimeout(wake, 5));
    }
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    got,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("after kill -9 the record of each id that a client saw has its request and the provider's, byte for byte", async () => {
  await using provider = await startProvider();
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-kill9-unified-"));
  let weir = await startWeir({ dataDirectory });
  try {
    const credential = { provider: "groq", name: "groq", base_url: provider.origin, private: true, api_key: "k" };
    await callApi(weir, "/v1/credentials", { method: "POST", body: JSON.stringify(credential) });
    await until(async () => (await ask(weir, chat("groq/m-1", "first", false))).status === 200);
    for (let round = 0; round < 2; round++) {
      const seen = new Map<string, string>();
      let stopped = false;
      const clients = Array.from({ length: 12 }, async (_, client) => {
        for (let at = 0; !stopped; at++) {
          const body = chat("groq/m-1", `${round}-${client}-${at}`, (client + at) % 2 === 0);
          try {
            const response = await ask(weir, body);
            expect(response.status).toBe(200);
            seen.set(response.headers.get("gateway-id")!, body);
            await response.arrayBuffer();
          } catch {
            await new Promise((wake) => setTimeout(wake, 10));
          }
        }
      });
      await until(
        async () => seen.size > 60,
        180_000,
        () => "no load came up",
      );
      await new Promise((wake) => setTimeout(wake, random.number() * 300));
      stopped = true;
      await weir.kill();
      await Promise.all(clients);
      weir = await startWeir({ dataDirectory });
      const ids = [...seen.keys()];
      const ended = async () => {
        const records = await queryIds(weir, ids);
        return records.length === ids.length && records.every(({ response_status: status }) => status !== null);
      };
      await until(ended, 180_000, () => "records are missing");
      const got = new Set(provider.got);
      for (const [id, body] of seen) {
        expect((await bodyPart(weir, id, "request&raw=true")).toString()).toBe(body);
        const sent = (await bodyPart(weir, id, "provider_request&raw=true")).toString();
        expect(sent).toBe(body.replace("groq/m-1", "m-1"));
        expect(got.has(sent)).toBe(true);
      }
    }
  } finally {
    await weir.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);
