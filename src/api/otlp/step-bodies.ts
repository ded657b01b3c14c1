import { pickDefined } from "../../mapping/json.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { first, firstJson, firstNumber, firstText, spread } from "./attributes.ts";
import { asText, inputMessages, outputMessage } from "./messages.ts";
import type { Attributes, Span } from "./span.ts";
import type { Step } from "./step.ts";

/** A step's input and output, in the forms in which records are read, and the path that names the form. */
interface Said {
  readonly path: string;
  readonly request: Json;
  /** Undefined without a response. */
  readonly response: Json;
}

const LOG_PATH = "/v1/traces";

export function saidIn({ kind, span }: Step): Said {
  const { attributes } = span;
  if (kind === "llm") return { path: `${LOG_PATH}/chat/completions`, ...chat(span) };
  if (kind === "embedding") return { path: `${LOG_PATH}/embeddings`, ...embedding(attributes) };
  const got = failureOf(span) ?? { _type: logged(kind), status: "success", message: outputOf(attributes) };
  return { path: LOG_PATH, request: REQUESTS[logged(kind)](span), response: got };
}

type Logged = "tool" | "vector_db" | "data";

const logged = (kind: string): Logged => (kind === "tool" ? "tool" : kind === "retrieval" ? "vector_db" : "data");

const REQUESTS: Readonly<Record<Logged, (span: Span) => Json>> = {
  tool: ({ attributes, name }) => ({
    _type: "tool",
    toolName:
      firstText(attributes, "gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name") ?? name,
    input: inputOf(attributes),
  }),
  vector_db: ({ attributes }) =>
    pickDefined({
      _type: "vector_db",
      operation: "search",
      text: asText(inputOf(attributes) ?? ""),
      topK: firstNumber(attributes, "gen_ai.request.top_k", "retrieval.top_k"),
      databaseName: firstText(attributes, "gen_ai.data_source.id", "db.system.name", "db.system"),
    }),
  data: ({ attributes, name }) =>
    pickDefined({
      _type: "data",
      name: firstText(attributes, "gen_ai.agent.name", "agent.name", "traceloop.entity.name") ?? name,
      text: inputOf(attributes) === undefined ? undefined : asText(inputOf(attributes)),
    }),
};

function inputOf(attributes: Attributes): Json {
  return firstJson(
    attributes,
    ...["gen_ai.tool.call.arguments", "ai.toolCall.args", "gen_ai.retrieval.query.text", "input.value"],
    ...["tool.parameters", "traceloop.entity.input", "gen_ai.input.messages"],
  );
}

function outputOf(attributes: Attributes): string | undefined {
  const documents = spread(attributes, "retrieval.documents") ?? spread(attributes, "reranker.output_documents");
  const got =
    first(
      attributes,
      ...["gen_ai.tool.call.result", "ai.toolCall.result", "output.value", "traceloop.entity.output"],
      ...["gen_ai.retrieval.documents", "gen_ai.output.messages", "ai.response.text"],
    ) ?? documents;
  return got === undefined ? undefined : asText(got);
}

/** Why a span failed: its status, or its exception event. */
function failureOf({ failed, statusMessage, events, attributes }: Span): Json {
  if (!failed) return undefined;
  const exception = events.findLast(({ name }) => name === "exception")?.attributes;
  const message =
    statusMessage || (exception && firstText(exception, "exception.message", "exception.type")) || undefined;
  const type = firstText(attributes, "error.type") ?? (exception && firstText(exception, "exception.type"));
  return { status: "error", message: message ?? type ?? "the span failed", error: pickDefined({ message, type }) };
}

const SETTINGS: Readonly<Record<string, string>> = {
  temperature: "gen_ai.request.temperature",
  top_p: "gen_ai.request.top_p",
  max_tokens: "gen_ai.request.max_tokens",
  frequency_penalty: "gen_ai.request.frequency_penalty",
  presence_penalty: "gen_ai.request.presence_penalty",
  seed: "gen_ai.request.seed",
};

function chat(span: Span): Omit<Said, "path"> {
  const { attributes } = span;
  const settings = Object.entries(SETTINGS).map(([name, attribute]) => [name, firstNumber(attributes, attribute)]);
  const model = firstText(attributes, "gen_ai.request.model", "llm.model_name", "gen_ai.response.model", "ai.model.id");
  const request = {
    ...pickDefined({ model, ...Object.fromEntries(settings) }),
    ...pickDefined({ tools: toolsOf(firstJson(attributes, "gen_ai.tool.definitions")) }),
    messages: inputMessages(attributes),
  };
  const failure = failureOf(span);
  if (failure !== undefined) return { request, response: { error: failure.error } };
  const finish = firstText(
    attributes,
    "gen_ai.response.finish_reasons",
    "llm.finish_reason",
    "ai.response.finishReason",
  );
  const message = outputMessage(attributes);
  const response = pickDefined({
    id: firstText(attributes, "gen_ai.response.id", "ai.response.id"),
    object: "chat.completion",
    model: firstText(attributes, "gen_ai.response.model", "ai.response.model") ?? model,
    choices: message === undefined ? [] : [pickDefined({ index: 0, finish_reason: finish, message })],
    usage: usageOf(attributes),
  });
  return { request, response };
}

function toolsOf(definitions: Json): Json {
  if (!Array.isArray(definitions)) return undefined;
  return definitions.map((each) => (each?.function === undefined ? { type: "function", function: each } : each));
}

function usageOf(attributes: Attributes): Json {
  const prompt = firstNumber(
    attributes,
    ...["gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens", "ai.usage.promptTokens"],
  );
  const completion = firstNumber(
    attributes,
    ...["gen_ai.usage.output_tokens", "llm.token_count.completion", "gen_ai.usage.completion_tokens"],
    "ai.usage.completionTokens",
  );
  if (prompt === undefined && completion === undefined) return undefined;
  const cached = firstNumber(
    attributes,
    ...["gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read"],
  );
  const reasoning = firstNumber(
    attributes,
    ...["gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning"],
  );
  return pickDefined({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: (prompt ?? 0) + (completion ?? 0),
    prompt_tokens_details: cached === undefined ? undefined : { cached_tokens: cached },
    completion_tokens_details: reasoning === undefined ? undefined : { reasoning_tokens: reasoning },
  });
}

function embedding(attributes: Attributes): Omit<Said, "path"> {
  const model = firstText(attributes, "gen_ai.request.model", "embedding.model_name", "llm.model_name");
  const texts = spread(attributes, "embedding.embeddings");
  const input = Array.isArray(texts) ? texts.map((each) => each?.embedding?.text ?? "") : inputOf(attributes);
  const usage = usageOf(attributes);
  return {
    request: pickDefined({ model, input: input ?? "" }),
    response: pickDefined({ object: "list", model, data: [], usage }),
  };
}
