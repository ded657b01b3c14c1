import { expect, test } from "bun:test";
import { outcomeText } from "../../src/web/pages/request/outcome.ts";
import type { RequestRecord } from "../../src/web/pages/request/record.ts";

const said = (response_status: number | null, outcome: string | null, error_message: string | null = null) =>
  outcomeText({ response_status, outcome, error_code: null, error_message } as RequestRecord);

test.each([
  [500, "complete", "overloaded", "The provider responded with an error. Overloaded."],
  [502, "complete", null, "The provider responded with an error: see the response."],
  [500, "cut_off", null, /^The gateway stopped before the end/],
  [
    502,
    "upstream_failed",
    "no such host",
    /^The provider closed the connection, or could not be reached. No such host\.$/,
  ],
  [502, "upstream_failed", "the provider could not be reached", /^The provider could not be reached\.$/],
  [504, "upstream_timeout", null, /^The provider did not respond in time/],
  [499, "client_gone", null, /^The client disconnected/],
  [429, "refused", "the limit “all” is spent", "The limit “all” is spent."],
  [429, "refused", "llm.example.com is not an approved domain", "llm.example.com is not an approved domain."],
  [null, null, null, /in flight/],
] as const)("status %p of an exchange that ended as %p is shown as what it is", (status, outcome, message, text) => {
  expect(said(status, outcome, message)).toMatch(text);
});

test("a response that is simply one needs no words", () => {
  expect(said(200, "complete")).toBeUndefined();
});
