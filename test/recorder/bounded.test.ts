import { beforeAll, expect, test } from "bun:test";
import { threadCpuUsage } from "node:process";
import fc from "fast-check";
import type { Config } from "../../src/config.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import { WIRE_SCHEMAS } from "../../src/mapping/wire/index.ts";
import { openRegistry } from "../../src/plugin-host/live.ts";
import type { Registry } from "../../src/plugin-host/providers/registry.ts";
import { prepare } from "../../src/recorder/prepare/prepare.ts";
import { LearntTables } from "../../src/store/models/learnt.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { silent } from "../spool/journal.ts";
import { type Came, exchangeOf } from "./exchange-of.ts";
import { ATTACKS } from "./hostile.ts";

/**
 * CPU time that one record may take. Each of these takes less than a tenth of it, and took many times as much, up to
 * minutes, where the work grew with the square of its size. CPU time of this thread, so a busy machine fails nothing.
 */
const CPU_MS_MAX = 1_500;
const SIZE = 500_000;

const learnt = new LearntTables([
  { provider: "CUSTOM", model: "never", input: 1 },
  { provider: "CUSTOM", model: "x*", input: 1 },
  { provider: "OPENAI", model: "ft:*", input: 1 },
]);
let registry: Registry;

beforeAll(async () => {
  using none = temporaryDirectory();
  const opened = await openRegistry({ config: { providers_dir: none.path, plugins_dir: "" } as Config, log: silent });
  registry = opened.current();
  opened.close();
  // Loading a tokenizer is work of the process, not of the record that needs it first.
  await cpuMsOf(ATTACKS["a run of letters to count"]!(1_000));
  await cpuMsOf(ATTACKS["a run of blanks to count"]!(1_000));
});

test.each(Object.keys(ATTACKS))("a record takes a bounded time: %s", async (name) => {
  expect(await cpuMsOf(ATTACKS[name]!(SIZE))).toBeLessThan(CPU_MS_MAX);
});

const providers = ["CUSTOM", "OPENAI", "ANTHROPIC", "GOOGLE", "AWS", "LLAMA", "COHERE", "OPENROUTER"];
const PATHS = [
  ...Object.keys(WIRE_SCHEMAS).map((name) => `/v1/${name}`),
  ...["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v2/chat", "/api/chat", "/v1/completions"],
  ...[
    "/m:streamGenerateContent",
    "/model/m/converse-stream",
    "/model/m/invoke",
    "/v1beta/interactions",
    "/predictions",
  ],
  ...["/realtime?model=a", "/v1/audio/transcriptions", "/invocations", "/v1/embeddings"],
];
const attack = fc.constantFrom(...Object.keys(ATTACKS));
/** Requests of one attack, responses of another, anywhere, under any provider, with any headers. */
const hostile = fc.record({
  request: attack,
  response: attack,
  beside: attack,
  path: fc.constantFrom(...PATHS),
  provider: fc.constantFrom(...providers),
  size: fc.integer({ min: 1, max: 200_000 }),
  status: fc.constantFrom(200, 200, 400, 500),
  cutAt: fc.double({ min: 0, max: 1, noNaN: true }),
});

test("a record takes a bounded time, whatever is put together", async () => {
  await assertProperty(
    fc.asyncProperty(hostile, async ({ size, path, provider, status, cutAt, ...names }) => {
      const [request, response, beside] = [names.request, names.response, names.beside].map((n) => ATTACKS[n]!(size));
      const body = response!.response ?? new Uint8Array();
      const came: Came = {
        begin: {
          ...beside!.begin,
          path: beside!.begin?.path?.startsWith("/realtime") ? beside!.begin.path : path,
          provider,
        },
        ...(request!.request && { request: request!.request }),
        response: body.subarray(0, Math.ceil(body.byteLength * cutAt)),
        ...(response!.responseHeaders && { responseHeaders: response!.responseHeaders }),
        status,
      };
      expect(await cpuMsOf(came)).toBeLessThan(CPU_MS_MAX);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

/** CPU milliseconds of this thread that preparing the record took. */
async function cpuMsOf(came: Came): Promise<number> {
  const { exchange, spool } = exchangeOf(came);
  const before = threadCpuUsage();
  await prepare(
    exchange,
    {
      spool,
      readExchange,
      provider: (name) => registry.providerByName(name),
      learnt,
      bodyBytesMax: 10_485_760,
      bodyKey: undefined,
      onReadingFailed: () => {},
    },
    Date.now(),
  );
  const { user, system } = threadCpuUsage(before);
  return (user + system) / 1_000;
}
