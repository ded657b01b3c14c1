import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startReceiver } from "../jobs/receiver.ts";
import { startCollector } from "../otlp/collector.ts";
import { startRawUpstream } from "./raw.ts";
import { callApi, gatewayHeaders, KEY, recordOf, runCommand, startWeir, until } from "./weir.ts";

const plant = (where: string) => `plntd-${where}-${"kX9q".repeat(6)}`;

test("credentials at the top level of bodies are in no webhook, span or export without bodies; stored bodies have them", async () => {
  const failed = JSON.stringify({ error: { message: `no such key: sk-${plant("error")}` }, token: plant("answer") });
  const upstream = await startRawUpstream(
    () =>
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${failed.length}\r\n\r\n${failed}`,
  );
  using receiver = startReceiver();
  await using collector = await startCollector();
  const folder = mkdtempSync(join(tmpdir(), "weir-leaving-"));
  writeFileSync(
    join(folder, "weir.toml"),
    `[plugins.otlp]\nendpoint = "${collector.address}"\ninterval_ms = 20\nlabels = true\n`,
  );
  const weir = await startWeir({ dataDirectory: folder });
  const made = await callApi(weir, "/v1/webhooks", {
    method: "POST",
    body: JSON.stringify({
      url: receiver.url,
      include_body: true,
      fields: ["model", "error_message", "request_user_id"],
    }),
  });
  expect(made.status).toBe(200);
  const requestBody = JSON.stringify({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "hi" }],
    api_key: plant("member"),
    user: `sk-${plant("user")}`,
    extra: `ghp_${plant("form")}`,
  });
  const form = `model=m&client_secret=${plant("field")}&n=1`;
  const send = async (body: string, type: string) => {
    const headers = gatewayHeaders(upstream.origin, { "content-type": type, "Gateway-Target-Provider": "openai" });
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, { method: "POST", headers, body });
    await response.text();
    return response.headers.get("gateway-id")!;
  };
  const ids = [await send(requestBody, "application/json"), await send(form, "application/x-www-form-urlencoded")];
  for (const id of ids) await recordOf(weir, id);
  const delivered = (await receiver.waitFor(2)).map(({ text }) => text).join("\n");
  await until(
    () => collector.spans().length > 0,
    180_000,
    () => "no span came",
  );
  const env = { ...weir.env, WEIR_API_KEY: KEY, WEIR_API_URL: weir.api };
  const exported = (await runCommand(env, "export", "-o", "-", "--quiet")).stdout;
  expect(delivered).toContain('"api_key":"***"');
  expect(delivered).toContain("client_secret=***&n=1");
  expect(exported.trim().split("\n")).toHaveLength(2);
  for (const left of [delivered, exported, JSON.stringify(collector.batches)]) expect(left).not.toContain("plntd");
  const stored = await (await callApi(weir, `/v1/request/${ids[0]}/body`)).text();
  for (const where of ["member", "user", "form", "error", "answer"]) expect(stored).toContain(plant(where));
  await weir.stop();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}, 300_000);
