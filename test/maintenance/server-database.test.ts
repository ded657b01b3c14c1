import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSqld } from "../e2e/sqld.ts";
import { startUpstream } from "../e2e/upstream.ts";
import { gatewayHeaders, recordOf, runCommand, startWeir } from "../e2e/weir.ts";

test("with the records on a server a backup holds the node's spool and name, and continues under that name", async () => {
  await using sqld = await startSqld();
  await using upstream = await startUpstream();
  const folder = mkdtempSync(join(tmpdir(), "weir-server-backup-"));
  const [data, backup, restored] = ["data", "backup", "restored"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(data);
  const env = { WEIR_DATABASE_URL: sqld.url };
  const weir = await startWeir({ dataDirectory: data, env });
  const send = async (gateway: string) => {
    const response = await fetch(`${gateway}/v1/x`, { headers: gatewayHeaders(upstream.origin), keepalive: false });
    await response.text();
    return response.headers.get("gateway-id")!;
  };
  const first = await send(weir.gateway);
  await recordOf(weir, first);
  const made = await runCommand(weir.env, "backup", backup);
  expect([made.status, made.stderr]).toEqual([0, expect.stringContaining("not in it: the records")]);
  const manifest = JSON.parse(readFileSync(join(backup, "backup.json"), "utf8"));
  expect(manifest).toMatchObject({ database: "server", databases: {}, files: { "node-id": { bytes: 37 } } });
  const doctor = await runCommand(weir.env, "doctor", "--json");
  const database = JSON.parse(doctor.stdout).filter(({ check }: { check: string }) => check === "database");
  expect(database).toEqual([
    expect.objectContaining({ verdict: "ok", message: expect.stringMatching(/^127\.0\.0\.1:\d+ responds/) }),
  ]);
  await weir.stop();

  expect((await runCommand({ ...weir.env, WEIR_DATA_DIR: restored }, "restore", backup)).status).toBe(0);
  await using again = await startWeir({ dataDirectory: restored, env });
  expect((await recordOf(again, first))["response_status"]).toBe(200);
  expect((await recordOf(again, await send(again.gateway)))["response_status"]).toBe(200);
  expect(readFileSync(join(restored, "node-id"), "utf8")).toBe(readFileSync(join(data, "node-id"), "utf8"));
  rmSync(folder, { recursive: true, force: true });
}, 300_000);
