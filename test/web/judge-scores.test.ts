import { expect, test } from "bun:test";
import { draftsOf, scoresOf } from "../../src/web/pages/judges/score-drafts.ts";
import { readDrafts } from "../../src/web/pages/reviews/score-fields.tsx";

const CHOICES = [
  { label: "a=b", value: 1 },
  { label: "bad", value: -0.5 },
];

test("a judge's scores are the same after they were in the form", () => {
  const scores = [
    { name: "helpful", kind: "number", description: "1 helps" },
    { name: "safe", kind: "boolean" },
    { name: "tone", kind: "choice", choices: CHOICES },
  ] as const;
  expect(
    scoresOf(draftsOf(scores.map((score) => ({ ...score, ...("choices" in score ? { choices: CHOICES } : {}) })))),
  ).toEqual(scores as never);
});

test("choices of another kind, and spaces around words, are not sent", () => {
  const draft = { id: 0, name: " a ", description: " ", choices: "x=1" };
  expect(scoresOf([{ ...draft, kind: "boolean" }])).toEqual([{ name: "a", kind: "boolean" }]);
});

test("a choice without a number is no number, so that the API reports it", () => {
  const draft = { id: 0, name: "a", description: "", kind: "choice", choices: "good=1, bad, poor=" } as const;
  const values = [1, Number.NaN, Number.NaN];
  expect(scoresOf([draft])[0]!.choices!.map(({ value }) => value)).toEqual(values);
  const [review] = readDrafts([draft]) as readonly { readonly choices: readonly { readonly value: number }[] }[];
  expect(review!.choices.map(({ value }) => value)).toEqual(values);
});
