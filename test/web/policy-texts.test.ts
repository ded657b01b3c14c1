import { expect, test } from "bun:test";
import { policyTexts } from "../../src/web/pages/credentials/policy-texts.ts";

test.each([
  ["600;w=60", ["600 requests in a minute"]],
  ["600;w=60,5000;w=86400;u=cents", ["600 requests in a minute", "$50.00 in a day"]],
  ["1;w=3600;u=tokens;s=user", ["1 token in an hour, per user"]],
  ["six;w=60", ["six;w=60"]],
  ["6;u=cents", ["6;u=cents"]],
])("the policies %s read as words", (text, words) => {
  expect(policyTexts(text)).toEqual(words);
});
