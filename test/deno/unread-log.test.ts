import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KEY, startWeir } from "../e2e/weir.ts";
import { startOnDeno } from "./weir-on-deno.ts";

/** As `nohup` starts a program. */
const wrapper = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh"];

for (const [runtime, start] of [
  ["Bun", (dataDirectory: string) => startWeir({ dataDirectory, wrapper })],
  ["Deno", (dataDirectory: string) => startOnDeno(dataDirectory, {}, { wrapper })],
] as const) {
  test(`on ${runtime} a service under nohup serves, and stops, once its terminal and the reader of its log are gone`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "weir-unread-"));
    const weir = await start(folder);
    weir.stopReading();
    process.kill(weir.pid, "SIGHUP");
    const headers = { authorization: `Bearer ${KEY}` };
    expect((await fetch(`${weir.api}/v1/keys`, { headers })).status).toBe(200);
    expect(await weir.stop()).toBe(0); // it logs that it stops
    rmSync(folder, { recursive: true, force: true });
  }, 200_000);
}
