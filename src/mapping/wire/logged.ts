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
  completionText: (answer) => filledText(answer?.message),
  llmRequest: (request) => {
    const kind = kindOf(request);
    return kind === undefined ? {} : { llm_type: kind, ...REQUESTS[kind](request) };
  },
  llmResponse: (answer, request) => {
    const kind = kindOf(request) ?? kindOf(answer);
    return kind === undefined || !isObject(answer) ? {} : RESPONSES[kind](answer);
  },
};

type Kind = "tool" | "vector_db" | "data";

const kindOf = (body: Json): Kind | undefined =>
  body?._type === "tool" || body?._type === "vector_db" || body?._type === "data" ? body._type : undefined;

const REQUESTS: Readonly<Record<Kind, (request: Json) => LlmRequest>> = {
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

const told = (answer: Json) => ({ message: textOf(answer.message), status: textOf(answer.status) });

const stamped = (answer: Json) => {
  const timestamp = textOf(answer.metadata?.timestamp);
  return timestamp === undefined ? undefined : { timestamp };
};

const RESPONSES: Readonly<Record<Kind, (answer: Json) => LlmResponse>> = {
  tool: (answer) => {
    const tips = listOf(answer.tips).filter((tip) => typeof tip === "string");
    return {
      toolDetailsResponse: pickDefined({
        _type: "tool",
        toolName: textOf(answer.toolName),
        metadata: stamped(answer),
        tips: tips.length > 0 ? tips : undefined,
        ...told(answer),
      }),
    };
  },
  vector_db: (answer) => ({
    vectorDBDetailsResponse: pickDefined({
      _type: "vector_db",
      metadata: isObject(answer.metadata)
        ? pickDefined({
            timestamp: textOf(answer.metadata.timestamp),
            destination_parsed: booleanOf(answer.metadata.destination_parsed),
            destination: textOf(answer.metadata.destination),
          })
        : undefined,
      actualSimilarity: numberOf(answer.actualSimilarity),
      similarityThreshold: numberOf(answer.similarityThreshold),
      ...told(answer),
    }),
  }),
  data: (answer) => ({
    dataDetailsResponse: pickDefined({
      _type: "data",
      name: textOf(answer.name),
      metadata: stamped(answer),
      ...told(answer),
    }),
  }),
};
