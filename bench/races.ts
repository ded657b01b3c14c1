/**
 * Random actions of several clients at once on one service, which is killed and started again: requests, properties,
 * scores, ratings, removals, retention, prices, mappings and reading again, aggregates.
 *
 * Claims: every `gateway-id` that a client got has exactly one record, every change that was acknowledged is there, nothing
 * that was removed reappears, counts and sums are those of the records. What is wrong is printed with its seed.
 *
 * Run: `bun bench/races.ts [--seeds 100] [--from SEED] [--actions 25] [--kills 2] [--minutes 60]`. Ends with status 1
 * where a claim fails.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { race } from "../test/e2e/races.ts";
import { startUpstream } from "../test/e2e/upstream.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: String(randomInt(2 ** 20)) },
    actions: { type: "string", default: "25" },
    kills: { type: "string", default: "2" },
    /** No seed begins later. */
    minutes: { type: "string", default: "60" },
  },
});
const from = Number(values.from);
const endsAt = performance.now() + Number(values.minutes) * 60_000;
await using upstream = await startUpstream();
let [seeds, requests, changes, failed] = [0, 0, 0, 0];
for (let seed = from; seed < from + Number(values.seeds) && performance.now() < endsAt; seed++) {
  const result = await race(upstream, { seed, actions: Number(values.actions), kills: Number(values.kills) });
  upstream.forget();
  seeds += 1;
  requests += result.requests;
  changes += result.changes;
  if (result.wrong.length > 0) failed += 1;
  for (const line of result.wrong.slice(0, 10)) console.log(`seed ${seed}: ${line}`);
  if (seeds % 10 === 0) console.log(`${seeds} seeds, ${requests} requests, ${changes} changes, ${failed} failed`);
}
console.log(`${seeds} seeds from ${from}: ${requests} requests, ${changes} changes; ${failed} seeds failed`);
process.exitCode = failed === 0 ? 0 : 1;
