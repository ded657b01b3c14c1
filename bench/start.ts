/**
 * Milliseconds from the start of the process to the response to the first proxied request, on a fresh data directory and on
 * one that was used before, and the memory of the idle service.
 *
 * Claim: at most 300 ms with the binary. Run: `bun bench/start.ts [--starts 10]`.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startUpstream } from "../test/e2e/upstream.ts";
import { gatewayHeaders, programCommand, ROOT, residentMb, startWeir } from "../test/e2e/weir.ts";
import { pause, spread } from "./measured.ts";

const { values } = parseArgs({ options: { starts: { type: "string", default: "10" } } });
const binary = join(ROOT, "dist/weir");
const command = !process.env["WEIR_TEST_BINARY"] && existsSync(binary) ? [binary] : programCommand();
await using upstream = await startUpstream();

/** Starts the service, and sends one request at once. @returns the milliseconds until its response. */
async function firstResponse(dataDirectory: string): Promise<{ ms: number; idleMb: number }> {
  const startedAt = performance.now();
  const weir = await startWeir({ dataDirectory, command });
  const response = await fetch(`${weir.gateway}/v1/x`, { headers: gatewayHeaders(upstream.origin), keepalive: false });
  await response.arrayBuffer();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`the first request was answered ${response.status}`);
  await pause(500);
  const idleMb = residentMb(weir.pid);
  await weir.stop();
  return { ms, idleMb };
}

const fresh: number[] = [];
const used: number[] = [];
const memory: number[] = [];
for (let start = 0; start < Number(values.starts); start += 1) {
  const dataDirectory = mkdtempSync(join(tmpdir(), "weir-start-"));
  const first = await firstResponse(dataDirectory);
  const second = await firstResponse(dataDirectory);
  fresh.push(first.ms);
  used.push(second.ms);
  memory.push(first.idleMb, second.idleMb);
  rmSync(dataDirectory, { recursive: true, force: true });
}
console.log(`${command.join(" ")}: ${values.starts} starts each`);
console.log(`fresh data directory: first proxied request after ${spread(fresh)}`);
console.log(`used data directory:  first proxied request after ${spread(used)}`);
console.log(`idle memory: ${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MB`);
