import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gatewayHeaders, KEY, queryIds, startWeir } from "../e2e/weir.ts";
import { until } from "../until.ts";
import { startOnDeno } from "./weir-on-deno.ts";

/** The recorder's thread logs each record. */
const env = { WEIR_LOG_LEVEL: "debug" };

/** The program's own threads: one that has ended is started again, as another one. */
function threadsOf(pid: number): readonly string[] {
  const named = readdirSync(`/proc/${pid}/task`).map((id) => {
    try {
      return `${id} ${readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim()}`;
    } catch {
      return ""; // one of the runtime's, which has ended
    }
  });
  return named.filter((thread) => / (?:worker-|src\/)/.test(thread));
}

for (const [runtime, start] of [
  ["Bun", (dataDirectory: string) => startWeir({ dataDirectory, env })],
  ["Deno", (dataDirectory: string) => startOnDeno(dataDirectory, env)],
] as const) {
  test(`on ${runtime} a service whose log has no reader any more serves, and stops`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "weir-unread-"));
    const weir = await start(folder);
    const threads = threadsOf(weir.pid);
    weir.stopReading();
    const headers = { authorization: `Bearer ${KEY}` };
    expect((await fetch(`${weir.api}/v1/keys`, { headers })).status).toBe(200);
    for (const id of ["0190b0f0-0000-7000-8000-000000000001", "0190b0f0-0000-7000-8000-000000000002"]) {
      await fetch(`${weir.gateway}/v1/models`, {
        headers: { ...gatewayHeaders("http://127.0.0.1:9"), "gateway-request-id": id },
      });
      await until(
        async () => (await queryIds(weir, [id])).length === 1,
        180_000,
        () => `${id} is not recorded`,
      );
    }
    expect(threadsOf(weir.pid)).toEqual(expect.arrayContaining([...threads]));
    expect(await weir.stop()).toBe(0); // it logs that it stops
    rmSync(folder, { recursive: true, force: true });
  }, 300_000);
}
