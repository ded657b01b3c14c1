import { expect, test } from "bun:test";
import { type CrashRound, crashRounds } from "./crash.ts";
import { startUpstream } from "./upstream.ts";

test("after kill -9 under load every id that reached a client has exactly one record, cut-off ones with status 500", async () => {
  await using upstream = await startUpstream();
  const rounds: CrashRound[] = [];
  await crashRounds(
    upstream,
    3,
    24,
    () => 200 + Math.random() * 700,
    (round) => rounds.push(round),
  );
  for (const round of rounds) {
    expect(round.seen).toBeGreaterThan(20);
    expect({ ...round, missing: round.missing, doubled: round.doubled, wrong: round.wrong }).toMatchObject({
      found: round.seen,
      missing: [],
      doubled: [],
      wrong: [],
    });
  }
  expect(rounds.some(({ cutOff }) => cutOff > 0)).toBe(true);
}, 60_000);
