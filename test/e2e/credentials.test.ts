import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/run.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { storedFiles } from "./stored.ts";
import { callApi, KEY, startWeir, until, type Weir } from "./weir.ts";

/** Every secret holds it, in the clear. */
const PLANTED = "pLnTd9q4";
const [FIRST, SECOND] = [`sk-one-${PLANTED}-aaaa`, `sk-two-${PLANTED}-bbbb`];

let folder: string;
let provider: Server;
/** What `Authorization` and the path of each call were. */
const seen: (readonly [authorization: string | undefined, path: string | undefined])[] = [];
let weir: Weir;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-credentials-"));
  provider = createServer(({ headers, url }, response) => {
    seen.push([headers.authorization, url]);
    const known = headers.authorization === `Bearer ${FIRST}`;
    response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
    const wrong = { error: { message: `Incorrect API key provided: ${headers.authorization?.slice(7)}` } };
    response.end(JSON.stringify(known ? { data: [{ id: "m-2" }, { id: "m-1" }] } : wrong));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => provider.once("listening", resolve));
  mkdirSync(join(folder, "data"));
  weir = await startWeir({
    dataDirectory: join(folder, "data"),
    env: { WEIR_GATEWAY_THREADS: "2", WEIR_LOG_LEVEL: "debug", WEIR_ALLOW_PRIVATE_TARGETS: "10.0.0.1" },
  });
});
afterAll(async () => {
  await weir?.stop();
  provider?.close();
  rmSync(folder, { recursive: true, force: true });
});

const output: string[] = [];
async function api(method: string, path: string, body?: object) {
  const response = await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  output.push(text);
  return { status: response.status, json: JSON.parse(text) as Json };
}

async function command(stdin: string, ...words: string[]) {
  const printed = { out: "", err: "" };
  const status = await runCommandLine(words, {
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    env: weir.env,
    workingDirectory: folder,
    stdin: async () => stdin,
  });
  output.push(printed.out, printed.err);
  return { status, ...printed };
}

const address = () => `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;

test("a credential that the command line adds is tried by the service, and by the command line", async () => {
  const added = await command(
    FIRST,
    "credentials",
    "add",
    "custom",
    "--name",
    "box",
    "--base-url",
    address(),
    "--private",
  );
  expect(added.status).toBe(0);
  await until(async () => (await api("POST", "/v1/credentials/box/test", {})).status === 200);
  const tested = await api("POST", "/v1/credentials/box/test", {});
  expect(tested.json.data).toEqual({
    ok: true,
    asked: "models",
    status: 200,
    message: "it lists 2 models",
    models: ["m-1", "m-2"],
  });
  expect(seen.at(-1)).toEqual([`Bearer ${FIRST}`, "/v1/models"]);
  expect(await command("", "credentials", "test", "box")).toMatchObject({ status: 0, out: "box: it lists 2 models\n" });
});

test("the models that its provider lists are in the list of models, and found by their bare names", async () => {
  const headers = { Authorization: `Bearer ${KEY}` };
  const listed = async () => {
    const { data } = (await (await fetch(`${weir.gateway}/v1/models`, { headers })).json()) as Json;
    return data.map(({ id }: Json) => id) as string[];
  };
  await until(async () => (await listed()).includes("custom/m-1"));
  const { json } = await api("POST", "/v1/route/explain", { model: "m-2" });
  expect(json.data).toMatchObject({ resolved_by: "model m-2", targets: [{ credential: "box", model: "m-2" }] });
});

test("a provider that refuses a key and repeats it does not get it shown", async () => {
  await api("PUT", "/v1/credentials/box", { api_key: SECOND });
  const refused = await api("POST", "/v1/credentials/box/test", {});
  expect(refused.json.data).toMatchObject({
    ok: false,
    status: 401,
    message: expect.stringContaining("401: Incorrect"),
  });
  expect(await command("", "credentials", "test", "box")).toMatchObject({ status: 1, out: "" });
  expect(seen.at(-1)?.[0]).toBe(`Bearer ${SECOND}`);
  // Two tests, and the list of models that is requested with a changed credential; its failure affects no other credential.
  await until(() => seen.filter(([authorization]) => authorization === `Bearer ${SECOND}`).length === 3);
  await until(() => weir.log().includes("a provider's models cannot be listed"));
});

test("a private address that the credential does not open is not called", async () => {
  const before = seen.length;
  const closed = await api("POST", "/v1/credentials", {
    provider: "custom",
    name: "shut",
    base_url: address(),
    api_key: FIRST,
  });
  expect([closed.status, closed.json.path]).toEqual([400, "base_url"]);
  await api("POST", "/v1/credentials", { provider: "custom", name: "own", base_url: weir.gateway, private: true });
  await api("PUT", "/v1/credentials/box", { base_url: weir.api, private: true });
  const itself = await api("POST", "/v1/credentials/box/test", {});
  expect(itself.json.data ?? itself.json).toMatchObject({ ok: false });
  expect(seen.length).toBe(before);
  await api("PUT", "/v1/credentials/box", { base_url: address(), private: true });
});

test("without its key a credential is locked: shown, degraded, found by the doctor; with it, it is ready again", async () => {
  const path = join(weir.dataDirectory, "credentials.key");
  renameSync(path, `${path}.away`);
  const degraded = async () => ((await api("GET", "/readyz")).json.degraded as string[]).join();
  await until(async () => (await degraded()).includes("locked"));
  expect(await degraded()).not.toContain("box");
  expect((await api("GET", "/v1/credentials/box")).json.data.state).toBe("locked");
  expect((await api("POST", "/v1/credentials/box/test", {})).json.data).toMatchObject({ ok: false, asked: null });
  const doctor = await command("", "doctor", "--json");
  expect(JSON.parse(doctor.out)).toContainEqual(
    expect.objectContaining({
      check: "credentials",
      verdict: "fail",
      message: expect.stringContaining("CUSTOM box is locked"),
    }),
  );
  renameSync(`${path}.away`, path);
  await until(async () => (await degraded()) === "");
  expect((await api("GET", "/v1/credentials/box")).json.data.state).toBe("ready");
});

test("a backup has the key only on request, and a restored one opens with it", async () => {
  const plain = await command("", "backup", join(folder, "plain"), "--quiet");
  expect(plain.err).toContain("credentials.key, without which no credential can be decrypted");
  expect(readdirSync(join(folder, "plain"))).not.toContain("credentials.key");
  await command("", "backup", join(folder, "whole"), "--quiet", "--with-credentials-key");
  const restored = join(folder, "restored");
  const env = { ...weir.env, WEIR_DATA_DIR: restored };
  const quiet = { out: (text: string) => void output.push(text), err: (text: string) => void output.push(text) };
  const run = (...words: string[]) => runCommandLine(words, { ...quiet, env, workingDirectory: folder });
  expect(await run("restore", join(folder, "whole"), "--quiet")).toBe(0);
  expect(statSync(join(restored, "credentials.key")).mode & 0o777).toBe(0o600);
  expect(await run("credentials", "list", "--json")).toBe(0);
  expect(JSON.parse(output.at(-1)!).every(({ state }: { state: string }) => state === "ready")).toBe(true);
});

test("no secret is in any file, in the log, in a response, in the metrics, or printed", async () => {
  await api("GET", "/v1/credentials");
  const metrics = await (await fetch(`${weir.api}/metrics`)).text();
  expect(output.length).toBeGreaterThan(20);
  for (const text of [...output, metrics, weir.output()]) expect(text).not.toContain(PLANTED);
  const found = storedFiles(folder).filter(({ content }) => content.includes(PLANTED));
  expect(found.map(({ path }) => path)).toEqual([]);
});
