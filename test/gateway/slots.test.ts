import { expect, test } from "bun:test";
import { Slots } from "../../src/gateway/slots.ts";

const named = (name: string) => ({ name, slot: 0 });

test("members leave in any order, each once", () => {
  const [a, b, c] = [named("a"), named("b"), named("c")];
  const slots = new Slots<typeof a>();
  for (const each of [a, b, c]) slots.add(each);
  const before = slots.all();
  slots.remove(a);
  slots.remove(a);
  expect(new Set(slots.all())).toEqual(new Set([b, c]));
  slots.remove(c);
  slots.remove(named("d"));
  expect(slots.all()).toEqual([b]);
  expect([slots.some(({ name }) => name === "b"), slots.some(({ name }) => name === "a")]).toEqual([true, false]);
  slots.remove(b);
  expect([slots.size, before.length]).toEqual([0, 3]);
});
