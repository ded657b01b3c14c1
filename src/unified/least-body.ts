import { GatewayError } from "../errors.ts";
import { messageOf } from "../log.ts";
import { fit } from "../mapping/translate/fit.ts";
import type { Call, Json } from "../plugin-host/contract.ts";
import { type ClientApi, shapeOfApi } from "./client-api.ts";
import type { ClientShape } from "./client-shapes.ts";

const WORD = "a";
const MESSAGES = [{ role: "user", content: WORD }];

/** The minimal body of each shape, without its model. */
const LEAST: Readonly<Record<ClientShape, object>> = {
  "chat-completions": { messages: MESSAGES },
  responses: { input: WORD },
  messages: { max_tokens: 1_000, messages: MESSAGES },
  "generate-content": { contents: [{ role: "user", parts: [{ text: WORD }] }] },
  completions: { prompt: WORD },
  embeddings: { input: WORD },
};

/** The minimal body of a client's API. A drop-in's shape writes its own. @throws GatewayError if the shape fails. */
export function leastBody(api: ClientApi, model: string): Json {
  if (typeof api === "string") return { model, ...LEAST[api as ClientShape] };
  const call: Call = { model, facts: {}, issuer: api.name };
  const prompt = shapeOfApi("chat-completions")!.readRequest!({ model, messages: MESSAGES });
  try {
    return api.writeRequest(fit(prompt, api, call).prompt, call).body;
  } catch (error) {
    throw new GatewayError("plugin_failed", `the shape ${api.name} failed: writeRequest throws: ${messageOf(error)}`);
  }
}
