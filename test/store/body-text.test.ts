import { expect, test } from "bun:test";
import { bodyTexts } from "../../src/store/bodies/body-text.ts";

const BEGUN = {
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "Half of" } }],
};
const NAMELESS = { code: 7 };
const STATED = { error: { message: "the model is overloaded" } };

test.each([
  ["client_gone", 499, BEGUN, undefined],
  ["upstream_failed", 502, BEGUN, undefined],
  ["cut_off", 500, BEGUN, undefined],
  ["upstream_failed", 502, STATED, "the model is overloaded"],
  ["complete", 500, NAMELESS, "the provider reported an error without a message"],
  ["failed", 503, STATED, "the model is overloaded"],
])("of an exchange that ended as %s with %p, the error is the provider's own: %j", (outcome, status, body, message) => {
  const row = {
    wire_schema: "chat-completions",
    outcome,
    response_status: status,
    request_path: "/v1/chat/completions",
  };
  const content = Buffer.from(JSON.stringify(body));
  const response = { form: "json", bytes: content.byteLength, hash: null, contentType: null, content } as const;
  const { llmSchema } = bodyTexts(row as never, { response }, { of: () => undefined });
  expect(JSON.parse(llmSchema).response.error?.gatewayMessage).toBe(message);
});
