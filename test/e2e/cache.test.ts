import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callApi, gatewayHeaders, recordOf, startWeir, until, type Weir } from "./weir.ts";

const BODY = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "How deep?" }] });

/** Serves chat completions with usage, as a stream if requested, and counts its calls. */
async function startChat() {
  let calls = 0;
  const server = createServer((request, response) => {
    request
      .on("data", () => undefined)
      .on("end", () => {
        calls++;
        const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
        const message = { role: "assistant", content: `deep ${calls}` };
        const whole = {
          id: `c-${calls}`,
          model: "gpt-4o-mini",
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage,
        };
        if (request.url !== "/v1/chat/completions?stream") {
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
          return;
        }
        const chunk = { ...whole, choices: [{ index: 0, delta: message, finish_reason: "stop" }] };
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function ask(weir: Weir, target: string, path: string) {
  const headers = gatewayHeaders(target, {
    "Gateway-Cache-Enabled": "true",
    "Gateway-Target-Provider": "openai",
    "Content-Type": "application/json",
    Authorization: "Bearer provider-key",
  });
  const response = await fetch(weir.gateway + path, { method: "POST", headers, body: BODY, keepalive: false });
  const { headers: got } = response;
  return { id: got.get("gateway-id")!, cache: got.get("gateway-cache"), body: await response.text() };
}

test("a hit costs nothing, is a record with full bodies, and is found after kill -9", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-cache-e2e-"));
  try {
    await using chat = await startChat();
    const paths = ["/v1/chat/completions", "/v1/chat/completions?stream"];
    const first = await startWeir({ dataDirectory });
    const misses = [];
    for (const path of paths) misses.push(await ask(first, chat.origin, path));
    expect(misses.map(({ cache }) => cache)).toEqual(["MISS", "MISS"]);
    await stored(first, 2);
    await first.kill();

    await using weir = await startWeir({ dataDirectory });
    for (const [at, path] of paths.entries()) {
      const miss = misses[at]!;
      const hit = await ask(weir, chat.origin, path);
      expect(hit).toEqual({ id: expect.any(String), cache: "HIT", body: miss.body });
      const [paid, free] = [await recordOf(weir, miss.id), await recordOf(weir, hit.id)];
      expect(paid).toMatchObject({ cached: false, cache_enabled: true, cache_reference_id: null });
      expect(paid["cost"]).toBeGreaterThan(0);
      const { request_body, response_body, total_tokens, streamed, llmSchema } = paid;
      expect(free).toMatchObject({
        ...{ request_body, response_body, total_tokens, streamed, llmSchema },
        cached: true,
        cache_enabled: true,
        cache_reference_id: miss.id,
        cost: 0,
        costUSD: 0,
        cost_source: "cache",
        response_status: 200,
        time_to_first_token: null,
      });
      expect(Date.now() - Date.parse(free["cache_created_at"])).toBeWithin(0, 600_000);
    }
    expect(chat.calls()).toBe(2);
    const { data } = (await (await callApi(weir, "/v1/cache")).json()) as { data: Record<string, number> };
    expect(data).toMatchObject({ hits: 2, misses: 2, hit_rate: 0.5, entries: 2, saved_tokens: 2_200 });
    expect(data["saved_cost"]).toBeGreaterThan(0);

    expect(await (await callApi(weir, "/v1/cache", { method: "DELETE" })).json()).toEqual({ data: 2, error: null });
    expect((await ask(weir, chat.origin, paths[0]!)).cache).toBe("MISS");
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}, 300_000);

/** Waits until so many responses are in their files. */
async function stored(weir: Weir, count: number): Promise<void> {
  const files = () => {
    const directory = join(weir.dataDirectory, "cache");
    const names = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: "utf8" }) : [];
    return names.filter((name) => name.includes("/") && !name.includes("unfinished"));
  };
  await until(
    () => files().length === count,
    180_000,
    () => `there are not ${count} files`,
  );
}
