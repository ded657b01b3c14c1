/**
 * Records per second, CPU time per record and peak memory of `weir export`, without and with bodies, in every
 * format. The CPU time is that of the client, and beside it that of the service where this starts it: numbers
 * that can be compared on a machine that does other things.
 *
 *   bun bench/export.ts [--records N] [--formats jsonl,csv]     against canned pages: the client alone
 *   bun bench/export.ts --data-dir DIR                          against a service on a seeded directory, all it has
 *   WEIR_API_URL=… WEIR_API_KEY=… bun bench/export.ts           against that service, all it has
 */

import { readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { KEY, startWeir } from "../test/e2e/weir.ts";
import { makeRecord } from "../test/export/records.ts";
import { cpuSeconds } from "./measured.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "200000" },
    formats: { type: "string", default: "jsonl,json,csv,parquet" },
    bodies: { type: "string", default: "no,yes" },
    "data-dir": { type: "string" },
  },
});
const dataDirectory = values["data-dir"];
const weir = dataDirectory === undefined ? undefined : await startWeir({ dataDirectory });
const address = weir?.api ?? process.env["WEIR_API_URL"];
const canned = address === undefined ? await serveCanned(Number(values.records)) : undefined;
const folder = await mkdtemp(join(tmpdir(), "weir-export-bench-"));

console.log("format   bodies   records   seconds   records/s   µs CPU/record   of the service   file MB   peak RSS MB");
for (const format of values.formats.split(",")) {
  for (const bodies of values.bodies.split(",")) await measure(format, bodies === "yes");
}
await rm(folder, { recursive: true });
canned?.close();
await weir?.stop();

async function measure(format: string, bodies: boolean): Promise<void> {
  const output = join(folder, `out.${format}`);
  const argv = ["--start-date", "2000-01-01", "--format", format, "--output", output, "--force"];
  const served = weir && cpuSeconds(weir.pid);
  const begun = performance.now();
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "../test/export/child.ts"),
      ...argv,
      ...(bodies ? ["--include-body"] : []),
    ],
    { env: { WEIR_API_KEY: KEY, ...process.env, WEIR_API_URL: canned?.url ?? address }, stderr: "pipe" },
  );
  let peakBytes = 0;
  const looking = setInterval(() => {
    peakBytes = peakResidentBytes(child.pid) ?? peakBytes;
  }, 50);
  const said = await new Response(child.stderr).text();
  clearInterval(looking);
  if ((await child.exited) !== 0) throw new Error(said);
  const seconds = (performance.now() - begun) / 1000;
  const usage = child.resourceUsage();
  const records = Number(/([\d,]+) records/.exec(said)?.[1]?.replaceAll(",", ""));
  const cells = [
    records.toLocaleString("en-US").padStart(10),
    seconds.toFixed(1).padStart(9),
    Math.round(records / seconds)
      .toLocaleString("en-US")
      .padStart(11),
    (Number(usage?.cpuTime.total ?? 0) / records).toFixed(1).padStart(15),
    (served === undefined ? "-" : (((cpuSeconds(weir!.pid) - served) * 1e6) / records).toFixed(1)).padStart(16),
    ((await stat(output)).size / 1e6).toFixed(0).padStart(9),
    (peakBytes / 1e6).toFixed(0).padStart(13),
  ];
  console.log(format.padEnd(8), (bodies ? "yes" : "no").padEnd(6), cells.join(" "));
}

/** Not the `maxRSS` of a child, which counts the memory of the process that started it as well. */
function peakResidentBytes(pid: number): number | undefined {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined; // it has ended
  }
}

/** A service without a database behind it: the same thousand records over and over, printed once. */
async function serveCanned(total: number): Promise<{ url: string; close(): void }> {
  const bodies = {
    request_body: { text: "lorem ipsum ".repeat(100) },
    response_body: { text: "dolor sit ".repeat(60) },
  };
  const records = Array.from({ length: 1000 }, (_, index) => makeRecord(index));
  const texts = (whole: boolean) =>
    records.map(({ request_body, response_body, llmSchema, ...rest }) =>
      JSON.stringify(whole ? { ...rest, ...bodies } : rest),
    );
  const printed = { plain: texts(false), whole: texts(true) };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const question = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    if (request.url?.includes("count")) return void response.end(JSON.stringify({ data: total, error: null }));
    if (request.url?.includes("property")) return void response.end('{"data":[{"property":"Team"}],"error":null}');
    const from = Number(question["cursor"] ?? 0);
    const to = Math.min(total, from + Number(question["limit"]));
    const rows = question["includeBody"] === true ? printed.whole : printed.plain;
    const page = Array.from({ length: to - from }, (_, index) => rows[(from + index) % 1000]);
    const cursor = to < total ? `"${to}"` : "null";
    response.end(`{"data":[${page.join(",")}],"error":null,"next_cursor":${cursor}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
