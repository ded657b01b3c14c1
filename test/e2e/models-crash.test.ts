import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callApi, gatewayHeaders, queryIds, startWeir, until } from "./weir.ts";

const MAPPING = {
  format: 1,
  request: { prompt: "/ask" },
  response: { text: "/say", usage: { prompt_tokens: "/n/in" } },
};

test("a program that is killed while it reads records again continues at the next start", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-models-"));
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify({ say: "a few words", n: { in: 7 } })));
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const first = await startWeir({ dataDirectory });
  const ids: string[] = [];
  for (let round = 0; round < 30; round++) {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${first.gateway}/ask`, {
          method: "POST",
          headers: { ...gatewayHeaders(target), "content-type": "application/json" },
          body: JSON.stringify({ model: "m", ask: "how are you" }),
        }),
      ),
    );
    for (const response of responses) {
      await response.text();
      ids.push(response.headers.get("gateway-id")!);
    }
  }
  await queryIds(first, ids);
  const put = await callApi(first, "/v1/models/m/mapping", { method: "PUT", body: JSON.stringify(MAPPING) });
  expect(put.status).toBe(200);
  await first.kill();

  await using second = await startWeir({ dataDirectory });
  await until(
    async () => (await queryIds(second, ids)).filter((record) => record["prompt_tokens"] === 7).length === ids.length,
    180_000,
    () => "not all records were read again",
    200,
  );
  await second.stop();
  server.close();
  rmSync(dataDirectory, { recursive: true, force: true });
}, 300_000);
