import { expect, test } from "bun:test";
import { toRecorded } from "../../src/jobs/remap/recorded.ts";
import { reread } from "../../src/jobs/remap/reread.ts";
import type { RequestRow } from "../../src/record/request-record.ts";
import { LearntTables } from "../../src/store/models/learnt.ts";

const context = { provider: () => undefined, learnt: new LearntTables([]) };
const part = (value: object) =>
  ({ form: "json", content: Buffer.from(JSON.stringify(value)), contentType: null }) as const;
const BODIES = {
  request: part({ model: "m", messages: [{ role: "user", content: "hi" }] }),
  response: part({
    object: "chat.completion",
    model: "m",
    choices: [{ message: { role: "assistant", content: "a" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 4 },
  }),
};

test.each([
  ["that its client left keeps its usage", { response_status: 499, total_tokens: 7 }, 7],
  ["of a failure has none", { response_status: 500, total_tokens: null }, null],
])("a record %s when its bodies are read again", async (_name, columns, total) => {
  const row = { method: "POST", request_path: "/v1/chat/completions", target_url: null, truncated: 0, ...columns };
  const recorded = toRecorded({ ...EMPTY, ...row } as unknown as RequestRow, BODIES as never);
  const change = await reread(recorded, context);
  expect(change?.columns.total_tokens ?? null).toBe(total);
});

const EMPTY = {
  request_id: "r",
  organization_id: "o",
  provider: "CUSTOM",
  request_created_at: 0,
  ai_gateway_body_mapping: "NO_MAPPING",
  routed_model: null,
  model_override: null,
  cost_source: null,
  cost: null,
  cache_reference_id: null,
  error_message: null,
  wire_schema: "chat-completions",
};
