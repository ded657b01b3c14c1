import { expect, test } from "bun:test";
import { renderToStaticMarkup } from "react-dom/server";
import { marked, marksOf } from "../../src/web/pages/requests/marks.tsx";

test.each([
  ["The fox sleeps.", "fox", "The <mark>fox</mark> sleeps."],
  ["The capital of France is Paris, says the elephant.", "elephant", "… says the <mark>elephant</mark>."],
  ["of a quick fox", "fox", "… a quick <mark>fox</mark>"],
  ["Donaudampfschifffahrt fox", "fox", "… <mark>fox</mark>"],
  ["Paris, or paris", "paris", "<mark>Paris</mark>, or <mark>paris</mark>"],
  ["nothing of it", "fox", "nothing of it"],
])("of %p a search for %p shows %p: the hit is among the first characters", (text, search, shown) => {
  expect(renderToStaticMarkup(marked(text, marksOf(search)))).toBe(shown);
});
