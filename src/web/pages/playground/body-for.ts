import type { ListedModel } from "../../name-queries.ts";
import { type Body, type Draft, promptBody, shapeOf } from "./draft.ts";
import { limitName } from "./limit-name.ts";

/** The body for one of a draft's models. @throws DraftError. */
export function bodyFor({ prompt, stream }: Draft, model: string, listed: readonly ListedModel[]): Body {
  const { max_tokens, ...body } = promptBody(prompt);
  const isChat = shapeOf(prompt) === "chat-completions";
  const name = isChat && !("json" in prompt) ? limitName(model, listed) : "max_tokens";
  return {
    model,
    ...body,
    ...(max_tokens !== undefined && { [name]: max_tokens }),
    ...(stream && { stream }),
    // Without it, a provider does not report the usage of a streamed chat.
    ...(stream && isChat && body["stream_options"] === undefined && { stream_options: { include_usage: true } }),
  };
}
