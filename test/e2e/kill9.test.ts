import { expect, test } from "bun:test";
import { chance } from "../chance.ts";
import { type CrashRound, crashRounds } from "./crash.ts";
import { startUpstream } from "./upstream.ts";

test("after kill -9 under load every id that reached a client has exactly one record, cut-off ones with status 500", async () => {
  await using upstream = await startUpstream();
  const rounds: CrashRound[] = [];
  const random = chance("moments of kills");
  const lost = await crashRounds(
    upstream,
    3,
    24,
    () => 300 + random.number() * 900,
    (round) => rounds.push(round),
  );
  expect(lost).toEqual([]);
  for (const round of rounds) {
    expect({ ...round, missing: round.missing, doubled: round.doubled, wrong: round.wrong }).toMatchObject({
      found: round.seen,
      missing: [],
      doubled: [],
      wrong: [],
      differing: [],
    });
    expect(round.cutButWholeInRecord).toBeLessThanOrEqual(1);
  }
  expect(rounds.reduce((sum, { seen }) => sum + seen, 0)).toBeGreaterThan(30);
  expect(rounds.some(({ cutOff }) => cutOff > 0)).toBe(true);
}, 300_000);
