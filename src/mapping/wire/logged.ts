import type { Json } from "../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../record/llm-schema.ts";
import { booleanOf, filledText, isObject, listOf, numberOf, objectOf, pickDefined, textOf } from "../json.ts";
import { plainText } from "../llm/parts.ts";
import type { WireSchema } from "../wire-schema.ts";

/** Calls that clients log and that are not model calls: of a tool, a vector database, or anything else. */
export const logged: WireSchema = {
  name: "logged",
  llmType: "data",
  path: /\/v1\/(?:log(?:\/request)?|traces)$/,
  fits: (request) => kindOf(request) !== undefined,
  fold: () => undefined,
  readResponse: () => ({}),
  promptText: (request) => filledText(request?.text) ?? plainText(request?.input) ?? filledText(request?.name),
  completionText: (response) => filledText(response?.message),
  llmRequest: (request) => {
    const kind = kindOf(request);
    return kind === undefined ? {} : { llm_type: kind, ...REQUESTS[kind](request) };
  },
  llmResponse: (response, request) => {
    const kind = kindOf(request) ?? kindOf(response);
    return kind === undefined || !isObject(response) ? {} : RESPONSES[kind](response);
  },
};

type LoggedKind = "tool" | "vector_db" | "data";

const kindOf = (body: Json): LoggedKind | undefined =>
  body?._type === "tool" || body?._type === "vector_db" || body?._type === "data" ? body._type : undefined;

const REQUESTS: Readonly<Record<LoggedKind, (request: Json) => LlmRequest>> = {
  tool: (request) => ({
    toolDetails: pickDefined({ _type: "tool", toolName: textOf(request.toolName), input: request.input }),
  }),
  vector_db: (request) => ({
    vectorDBDetails: pickDefined({
      _type: "vector_db",
      operation: textOf(request.operation)?.toLowerCase(),
      text: textOf(request.text),
      vector: numbersOf(request.vector),
      topK: numberOf(request.topK),
      filter: objectOf(request.filter),
      databaseName: textOf(request.databaseName),
    }),
  }),
  data: (request) => ({
    dataDetails: pickDefined({ _type: "data", name: textOf(request.name), meta: objectOf(request.meta) }),
  }),
};

function numbersOf(vector: Json): number[] | undefined {
  return Array.isArray(vector) && vector.every((each) => numberOf(each) !== undefined) ? vector : undefined;
}

const resultOf = (response: Json) => ({ message: textOf(response.message), status: textOf(response.status) });

const stamped = (response: Json) => {
  const timestamp = textOf(response.metadata?.timestamp);
  return timestamp === undefined ? undefined : { timestamp };
};

const RESPONSES: Readonly<Record<LoggedKind, (response: Json) => LlmResponse>> = {
  tool: (response) => {
    const tips = listOf(response.tips).filter((tip) => typeof tip === "string");
    return {
      toolDetailsResponse: pickDefined({
        _type: "tool",
        toolName: textOf(response.toolName),
        metadata: stamped(response),
        tips: tips.length > 0 ? tips : undefined,
        ...resultOf(response),
      }),
    };
  },
  vector_db: (response) => ({
    vectorDBDetailsResponse: pickDefined({
      _type: "vector_db",
      metadata: isObject(response.metadata)
        ? pickDefined({
            timestamp: textOf(response.metadata.timestamp),
            destination_parsed: booleanOf(response.metadata.destination_parsed),
            destination: textOf(response.metadata.destination),
          })
        : undefined,
      actualSimilarity: numberOf(response.actualSimilarity),
      similarityThreshold: numberOf(response.similarityThreshold),
      ...resultOf(response),
    }),
  }),
  data: (response) => ({
    dataDetailsResponse: pickDefined({
      _type: "data",
      name: textOf(response.name),
      metadata: stamped(response),
      ...resultOf(response),
    }),
  }),
};
