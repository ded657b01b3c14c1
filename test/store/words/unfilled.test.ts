import { expect, test } from "bun:test";
import fc from "fast-check";
import { atStart, below, highestUnfilled, leftToFill, type Unfilled } from "../../../src/store/words/unfilled.ts";
import { assertProperty } from "../../chance.ts";

const NONE: Unfilled = { ranges: [], offSince: null };

test("a directory without an index is filled from its newest record down, an empty one not at all", () => {
  expect(atStart(undefined, { isIndexed: true, newest: 9 })).toEqual({
    ranges: [{ first: 1, last: 9 }],
    offSince: null,
  });
  expect(atStart(undefined, { isIndexed: true, newest: 0 })).toEqual(NONE);
});

const LIFE = fc.array(fc.record({ isIndexed: fc.boolean(), records: fc.nat(5), done: fc.nat(12) }), { maxLength: 12 });

test("whatever is on or off from start to start, a record without words is in what is left", async () => {
  await assertProperty(
    fc.property(LIFE, fc.boolean(), (starts, isOld) => {
      // A version that knew nothing of words left three records.
      const words: boolean[] = isOld ? [false, false, false] : [];
      let state: Unfilled | undefined;
      for (const { isIndexed, records, done } of starts) {
        state = atStart(state, { isIndexed, newest: words.length });
        for (let step = 0; step < done && state.ranges.length > 0; step++) {
          const top = highestUnfilled(state);
          if (isIndexed) words[top - 1] = true;
          state = { ...state, ranges: below(state.ranges, top) };
        }
        for (let at = 0; at < records; at++) words.push(isIndexed);
        const lasts = state.ranges.map(({ last }) => last);
        expect(lasts).toEqual(lasts.toSorted((a, b) => b - a));
        const { ranges, offSince } = state;
        const isLeft = (seq: number) =>
          ranges.some(({ first, last }) => first <= seq && seq <= last) || (offSince !== null && seq > offSince);
        for (const [at, has] of words.entries()) expect(has || isLeft(at + 1)).toBe(true);
        if (isIndexed) expect(leftToFill(state)).toBeLessThanOrEqual(words.length);
      }
    }),
  );
});
