import { expect, test } from "bun:test";
import type { LlmPart } from "../../src/web/pages/request/part.ts";
import { turnsOf } from "../../src/web/pages/request/turns.ts";
import { FOLDED_LINES, firstLines } from "../../src/web/parts/folded.tsx";
import { openLevels } from "../../src/web/parts/json-tree.tsx";

const ROLES: Readonly<Record<string, string>> = { s: "system", d: "developer", u: "user", a: "assistant", t: "tool" };
const messages = (roles: string): LlmPart[] => [...roles].map((role) => ({ role: ROLES[role]! }));
const letters = (parts: readonly LlmPart[]) => parts.map(({ role }) => role![0]).join("");

test.each([
  ["", "", "", ""],
  ["u", "", "", "u"],
  ["su", "s", "", "u"],
  ["sdu", "sd", "", "u"],
  ["s", "s", "", ""],
  // Two messages are shown: they are no more than the button.
  ["suau", "s", "", "uau"],
  ["suatau", "s", "uata", "u"],
  ["uauau", "", "uaua", "u"],
  // Results of tools are new, their calls are not.
  ["suatattt", "s", "uata", "ttt"],
  // A system prompt in the middle is a message like others.
  ["uasau", "", "uasa", "u"],
  // What the model is to continue is new.
  ["uauaua", "", "uaua", "ua"],
  ["uauauaa", "", "uaua", "uaa"],
  ["uaua", "", "", "uaua"],
  ["sa", "s", "", "a"],
])("of %p, %p lead, %p were said before, %p is new", (all, leading, earlier, fresh) => {
  const turns = turnsOf(messages(all));
  expect([letters(turns.leading), letters(turns.earlier), letters(turns.fresh)]).toEqual([leading, earlier, fresh]);
});

test("messages that say nothing of who speaks are not taken for the model's", () => {
  expect(turnsOf([{ content: "a" }, { content: "b" }, { content: "c" }, { content: "d" }]).earlier).toEqual([]);
});

test.each([
  ["", 1, undefined],
  ["a", 1, undefined],
  ["a\n", 1, undefined],
  ["a\nb", 1, "a"],
  ["a\nb\n", 2, undefined],
  ["a\n\nb", 2, "a\n"],
  [Array(FOLDED_LINES).fill("x").join("\n"), FOLDED_LINES, undefined],
  [`${Array(FOLDED_LINES).fill("x").join("\n")}\ny`, FOLDED_LINES, Array(FOLDED_LINES).fill("x").join("\n")],
])("the first lines of %p, at most %p, are %p", (text, lines, first) => {
  expect(firstLines(text, lines)).toBe(first!);
});

test.each([
  [{}, 1],
  [{ a: 1 }, 1],
  [{ a: { b: { c: 1 } } }, 3],
  [{ list: Array.from({ length: 200 }, () => ({ a: 1, b: 2 })) }, 2],
  [Array(301).fill(0), 1],
  [Array(1_000_000).fill(0), 1],
])("of a value, so many levels are open as fit", (value, levels) => {
  expect(openLevels(value)).toBe(levels);
});
