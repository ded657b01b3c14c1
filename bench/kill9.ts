/**
 * `kill -9` at random moments under mixed load, again and again over one data directory.
 *
 * Claim: every `gateway-id` whose headers reached a client has exactly one record; cut-off ones say 500.
 * Run: `bun bench/kill9.ts [--rounds 20] [--clients 48]`. Ends with status 1 where the claim fails.
 */
import { parseArgs } from "node:util";
import { type CrashRound, crashRounds } from "../test/e2e/crash.ts";
import { startUpstream } from "../test/e2e/upstream.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "20" }, clients: { type: "string", default: "48" } },
});
await using upstream = await startUpstream();
const rounds: CrashRound[] = [];
console.log(
  "round  killed_ms   seen  whole  cut_off  left  found  missing  doubled  wrong  whole_but_cut  recovered_ms",
);
const lost = await crashRounds(
  upstream,
  Number(values.rounds),
  Number(values.clients),
  () => 150 + Math.random() * 1_500,
  (round) => {
    rounds.push(round);
    const cells: [number, number][] = [
      [rounds.length, 5],
      [round.killedAfterMs, 9],
      [round.seen, 5],
      [round.whole, 5],
      [round.cutOff, 7],
      [round.left, 4],
      [round.found, 5],
      [round.missing.length, 7],
      [round.doubled.length, 7],
      [round.wrong.length, 5],
      [round.wholeButCutInRecord, 13],
      [round.recoveredMs, 12],
    ];
    console.log(cells.map(([value, width]) => String(value).padStart(width)).join("  "));
    for (const line of [...round.missing.map((id) => `missing ${id}`), ...round.wrong].slice(0, 10))
      console.log(`       ${line}`);
  },
);
const total = (pick: (round: CrashRound) => number) => rounds.reduce((sum, round) => sum + pick(round), 0);
const failed = lost.length + total(({ missing, doubled, wrong }) => missing.length + doubled.length + wrong.length);
console.log(
  `${rounds.length} rounds: ids seen ${total(({ seen }) => seen)}, found ${total(({ found }) => found)}, ` +
    `cut off ${total(({ cutOff }) => cutOff)}, missing ${total(({ missing }) => missing.length)}, ` +
    `doubled ${total(({ doubled }) => doubled.length)}, wrong status ${total(({ wrong }) => wrong.length)}, ` +
    `not there once each at the very end ${lost.length}, ` +
    `whole but cut in the record ${total(({ wholeButCutInRecord }) => wholeButCutInRecord)}, ` +
    `cut but whole in the record ${total(({ cutButWholeInRecord }) => cutButWholeInRecord)}`,
);
process.exitCode = failed === 0 ? 0 : 1;
