import { expect, test } from "bun:test";
import { Turns } from "../../../src/gateway/cache/turns.ts";

test("at most so many tasks run at once, the others in their order, also after one that fails", async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const results = Array.from({ length: 5 }, (_, at) => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return turns.take(() => {
      begun.push(at);
      return end.promise;
    });
  });
  expect(begun).toEqual([0, 1]);
  ends[1]!.reject(new Error("broke"));
  await expect(results[1]!).rejects.toThrow("broke");
  expect(begun).toEqual([0, 1, 2]);
  for (const end of ends) end.resolve();
  await Promise.allSettled(results);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  await turns.take(async () => void begun.push(5));
  expect(begun).toHaveLength(6);
});
