import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "./upstream.ts";
import { callApi, gatewayHeaders, KEY, recordOf, startWeir } from "./weir.ts";

/** Shows what it finds: in the gateway's thread, in a process that it starts, and in the recorder's thread. */
const CURIOUS = `
import { spawnSync } from "node:child_process";
export default {
  apiVersion: 1,
  name: "curious",
  setup: () => ({
    onRecord: (draft) => { draft.properties.seen = JSON.stringify(process.env); },
    routes: [{ method: "GET", path: "/v1/curious", scope: "read", summary: "What it finds",
      handle: () => ({ data: { own: JSON.stringify(process.env), child: String(spawnSync("env").stdout) } }) }],
  }),
};`;

test("once read, secrets of the environment are hidden from plugins, threads and processes", async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-env-"));
  mkdirSync(join(dataDirectory, "plugins"));
  writeFileSync(join(dataDirectory, "plugins", "curious.ts"), CURIOUS);
  writeFileSync(
    join(dataDirectory, "weir.toml"),
    '[credentials.own]\nprovider = "OPENAI"\napi_key = "env:PLANTED_PROVIDER_KEY"\n',
  );
  const secrets = {
    WEIR_SMTP_URL: "smtp://u:planted-mail@127.0.0.1:9",
    WEIR_SMTP_FROM: "a@b.example",
    WEIR_API_KEY: "planted-api-key",
    WEIR_DATABASE_AUTH_TOKEN: "planted-token",
    WEIR_CREDENTIALS_KEY: Buffer.alloc(32, "planted").toString("base64"),
    PLANTED_PROVIDER_KEY: "planted-provider",
    ORDINARY: "ordinary-value",
    MIMALLOC_PURGE_DELAY: "7",
  };
  await using upstream = await startUpstream();
  await using weir = await startWeir({ dataDirectory, env: secrets });
  const response = await fetch(`${weir.gateway}/x`, { headers: gatewayHeaders(upstream.origin) });
  const record = await recordOf(weir, response.headers.get("gateway-id")!);
  const { data } = (await (await callApi(weir, "/v1/curious")).json()) as { data: { own: string; child: string } };
  const { seen } = record["properties"] as { seen: string };
  // Settings of the runtime are in the environment before it starts, and the operator's own ones stay.
  expect(data.child).toContain("MIMALLOC_PURGE_DELAY=7\n");
  expect(data.child).toContain("MIMALLOC_PURGE_HOLES_MIN_INTERVAL=10000\n");
  // Other versions of Bun might not know an option of the engine: it is for this process only.
  expect(readFileSync(`/proc/${weir.pid}/environ`, "utf8")).toContain("BUN_JSC_useWarmUpMarkedBlocks=0\0");
  expect(data.child + data.own).not.toContain("BUN_JSC_useWarmUpMarkedBlocks");
  for (const text of [data.own, data.child, seen]) {
    expect(text).toContain("ordinary-value");
    for (const planted of ["planted-", secrets.WEIR_CREDENTIALS_KEY, KEY]) expect(text).not.toContain(planted);
  }
}, 300_000);
