import { expect, test } from "bun:test";
import fc from "fast-check";
import { PassingMap } from "../../src/runtime/passing-map.ts";
import { assertProperty } from "../chance.ts";

test("it holds what a Map holds, in the same order, whatever comes and goes", () => {
  const step = fc.record({ key: fc.nat(8), sets: fc.boolean() });
  assertProperty(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const [map, passing] = [new Map<number, number>(), new PassingMap<number, number>()];
      for (const [at, { key, sets }] of steps.entries()) {
        if (sets) map.set(key, at);
        else map.delete(key);
        if (sets) passing.set(key, at);
        else passing.delete(key);
        expect(passing.get(key)).toBe(map.get(key));
      }
      expect([...passing.entries()]).toEqual([...map]);
      expect([...passing.values()]).toEqual([...map.values()]);
      expect(passing.size).toBe(map.size);
      passing.clear();
      expect([...passing.values()]).toEqual([]);
    }),
  );
});
