import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { events, json, standIn } from "../gateway/unified/house.ts";
import { until } from "../until.ts";
import { KEY, startWeir } from "./weir.ts";

const MESSAGES = { max_tokens: 9, messages: [{ role: "user", content: "hi" }] };
const chunk = { choices: [{ index: 0, delta: { content: "x" }, finish_reason: null }] };

/** A provider that says nothing, begins and goes silent, or fails. */
const provider = standIn(async ({ json: body }) => {
  if (body === undefined) return json({ data: [] });
  if (body.model === "down") return json({ error: { message: "down" } }, 500);
  if (body.model !== "begins") return new Promise<never>(() => {});
  const begun = await events([{ data: chunk }]).bytes();
  const rest = new ReadableStream({ start: (controller) => controller.enqueue(begun) });
  return new Response(rest, { headers: { "content-type": "text/event-stream" } });
});

test("a stop waits for unified requests no longer than its limit, whatever they wait for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-unified-stop-"));
  const credential = `provider = "custom"\napi_key = "env:OWN"\nbase_url = "${provider.origin}/v1"\nprivate = true\n`;
  writeFileSync(join(folder, "weir.toml"), `[credentials.own]\n${credential}`);
  try {
    const weir = await startWeir({ dataDirectory: folder, env: { OWN: "own", WEIR_DRAIN_SECONDS: "1" } });
    const ask = (path: string, model: string, more: object, headers = {}) =>
      fetch(`${weir.gateway}/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
        body: JSON.stringify({ ...MESSAGES, model, ...more }),
      })
        .then((response) => response.text())
        .catch(() => "cut off");
    const patient = { "Gateway-Retry-Enabled": "true", "Gateway-Retry-Num": "5", "Gateway-Retry-Min-Timeout": "60000" };
    const calls = [
      ask("messages", "custom/silent", {}),
      ask("messages", "custom/silent", { stream: true }),
      ask("messages", "custom/begins", { stream: true }),
      ask("chat/completions", "custom/begins", { stream: true }),
      ask("messages", "custom/down,custom/silent", { stream: true }),
      ask("chat/completions", "custom/down", {}, patient),
    ];
    await until(() => provider.received.filter(({ json: body }) => body !== undefined).length >= 7);
    expect(await weir.stop()).toBe(0);
    await Promise.all(calls);
  } finally {
    await provider[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
});
