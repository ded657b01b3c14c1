import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callApi, KEY, ROOT, recordOf, runCommand, startWeir, type Weir } from "../e2e/weir.ts";
import { type NameServer, startNameServer } from "../name-server.ts";

const page = readFileSync(join(ROOT, "docs/plugins.md"), "utf8");
const tutorial = page.split(/^## /m).find((section) => section.startsWith("Tutorial"))!;
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block]) => block!);
const [provider, policy] = blocks(tutorial, "ts");

let folder: string;
let server: Server;
let dns: NameServer;
let weir: Weir;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-tutorial-"));
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { engine, live } = JSON.parse(text);
      const spent = { read: 7, written: 200_000 };
      if (live !== true) return response.end(JSON.stringify({ ticket: "t-1", engine, text: "hello there", spent }));
      response.setHeader("content-type", "text/event-stream");
      const events = [{ ticket: "t-2", engine, text: "hello" }, { text: " there" }, { spent }];
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  dns = await startNameServer(() => ["127.0.0.1"]);
  for (const [kind, name, text] of [
    ["providers", "corp", provider],
    ["plugins", "team-policy", policy],
  ] as const) {
    mkdirSync(join(folder, kind));
    writeFileSync(join(folder, kind, `${name}.ts`), text!);
  }
  writeFileSync(join(folder, "weir.toml"), blocks(tutorial, "toml")[0]!);
  weir = await startWeir({
    dataDirectory: folder,
    env: { WEIR_DNS_SERVERS: dns.address, WEIR_ALLOW_PRIVATE_TARGETS: "llm.corp.example,other.example" },
  });
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  server?.close();
  dns?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

function ask(host: string, team: string | undefined, body: object = {}) {
  return fetch(`${weir.gateway}/ask`, {
    method: "POST",
    headers: {
      "Gateway-Auth": `Bearer ${KEY}`,
      "Gateway-Target-Url": `http://${host}:${(server.address() as AddressInfo).port}`,
      "Content-Type": "application/json",
      "X-Corp-Pass": "the-password",
      ...(team === undefined ? {} : { "Gateway-Property-Team": team }),
    },
    body: JSON.stringify({ engine: "corp-9", employee: "ann", ...body }),
  });
}

test.each([
  ["whole", {}],
  ["as a stream", { live: true }],
])(
  "the tutorial's provider reads a response that comes %s, prices it, and hides its credential",
  async (_name, body) => {
    const response = await ask("llm.corp.example", "support", body);
    expect(response.status).toBe(200);
    const record = await recordOf(weir, (await response.text()) && response.headers.get("gateway-id")!);
    expect(record).toMatchObject({
      provider: "CORP",
      model: "corp-9",
      request_user_id: "ann",
      prompt_tokens: 7,
      completion_tokens: 200_000,
      llmSchema: null,
      properties: { Team: "support", Dear: "true" },
    });
    expect(record["cost"]).toBeCloseTo(200_007 * 3e-6, 9);
    expect(record["response_body"].text).toBe("hello there");
    const headers = await callApi(weir, `/v1/request/${record["request_id"]}`);
    expect(await headers.text()).not.toContain("the-password");
  },
);

test.each([
  ["llm.corp.example", undefined, 400, "team_missing"],
  ["llm.corp.example", "nobody", 403, "team_unknown"],
  ["other.example", "support", 403, "host_not_allowed"],
  ["other.example", "research", 200, undefined],
])("the tutorial's policy responds to a request to %s of team %p with %d %p", async (host, team, status, code) => {
  const response = await ask(host, team);
  expect(response.status).toBe(status);
  if (code !== undefined) {
    expect((await response.json()).error.code).toBe(code);
    expect((await recordOf(weir, response.headers.get("gateway-id")!))["response_status"]).toBe(status);
  }
});

test("the tutorial's files pass the check, and what the policy refused is in the metrics", async () => {
  for (const file of ["providers/corp.ts", "plugins/team-policy.ts"]) {
    const checked = await runCommand(
      weir.env,
      "plugins",
      "check",
      join(folder, file),
      "--config",
      join(folder, "weir.toml"),
    );
    expect(checked).toMatchObject({ status: 0, stderr: "" });
  }
  const metrics = await (await fetch(`${weir.api}/metrics`)).text();
  expect(metrics).toContain('weir_gateway_plugin_total{plugin="team-policy",counter="refused_requests"} 3');
});

test("every whole file that the page shows passes the check", async () => {
  const files = blocks(page, "ts").filter((text) => text.includes("export default"));
  expect(files.length).toBeGreaterThan(3);
  writeFileSync(join(folder, "all.toml"), `${blocks(page, "toml").join("\n")}\n`);
  for (const [at, text] of files.entries()) {
    const file = join(folder, `shown-${at}.ts`);
    writeFileSync(file, text);
    const checked = await runCommand(weir.env, "plugins", "check", file, "--config", join(folder, "all.toml"));
    expect([text.slice(0, 200), checked.status, checked.stderr]).toEqual([text.slice(0, 200), 0, ""]);
  }
}, 300_000);
