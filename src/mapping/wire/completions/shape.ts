import type {
  Answer,
  Choice,
  Json,
  Piece,
  Prompt,
  Reply,
  SentEvent,
  Shape,
  Usage,
  WrittenRequest,
} from "../../../plugin-host/contract.ts";
import { pickDefined, textOf } from "../../json.ts";
import { as, digits, type MemberReader, number, PromptDraft, readMembers, text, texts } from "../../translate/draft.ts";
import { finishWord, readAnswer, writeUsage } from "../chat-completions/answer.ts";
import { readEvent } from "../chat-completions/read-events.ts";
import { readError, writeError, writeStatus } from "../openai-errors.ts";

/**
 * OpenAI's older completions. For clients: the prompt becomes one user text, and the response's text is returned. Requests
 * are never translated into it: its providers receive only the unchanged requests of its own clients.
 */
export const completionsShape: Shape = {
  name: "completions",
  endpoint: /(?<!\/chat)\/completions$/,
  writeRequest,
  readAnswer,
  readEvent,
  readError,
  readRequest,
  writeAnswer,
  writeEvents,
  writeError,
  writeStatus,
  keepAlive: () => ({ comment: "keep-alive" }),
};

function readRequest(body: Json): Prompt {
  const draft = new PromptDraft("completions");
  draft.wants.reasoning = false;
  readMembers(draft, body, MEMBERS);
  if (draft.messages.length === 0 && !draft.losses.some(({ path }) => path === "prompt"))
    draft.lose("invalid", "prompt", "must be a text");
  return draft.finish();
}

/** Members that a chat cannot express, because they change the form of the response. Default values are ignored. */
const beyond: MemberReader = (draft, value, at) => {
  if (value !== false && value !== "" && !(at === "best_of" && value === 1))
    draft.lose("refused", at, "only a provider of completions has it");
};

const MEMBERS: Readonly<Record<string, MemberReader>> = {
  model: (draft, value) => {
    draft.model = textOf(value);
  },
  prompt: (draft, value, at) => {
    const prompt = textOf(value) ?? (Array.isArray(value) && value.length === 1 ? textOf(value[0]) : undefined);
    if (prompt === undefined) draft.lose("refused", at, "must be one text");
    else draft.messages.push({ role: "user", parts: [{ type: "text", text: prompt, at }], at });
  },
  stream: (draft, value) => {
    draft.stream = value === true;
  },
  stream_options: (draft, value) => {
    if (value.include_usage === true) draft.wants.usage = true;
  },
  suffix: beyond,
  echo: beyond,
  best_of: beyond,
  logprobs: beyond,
  max_tokens: number("maxTokens"),
  temperature: number("temperature"),
  top_p: number("topP"),
  n: number("n"),
  seed: digits("seed"),
  presence_penalty: number("presencePenalty"),
  frequency_penalty: number("frequencyPenalty"),
  logit_bias: as("logitBias"),
  user: text("user"),
  stop: (draft, value, at) => {
    if (typeof value === "string") draft.set("stop", [value], at);
    else texts("stop")(draft, value, at);
  },
};

function writeRequest(): WrittenRequest {
  return {
    body: {},
    losses: [{ kind: "refused", path: "messages", why: "the target completes texts and has no turns" }],
  };
}

const head = ({ id, created, model }: Reply) => ({ id, object: "text_completion", created, model });

const choiceOf = (index: number, said: string, finish_reason: string | null): Json => ({
  text: said,
  index,
  logprobs: null,
  finish_reason,
});

function writeAnswer({ choices, usage }: Answer, reply: Reply): Json {
  const written = choices.map(({ parts, finish }: Choice, index) => {
    const said = parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : []));
    return choiceOf(index, said.join(""), finishWord(finish, undefined));
  });
  return pickDefined({ ...head(reply), choices: written, usage: usage && writeUsage(usage) });
}

function writeEvents(state: { usage?: Usage }, piece: Piece, reply: Reply): readonly SentEvent[] {
  const chunk = (choices: readonly Json[]): SentEvent => ({ data: { ...head(reply), choices } });
  switch (piece.type) {
    case "text":
    case "refusal":
      return [chunk([choiceOf(piece.choice ?? 0, piece.text, null)])];
    case "finish":
      return [chunk([choiceOf(piece.choice ?? 0, "", finishWord(piece.finish, undefined))])];
    case "usage":
      state.usage = { ...state.usage, ...piece.usage };
      return [];
    case "error":
      return [{ data: writeError(piece.error) }];
    case "end": {
      const counted = { data: { ...head(reply), choices: [], usage: writeUsage(state.usage ?? {}) } };
      return reply.prompt.wants.usage === true ? [counted, { data: "[DONE]" }] : [{ data: "[DONE]" }];
    }
    default:
      return [];
  }
}
