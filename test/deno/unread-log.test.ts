import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY, startWeir } from "../e2e/weir.ts";
import { startOnDeno } from "./weir-on-deno.ts";

for (const [runtime, start] of [
  ["Bun", (dataDirectory: string) => startWeir({ dataDirectory })],
  ["Deno", startOnDeno],
] as const) {
  test(`on ${runtime} a service whose log has no reader any more serves, and stops`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "weir-unread-"));
    const weir = await start(folder);
    weir.stopReading();
    const headers = { authorization: `Bearer ${KEY}` };
    expect((await fetch(`${weir.api}/v1/keys`, { headers })).status).toBe(200);
    expect(await weir.stop()).toBe(0); // it logs that it stops
    rmSync(folder, { recursive: true, force: true });
  }, 200_000);
}
