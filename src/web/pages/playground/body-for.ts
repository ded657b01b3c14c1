import { type Body, type Draft, promptBody, shapeOf } from "./draft.ts";

/** OpenAI's newer models want another name for the limit of a chat's answer, which many others do not know. */
const OPENAI_MODEL = /^(?:openai|azure)[:/]|^(?:gpt-|o\d)/i;

/** What is sent for one of a draft's models. @throws DraftError. */
export function bodyFor({ prompt, stream }: Draft, model: string): Body {
  const { max_tokens, ...body } = promptBody(prompt);
  const isChat = shapeOf(prompt) === "chat-completions";
  const name = isChat && !("json" in prompt) && OPENAI_MODEL.test(model) ? "max_completion_tokens" : "max_tokens";
  return {
    model,
    ...body,
    ...(max_tokens !== undefined && { [name]: max_tokens }),
    ...(stream && { stream }),
    // Without it a provider does not say what a streamed chat used.
    ...(stream && isChat && body["stream_options"] === undefined && { stream_options: { include_usage: true } }),
  };
}
