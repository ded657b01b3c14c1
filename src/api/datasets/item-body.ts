import { type Static, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { storable } from "../../record/storable.ts";
import type { Example } from "../../store/datasets/items.ts";

const TEXT_MAX = 1_048_576;
const ROLES = ["system", "developer", "user", "assistant", "tool"];

const strict = { additionalProperties: false };
const LABEL = t.String({ minLength: 1, maxLength: 100, pattern: "\\S", expects: "give 1 to 100 characters" });
const MEMBERS = {
  input: t.Object(
    { messages: t.Array(t.Unknown(), { minItems: 1 }), tools: t.Optional(t.Array(t.Unknown())) },
    { ...strict, description: "`messages` and `tools` as OpenAI's chat completions have them." },
  ),
  output: t.Optional(
    t.Union([t.Object({}, { additionalProperties: true }), t.Null()], {
      description: "The assistant's message that is right; null where that is open.",
    }),
  ),
  labels: t.Optional(t.Array(LABEL, { maxItems: 50, description: "Labels to filter by." })),
  note: t.Optional(t.String({ maxLength: 10_000 })),
};

export const NEW_ITEM = t.Object(MEMBERS, strict);
export const ITEM_CHANGES = t.Partial(NEW_ITEM, strict);
export type ItemBody = Static<typeof NEW_ITEM>;

/** @param path - of the item in the body, for errors. @throws GatewayError `invalid_body` that names the wrong member. */
export function readExample({ input, output = null, labels = [], note = "" }: ItemBody, path: string): Example {
  const at = (member: string) => (path === "" ? member : `${path}.${member}`);
  for (const [index, message] of input.messages.entries()) readMessage(message, at(`input.messages.${index}`), ROLES);
  if (output !== null) readMessage(output, at("output"), ["assistant"]);
  for (const [member, value] of Object.entries({ input, output })) {
    if (JSON.stringify(value).length > TEXT_MAX) throw wrong(at(member), `it is longer than ${TEXT_MAX} characters`);
  }
  const unique = [...new Set(labels.map((label) => storable(label.trim())))];
  return { request_id: null, input: clean(input), output: clean(output), labels: unique, note: storable(note) };
}

const clean = (value: Json): Json => JSON.parse(storable(JSON.stringify(value)));

function readMessage(message: Json, path: string, roles: readonly string[]): void {
  if (message === null || typeof message !== "object" || Array.isArray(message))
    throw wrong(path, "a message is an object with role and content");
  if (!roles.includes(message.role)) throw wrong(`${path}.role`, `give ${roles.join(", ")}`);
  const { content } = message;
  if (content !== undefined && content !== null && typeof content !== "string" && !Array.isArray(content))
    throw wrong(`${path}.content`, "give a text, a list of parts, or null");
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}
