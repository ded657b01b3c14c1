import { textOf } from "../../mapping/json.ts";
import { attributesOf, first, firstText } from "./attributes.ts";
import type { Attributes, Span } from "./span.ts";

/** A span that becomes a step of its session. */
export interface Step {
  /** llm, embedding, tool, retrieval, reranker, agent, chain, guardrail or evaluator. */
  readonly kind: string;
  readonly span: Span;
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  /** The id of the gateway's record of the same call, if the span names it. */
  readonly recordId: string | undefined;
  /** The id that the provider gave its response. */
  readonly responseId: string | undefined;
}

/** OpenInference's names. */
const OPEN_INFERENCE: Readonly<Record<string, string>> = {
  LLM: "llm",
  EMBEDDING: "embedding",
  TOOL: "tool",
  RETRIEVER: "retrieval",
  RERANKER: "reranker",
  AGENT: "agent",
  CHAIN: "chain",
  GUARDRAIL: "guardrail",
  EVALUATOR: "evaluator",
};

/** `gen_ai.operation.name`. */
const OPERATIONS: Readonly<Record<string, string>> = {
  chat: "llm",
  completion: "llm",
  text_completion: "llm",
  generate_content: "llm",
  embeddings: "embedding",
  execute_tool: "tool",
  retrieval: "retrieval",
  create_agent: "agent",
  invoke_agent: "agent",
  invoke_workflow: "chain",
};

/** `traceloop.span.kind`. */
const TRACELOOP: Readonly<Record<string, string>> = { workflow: "chain", task: "chain", agent: "agent", tool: "tool" };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @returns undefined for a span that is not about generative AI, such as one of a database. */
export function stepOf(span: Span): Step | undefined {
  const attributes = attributesOf(span);
  const kind = kindOf(attributes);
  if (kind === undefined) return undefined;
  const all: Attributes = new Map([...span.resource, ...attributes]);
  const recordId = firstText(
    attributes,
    ...["weir.request.id", "gateway.id", "gateway-id", "http.response.header.gateway-id"],
  )?.toLowerCase();
  return {
    kind,
    span: { ...span, attributes },
    sessionId: firstText(
      all,
      ...["session.id", "gen_ai.conversation.id", "langfuse.session.id"],
      "traceloop.association.properties.session_id",
    ),
    userId: firstText(all, "user.id", "enduser.id", "langfuse.user.id", "traceloop.association.properties.user_id"),
    recordId: recordId !== undefined && UUID.test(recordId) ? recordId : undefined,
    responseId: firstText(attributes, "gen_ai.response.id", "llm.response.id", "ai.response.id"),
  };
}

function kindOf(attributes: Attributes): string | undefined {
  const named = (table: Readonly<Record<string, string>>, name: string) => {
    const value = textOf(first(attributes, name)) ?? "";
    return Object.hasOwn(table, value) ? table[value] : undefined;
  };
  return (
    named(OPEN_INFERENCE, "openinference.span.kind") ??
    named(OPERATIONS, "gen_ai.operation.name") ??
    named(TRACELOOP, "traceloop.span.kind") ??
    (attributes.has("gen_ai.tool.name") || attributes.has("ai.toolCall.name") ? "tool" : undefined) ??
    (attributes.has("gen_ai.request.model") || attributes.has("llm.model_name") ? "llm" : undefined) ??
    (attributes.has("ai.operationId") ? "agent" : undefined)
  );
}
