import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../directory.ts";
import { present } from "./stored.ts";
import { startUpstream } from "./upstream.ts";
import { gatewayHeaders, recordOf, runCommand, startWeir } from "./weir.ts";

test("everything in the data directory is its owner's alone, and no second service gets it", async () => {
  using directory = temporaryDirectory();
  await using upstream = await startUpstream();
  const dataDirectory = join(directory.path, "data");
  mkdirSync(dataDirectory, { mode: 0o755 });
  const before = process.umask(0o022);
  const weir = await startWeir({ dataDirectory }).finally(() => process.umask(before));
  const send = async (more: Record<string, string>) => {
    const headers = gatewayHeaders(upstream.origin, more);
    const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "?" }] });
    const response = await fetch(`${weir.gateway}/v1/chat/completions`, { method: "POST", headers, body });
    await response.arrayBuffer();
    await recordOf(weir, response.headers.get("gateway-id")!);
  };
  await send({ "Gateway-Cache-Enabled": "true" });
  await send({ "Gateway-RateLimit-Policy": "10;w=3600" });
  const backup = join(dataDirectory, "backup.tar");
  expect(await runCommand(weir.env, "backup", backup)).toMatchObject({ status: 0 });

  rmSync(join(dataDirectory, "weir.lock"));
  await expect(startWeir({ dataDirectory })).rejects.toThrow(/in use by another weir serve/);
  await send({});
  const names = readdirSync(dataDirectory, { recursive: true, encoding: "utf8" });
  const open = names.filter((name) => ((present(() => statSync(join(dataDirectory, name)))?.mode ?? 0) & 0o077) !== 0);
  expect(open).toEqual([]);
  for (const part of ["weir.db", "bodies.db", "weir.lock", "cache", "spool", "state", "backup.tar"]) {
    expect(names.some((name) => name.startsWith(part))).toBe(true);
  }
  expect(statSync(dataDirectory).mode & 0o077).toBe(0);
  await weir.stop();

  rmSync(join(dataDirectory, "bodies.db"));
  await expect(startWeir({ dataDirectory })).rejects.toThrow(/bodies\.db is missing or empty beside weir\.db/);
  const again = await startWeir({ dataDirectory, env: { WEIR_ACCEPT_MISSING_DATABASE: "yes" } });
  expect(await again.stop()).toBe(0);
});
