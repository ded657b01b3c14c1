import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "../e2e/upstream.ts";
import { callApi, gatewayHeaders, programCommand, recordOf, runCommand, startWeir } from "../e2e/weir.ts";
import { until, within } from "../until.ts";

const freshDirectory = () => mkdtempSync(join(tmpdir(), "weir-serve-"));

/** Runs `weir serve` that is expected to end by itself. */
function failedStart(env: Readonly<Record<string, string>>) {
  return runCommand({ PATH: process.env["PATH"] ?? "", WEIR_GATEWAY_PORT: "0", WEIR_API_PORT: "0", ...env }, "serve");
}

test.concurrent("the first start makes one key with all scopes and prints it once; the data directory is its owner's alone", async () => {
  const dataDirectory = freshDirectory();
  const first = await startWeir({ dataDirectory, env: { WEIR_BOOTSTRAP_KEY: "" } });
  const key = /^sk-weir-us-[0-9A-Za-z]{43,}$/m.exec(first.output())?.[0];
  expect(key).toBeDefined();
  expect(first.log()).not.toContain(key!);
  expect(first.log()).not.toContain('"level":"warn"');
  expect((await callApi(first, "/v1/keys", {}, key)).status).toBe(200);
  expect(statSync(dataDirectory).mode & 0o777).toBe(0o700);
  expect(await first.stop()).toBe(0);
  const other = "sk-of-a-start-that-came-too-late-for-it";
  const second = await startWeir({ dataDirectory, env: { WEIR_BOOTSTRAP_KEY: other } });
  expect(second.output()).not.toContain("sk-weir");
  expect((await callApi(second, "/v1/keys", {}, other)).status).toBe(401);
  expect(second.log()).toContain("WEIR_BOOTSTRAP_KEY is not a valid key");
  expect(second.log()).not.toContain(other);
  expect(await second.stop()).toBe(0);
}, 300_000);

test.concurrent("a second service on one data directory, or on a port that is taken, ends with one line and status 1", async () => {
  const dataDirectory = freshDirectory();
  await using weir = await startWeir({ dataDirectory });
  const same = await failedStart({ WEIR_DATA_DIR: dataDirectory });
  expect(same).toMatchObject({ status: 1, stdout: "" });
  expect(same.stderr).toMatch(/^weir: data_dir = .* is in use by another weir serve.*\n$/);

  const taken = await failedStart({ WEIR_DATA_DIR: freshDirectory(), WEIR_GATEWAY_PORT: String(weir.gatewayPort) });
  expect(taken.status).toBe(1);
  expect(taken.stderr).toMatch(/^weir: gateway_port = \d+ on 127.0.0.1 is in use.*\n$/);

  await using listener = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const { port } = listener.address() as { port: number };
  const another = freshDirectory();
  const api = await failedStart({ WEIR_DATA_DIR: another, WEIR_API_PORT: String(port) });
  // The first key is shown by the start that serves, not by one that failed before.
  expect(api.stdout).toBe("");
  await using later = await startWeir({ dataDirectory: another, env: { WEIR_BOOTSTRAP_KEY: "" } });
  expect(later.output()).toMatch(/^sk-weir-us-[0-9A-Za-z]{43,}$/m);
  expect(api.status).toBe(1);
  expect(api.stderr).toMatch(/weir: api_port = \d+ on 127.0.0.1 is in use.*\n$/);
}, 300_000);

test.concurrent("a port of the European pair that is taken ends the start with the key to change", async () => {
  await using listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as { port: number };
  const pair = { WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" };
  for (const variable of Object.keys(pair)) {
    const { stderr } = await failedStart({ WEIR_DATA_DIR: freshDirectory(), ...pair, [variable]: String(port) });
    expect(stderr).toMatch(new RegExp(`weir: ${variable.slice(5).toLowerCase()} = ${port} .* set ${variable}\n$`));
    // Nothing was served that could be left.
    if (variable === "WEIR_EU_GATEWAY_PORT") expect(stderr).toStartWith("weir: ");
  }
}, 300_000);

test.concurrent("a broken drop-in and a directory that cannot be written stop the start with the reason", async () => {
  const dataDirectory = freshDirectory();
  mkdirSync(join(dataDirectory, "providers"));
  const file = join(dataDirectory, "providers", "bad.ts");
  writeFileSync(file, 'export default { apiVersion: 1, name: "BAD", host: [] };');
  const broken = await failedStart({ WEIR_DATA_DIR: dataDirectory });
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain(`weir: ${file}: a provider has no member "host"; did you mean "hosts"?\n`);
  expect(broken.stderr).not.toContain("did not finish");

  const unwritable = await failedStart({ WEIR_DATA_DIR: "/proc/weir" });
  expect(unwritable).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^weir: data_dir = "\/proc\/weir" cannot be used: .*\n$/),
  });
}, 300_000);

test.concurrent("drop-ins that never finish loading or end the process while they load stop the start, a line for each", async () => {
  const dataDirectory = freshDirectory();
  mkdirSync(join(dataDirectory, "plugins"));
  const [holds, leaves] = ["holds.ts", "leaves.ts"].map((name) => join(dataDirectory, "plugins", name));
  // It holds its thread without using the CPU; `test/plugin-host/reload.test.ts` has one that uses it.
  writeFileSync(holds!, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);");
  writeFileSync(leaves!, "process.exit(0);");
  const broken = await failedStart({ WEIR_DATA_DIR: dataDirectory });
  expect(broken.status).toBe(1);
  expect(broken.stderr).toContain(`weir: ${leaves}: it ended the thread`);
  expect(broken.stderr).toContain(`weir: ${holds}: it takes over 10000 ms to load\n`);
}, 300_000);

test.concurrent("keys made and revoked by the command line count soon", async () => {
  await using upstream = await startUpstream();
  await using weir = await startWeir();
  const env = { ...weir.env };
  const key = (await runCommand(env, "keys", "create", "--name", "late", "--scopes", "gateway")).stdout.trim();
  const headers = { ...gatewayHeaders(upstream.origin), "Gateway-Auth": `Bearer ${key}` };
  const status = async () => (await fetch(`${weir.gateway}/v1/x`, { headers })).status;
  await until(
    async () => (await status()) === 200,
    180_000,
    () => "the new key is not accepted",
  );
  const listed = JSON.parse((await runCommand(env, "keys", "list", "--json")).stdout);
  const { id } = listed.find(({ name }: { name: string }) => name === "late");
  await runCommand(env, "keys", "revoke", id);
  await until(
    async () => (await status()) === 401,
    180_000,
    () => "the revoked key is still accepted",
  );
}, 300_000);

test.concurrent("providers and plugins are taken up while the service runs; a broken one is reported by /readyz, which stays 200", async () => {
  const dataDirectory = freshDirectory();
  await using upstream = await startUpstream();
  await using weir = await startWeir({ dataDirectory });
  const send = () => fetch(`${weir.gateway}/v1/x`, { headers: gatewayHeaders(upstream.origin) });
  const providers = join(dataDirectory, "providers", "acme.ts");
  writeFileSync(providers, 'export default { apiVersion: 1, name: "ACME", hosts: ["127.0.0.1"] };');
  await until(
    async () => (await recordOf(weir, (await send()).headers.get("gateway-id")!))["provider"] === "ACME",
    180_000,
    () => "the provider is not taken up",
  );

  const plugin = (hook: string) => `export default { apiVersion: 1, name: "door", setup: () => ({ ${hook} }) };`;
  const file = join(dataDirectory, "plugins", "door.ts");
  writeFileSync(file, plugin('onRequest: () => ({ status: 418, code: "closed", message: "come back at nine" })'));
  await until(
    async () => (await send()).status === 418,
    180_000,
    () => "the plugin is not taken up",
  );
  writeFileSync(
    file,
    plugin("onRequest: () => { throw new Error('no'); }, onRecord: (draft) => { draft.properties.Team = 'night'; }"),
  );
  await until(
    async () => (await send()).status === 500,
    180_000,
    () => "the changed plugin is not taken up",
  );
  const failed = await send();
  expect((await failed.json()).error.code).toBe("plugin_failed");
  await until(
    async () => (await recordOf(weir, (await send()).headers.get("gateway-id")!))["properties"].Team === "night",
    180_000,
    () => "the recorder has not taken the plugin up",
  );

  writeFileSync(file, "export default {");
  const ready = async () => fetch(`${weir.api}/readyz`, { keepalive: false });
  await until(
    async () => JSON.stringify((await (await ready()).json()).degraded).includes("door.ts"),
    180_000,
    () => "/readyz does not tell",
  );
  expect((await ready()).status).toBe(200);
  expect((await send()).status).toBe(500);
}, 300_000);

test.concurrent("an unknown variable stops the start before anything is written", async () => {
  const dataDirectory = join(freshDirectory(), "not-yet");
  const start = await failedStart({ WEIR_DATA_DIR: dataDirectory, WEIR_GATEWAY_PROT: "1", WEIR_REGION: "x" });
  expect(start.status).toBe(1);
  expect(start.stderr.trim().split("\n")).toHaveLength(2);
  expect(() => readFileSync(dataDirectory)).toThrow("ENOENT");
});

test.concurrent("a start that waits for a database that is away is stopped by a signal like any other", async () => {
  await using away = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(away, "listening");
  const { port } = away.address() as { port: number };
  const env = {
    PATH: process.env["PATH"] ?? "",
    WEIR_DATA_DIR: freshDirectory(),
    WEIR_GATEWAY_PORT: "0",
    WEIR_API_PORT: "0",
    WEIR_DATABASE_URL: `http://127.0.0.1:${port}`,
  };
  const [program, ...words] = programCommand();
  const child = spawn(program, [...words, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const closed = once(child, "close");
  let log = "";
  child.stderr.on("data", (chunk) => (log += chunk));
  try {
    await until(
      () => log.includes("waiting for the database"),
      180_000,
      () => log,
    );
    child.kill("SIGTERM");
    const [status] = await within(closed, 180_000, () => `it does not stop: ${log}`);
    expect(status).toBe(0);
  } finally {
    child.kill("SIGKILL");
  }
}, 300_000);
