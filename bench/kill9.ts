/**
 * `kill -9` at random moments under mixed load, again and again.
 *
 * Claim: every `gateway-id` whose headers reached a client has exactly one record; cut-off ones say 500; every body is
 * recorded as the client sent or got it.
 * A data directory serves `--rounds-each` rounds, is then compared with all that clients saw, and makes room for the next
 * one, so that thousands of rounds need the disk of a hundred. `--out` gets a line of JSON for each round.
 *
 * Run: `bun bench/kill9.ts [--rounds 20] [--clients 48] [--rounds-each 100] [--seed N] [--out FILE]`. Ends with status 1
 * where the claim fails.
 */
import { randomInt } from "node:crypto";
import { appendFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type CrashRound, crashRounds } from "../test/e2e/crash.ts";
import { startUpstream } from "../test/e2e/upstream.ts";
import { seededNumbers } from "./seeded-numbers.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    clients: { type: "string", default: "48" },
    "rounds-each": { type: "string", default: "100" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    out: { type: "string" },
  },
});
const [rounds, each] = [Number(values.rounds), Number(values["rounds-each"])];
const next = seededNumbers(Number(values.seed));
await using upstream = await startUpstream();
const done: CrashRound[] = [];
const atTheEnd: string[] = [];
const startedAt = performance.now();

const keep = (line: object) => values.out && appendFileSync(values.out, `${JSON.stringify(line)}\n`);
const total = (pick: (round: CrashRound) => number) => done.reduce((sum, round) => sum + pick(round), 0);

if (values.out !== undefined) writeFileSync(values.out, "");
keep({
  rounds,
  clients: Number(values.clients),
  roundsEach: each,
  seed: Number(values.seed),
  at: new Date().toISOString(),
});
console.log(`seed ${values.seed}: the moments of the kills; which requests they hit depends on the machine`);
console.log(
  "round  killed_ms   seen  whole  cut_off  left  found  missing  doubled  wrong  bodies  differing  whole_but_cut  recovered_ms",
);
while (done.length < rounds) {
  const lost = await crashRounds(
    upstream,
    Math.min(each, rounds - done.length),
    Number(values.clients),
    () => 150 + next() * 1_500,
    show,
  );
  atTheEnd.push(...lost);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`${done.length} of ${rounds} rounds in ${minutes} minutes: ${summary()}`);
}
console.log(`${done.length} rounds: ${summary()}`);
keep({ summary: summary() });
process.exitCode = failures() === 0 ? 0 : 1;

function show(round: CrashRound): void {
  done.push(round);
  keep({ round: done.length, ...round });
  const cells: [number, number][] = [
    [done.length, 5],
    [round.killedAfterMs, 9],
    [round.seen, 5],
    [round.whole, 5],
    [round.cutOff, 7],
    [round.left, 4],
    [round.found, 5],
    [round.missing.length, 7],
    [round.doubled.length, 7],
    [round.wrong.length, 5],
    [round.bodies, 6],
    [round.differing.length, 9],
    [round.wholeButCutInRecord, 13],
    [round.recoveredMs, 12],
  ];
  console.log(cells.map(([value, width]) => String(value).padStart(width)).join("  "));
  for (const line of [...round.missing.map((id) => `missing ${id}`), ...round.wrong, ...round.differing].slice(0, 10))
    console.log(`       ${line}`);
}

function failures(): number {
  return (
    atTheEnd.length +
    total(({ missing, doubled, wrong, differing }) => missing.length + doubled.length + wrong.length + differing.length)
  );
}

function summary(): string {
  return (
    `ids seen ${total(({ seen }) => seen)}, found ${total(({ found }) => found)}, ` +
    `cut off ${total(({ cutOff }) => cutOff)}, missing ${total(({ missing }) => missing.length)}, ` +
    `doubled ${total(({ doubled }) => doubled.length)}, wrong status ${total(({ wrong }) => wrong.length)}, ` +
    `bodies compared ${total(({ bodies }) => bodies)}, differing ${total(({ differing }) => differing.length)}, ` +
    `not there once each at the end of a directory ${atTheEnd.length}, ` +
    `whole but cut in the record ${total(({ wholeButCutInRecord }) => wholeButCutInRecord)}, ` +
    `cut but whole in the record ${total(({ cutButWholeInRecord }) => cutButWholeInRecord)}`
  );
}
