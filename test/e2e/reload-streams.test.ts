import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { callApi, gatewayHeaders, recordsOf, startWeir, until, type Weir } from "./weir.ts";

const STREAMS = 500;
let weir: Weir;
let upstream: Server;
let target: string;
const open: ServerResponse[] = [];

beforeAll(async () => {
  upstream = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event("begun"));
    open.push(response);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  target = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  weir = await startWeir();
}, 300_000);

afterAll(async () => {
  await weir.stop();
  upstream.closeAllConnections();
  upstream.close();
});

const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const sayToAll = (text: string) => {
  for (const response of open) response.write(text);
};

/** A provider that owns the streams' host, and a plugin that sees each of them and reports its version. */
async function drop(version: number): Promise<void> {
  await write(
    "providers",
    `export default { apiVersion: 1, name: "ACME", extends: "OPENAI", hosts: ["127.0.0.1"],
    cost: () => ${version} };`,
  );
  await write(
    "plugins",
    `export default { apiVersion: 1, name: "gate", setup: () => ({
    onRequest: ({ path }) => path === "/version" ? { status: 418, code: "v${version}", message: "" } : undefined,
    onRecord: (draft) => { draft.properties.Version = "${version}"; } }) };`,
  );
}

async function write(folder: string, text: string): Promise<void> {
  await mkdir(join(weir.dataDirectory, folder), { recursive: true });
  await writeFile(join(weir.dataDirectory, folder, "acme.ts"), text);
}

/** The version of the plugin in each thread: the gateway's is in responses, the recorder's in labels. */
async function versionsNow(): Promise<{ gateway: string; recorder: unknown }> {
  const response = await askVersion();
  const [record] = await recordsOf(weir, [response.id]);
  return { gateway: response.version, recorder: record?.["properties"]["Version"] };
}

async function askVersion(): Promise<{ id: string; version: string }> {
  const response = await fetch(`${weir.gateway}/version`, { headers: gatewayHeaders(target), method: "DELETE" });
  const version =
    response.status === 418 ? ((await response.json()) as { error: { code: string } }).error.code : "none";
  return { id: response.headers.get("gateway-id") ?? "", version };
}

const degraded = async () => ((await (await callApi(weir, "/readyz")).json()) as { degraded: string[] }).degraded;

interface Seen {
  id: string;
  text: string;
  complete: boolean;
}

function startStream(seen: Seen): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const headers = gatewayHeaders(target, { "content-type": "application/json" });
  const sent = request(`${weir.gateway}/v1/chat/completions`, { method: "POST", headers, agent: false }, (response) => {
    seen.id = String(response.headers["gateway-id"]);
    response.setEncoding("utf8").on("data", (text: string) => {
      seen.text += text;
    });
    response.on("end", () => {
      seen.complete = response.complete;
    });
    response.on("close", resolve);
  });
  sent.on("error", () => resolve());
  sent.end('{"model":"m-1","stream":true,"messages":[{"role":"user","content":"hi"}]}');
  return promise;
}

test("drop-ins that change, break and are fixed under 500 open streams drop none of them", async () => {
  await drop(1);
  await until(
    async () => (await askVersion()).version === "v1",
    180_000,
    () => weir.log(),
  );
  const seen = Array.from({ length: STREAMS }, (): Seen => ({ id: "", text: "", complete: false }));
  const ended = Promise.all(seen.map(startStream));
  await until(
    () => seen.every(({ text }) => text.includes("begun")),
    180_000,
    () => `${open.length} are open`,
  );

  let text = event("begun");
  for (const version of [2, 3]) {
    await drop(version);
    await until(
      async () => (await askVersion()).version === `v${version}`,
      180_000,
      () => weir.log(),
    );
    sayToAll(event(`after ${version}`));
    text += event(`after ${version}`);
  }
  await write("plugins", "export default { broken");
  await write("providers", `export default { apiVersion: 1, name: "ACME", hostz: [] };`);
  await until(
    async () => (await degraded()).length >= 2,
    180_000,
    () => weir.log(),
  );
  expect((await askVersion()).version).toBe("v3");
  sayToAll(event("while broken"));
  await drop(4);
  await until(
    async () => {
      const { gateway, recorder } = await versionsNow();
      return gateway === "v4" && recorder === "4" && (await degraded()).length === 0;
    },
    180_000,
    () => weir.log(),
  );
  const last = `${event("mended")}data: [DONE]\n\n`;
  for (const response of open) response.end(last);
  await ended;

  expect(seen.filter((each) => !each.complete || each.text !== text + event("while broken") + last)).toEqual([]);
  const records = await recordsOf(
    weir,
    seen.map(({ id }) => id),
  );
  const said = "begunafter 2after 3while brokenmended";
  const odd = records.filter(
    ({ response_status, outcome, provider, properties, response_body }) =>
      response_status !== 200 ||
      outcome !== "complete" ||
      provider !== "ACME" ||
      properties["Version"] !== "4" ||
      response_body.choices[0].message.content !== said,
  );
  expect(odd.slice(0, 1)).toEqual([]);
}, 300_000);
