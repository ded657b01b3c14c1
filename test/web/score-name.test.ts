import { expect, test } from "bun:test";
import { columnOf, scoreColumn } from "../../src/web/pages/requests/columns.tsx";
import { panelsOf } from "../../src/web/pages/scores/panels.ts";
import { FEEDBACK, scoreName, scoreTitle } from "../../src/web/parts/score-name.ts";

test("feedback has a readable name wherever a score has one; other names are as stored", () => {
  expect([scoreName(FEEDBACK), scoreTitle(FEEDBACK)]).toEqual(["Feedback", "Feedback"]);
  expect([scoreName("helpful"), scoreTitle("helpful")]).toEqual(["helpful", "Score helpful"]);
  expect(panelsOf(FEEDBACK, undefined).map(({ title }) => title)).toEqual([
    "Feedback, mean",
    "Requests with Feedback",
    "Feedback by model",
    "Feedback by prompt version",
    "Feedback by key",
  ]);
});

test("panels and columns of feedback still ask for it by its stored name", () => {
  const [mean] = panelsOf(FEEDBACK, undefined);
  expect(mean!.metrics).toEqual([`score:${FEEDBACK}`]);
  const column = columnOf(scoreColumn(FEEDBACK))!;
  expect([column.id, column.header]).toEqual([`score:${FEEDBACK}`, "Feedback"]);
});
