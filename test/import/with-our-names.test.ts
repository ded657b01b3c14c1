import { expect, test } from "bun:test";
import { withOurNames } from "../../src/import/with-our-names.ts";
import { KEY, startWeir } from "../e2e/weir.ts";
import { run } from "../export/run-in-test.ts";
import { importInto } from "./run-import.ts";

const ID = "0b7c9a52-1111-4222-8333-444455556666";
const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "How high is it?" }] };
const RESPONSE = {
  id: "c-1",
  object: "chat.completion",
  choices: [{ message: { role: "assistant", content: "Very" } }],
};

/** A record as the other product writes it. */
const FOREIGN = {
  response_id: "f6d1",
  response_created_at: "2026-03-04T05:06:08.009+00:00",
  response_body: RESPONSE,
  response_status: 200,
  response_model: "gpt-4o",
  request_id: ID,
  request_created_at: "2026-03-04 05:06:07.008",
  request_body: CHAT,
  request_path: "https://api.openai.com/v1/chat/completions",
  request_user_id: "u-1",
  request_properties: {
    Team: "night",
    "Acme-Property-Plan": "pro",
    "Acme-Session-Id": "s-1",
    "acme-session-name": "Hills",
    "Acme-Session-Path": "/a/b",
    Count: 3,
    Gone: null,
  },
  request_model: "gpt-4o",
  model_override: null,
  acme_user: "ci",
  provider: "openai",
  delay_ms: "1001",
  time_to_first_token: null,
  total_tokens: 12,
  prompt_tokens: "5",
  completion_tokens: 7,
  cost: 0.00125,
  scores: { "acme-score-feedback": 1, quality: 80, helpful: true },
  feedback_id: "77777777-1111-4222-8333-444455556666",
  feedback_rating: true,
  feedback_created_at: "2026-03-04T06:00:00Z",
  llmSchema: { request: {}, response: { error: { acmeMessage: "not now" } } },
  asset_ids: null,
  cache_enabled: 0,
  acme_internal: "x",
  cost_precision: 9,
};

test("records of another product arrive in Weir's words", async () => {
  await using weir = await startWeir();
  const bare = { request_id: ID.replace("0b", "0c"), request_created_at: "2026-03-05T00:00:00Z", acme_internal: 1 };
  const { status, stderr } = await importInto(weir.api, ["-", "--brand", "Acme"], JSON.stringify([FOREIGN, bare]));
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringContaining("left out: acme_internal (2), cost_precision (1)\n"),
  });
  const argv = ["--include-body", "--output", "-", "--start-date", "2026-03-01"];
  const { stdout } = await run(weir.api, argv, {}, { WEIR_API_KEY: KEY });
  const [first, second] = stdout
    .toString()
    .split("\n", 2)
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject({
    request_id: ID,
    request_created_at: "2026-03-04T05:06:07.008Z",
    response_created_at: "2026-03-04T05:06:08.009Z",
    gateway_user: "ci",
    request_path: "/v1/chat/completions",
    target_url: "https://api.openai.com/v1/chat/completions",
    provider: "OPENAI",
    delay_ms: 1001,
    prompt_tokens: 5,
    total_tokens: 12,
    cost: 0.00125,
    cost_source: null,
    properties: { Team: "night", Plan: "pro", Count: "3" },
    session_id: "s-1",
    session_name: "Hills",
    session_path: "/a/b",
    scores: { "gateway-score-feedback": 1, quality: 80, helpful: 1 },
    feedback_rating: true,
    feedback_id: expect.stringMatching(/^\d+$/),
    feedback_created_at: "2026-03-04T06:00:00.000Z",
    cache_enabled: false,
    error_message: "not now",
    request_body: CHAT,
    response_body: RESPONSE,
  });
  expect(first.llmSchema.request.messages).toMatchObject([{ role: "user", content: "How high is it?" }]);
  expect(Object.keys(first.properties)).toEqual(["Team", "Plan", "Count"]);
  expect(second).toMatchObject({ response_status: 500, outcome: "cut_off", model: null, cost: null, llmSchema: null });
}, 300_000);

test.each([
  [
    "a property named like a member of every object",
    { properties: { "acme-constructor": "c" } },
    { properties: { "acme-constructor": "c" } },
  ],
  [
    "a setting that the record has already",
    { session_id: "own", properties: { "Acme-Session-Id": "other" } },
    { session_id: "own", properties: {} },
  ],
  ["a brand's number for an id", { job_id: 7, prompt_id: "p" }, { job_id: "7", prompt_id: "p" }],
  ["text where there is no number", { cost: "", total_tokens: "many" }, { cost: "", total_tokens: "many" }],
])("%s", (_, given, expected) => {
  const { text } = withOurNames(JSON.stringify(given), given, "acme");
  expect(JSON.parse(text)).toMatchObject(expected);
});

test("bodies pass letter for letter", () => {
  const text = '{"request_body":{ "n": 12345678901234567890, "n": 1e400 },"response_body":"\\u00e9"}';
  const { text: translated } = withOurNames(text, JSON.parse(text), "acme");
  expect(translated).toContain('"request_body":{ "n": 12345678901234567890, "n": 1e400 },"response_body":"\\u00e9"}');
});
