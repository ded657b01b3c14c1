import { messageOf } from "../../log.ts";
import { fit } from "../../mapping/translate/fit.ts";
import { SHAPES } from "../../mapping/wire/shapes.ts";
import type { Call, Json, Prompt, Shape } from "../../plugin-host/contract.ts";
import { clientFaults } from "./client-faults.ts";

/** What a client may send: texts and settings; a picture; a conversation with a call and its result. */
const BODIES: readonly Json[] = [
  {
    model: "m-1",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Say hello." },
    ],
    ...{ max_tokens: 50, temperature: 0.5, top_p: 0.9, stop: ["."], seed: 1, user: "ada", stream: true },
  },
  {
    model: "m-1",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ],
  },
  {
    model: "m-1",
    tools: [{ type: "function", function: { name: "clock", parameters: { type: "object", properties: {} } } }],
    tool_choice: "auto",
    messages: [
      { role: "user", content: "What time is it?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "clock", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "noon" },
      { role: "user", content: "And now?" },
    ],
  },
];

/** What a provider may send that is not its own format. */
const STRANGE: readonly Json[] = [
  undefined,
  null,
  true,
  3,
  "text",
  [],
  [null],
  {},
  { error: null },
  { error: "it broke" },
];

const CALL: Call = { model: "m-1", facts: {}, issuer: "test" };

/** The faults of a shape with prompts of several kinds and with strange responses, as sentences; each member's first one. */
export function shapeFaults(shape: Shape): readonly string[] {
  const faults = new Map<string, string>();
  const attempt = (member: keyof Shape, run: () => string | undefined) => {
    const fault = faultOf(run);
    if (fault !== undefined && !faults.has(member)) faults.set(member, `the shape ${shape.name}: ${member} ${fault}`);
  };
  const prompts = BODIES.map((body) => fit(SHAPES["chat-completions"]!.readRequest!(body), shape, CALL).prompt);
  for (const prompt of prompts) attempt("writeRequest", () => unwritable(shape, prompt));
  for (const body of STRANGE) {
    const sent = JSON.stringify(body) ?? "no body";
    attempt("readAnswer", () => listed(shape.readAnswer(body)?.choices, "list of choices", sent));
    attempt("readEvent", () => listed(shape.readEvent({}, { data: body }), "list of pieces", sent));
    attempt("readError", () => {
      const { status, message } = shape.readError(500, body);
      return typeof status === "number" && typeof message === "string" ? undefined : `returns no message for ${sent}`;
    });
  }
  return [...faults.values(), ...clientFaults(shape, prompts, CALL)];
}

function faultOf(run: () => string | undefined): string | undefined {
  try {
    return run();
  } catch (error) {
    return `throws: ${messageOf(error)}`;
  }
}

function unwritable(shape: Shape, prompt: Prompt): string | undefined {
  const body = shape.writeRequest(prompt, CALL)?.body;
  return typeof body === "object" && body !== null ? undefined : "returns no body";
}

function listed(value: unknown, what: string, sent: string): string | undefined {
  return Array.isArray(value) ? undefined : `returns no ${what} for ${sent}`;
}
