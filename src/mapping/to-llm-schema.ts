import type { Json, WireSchemaName } from "../plugin-host/contract.ts";
import type { LlmResponse, LlmSchema } from "../record/llm-schema.ts";
import { errorOf } from "./errors-and-costs.ts";
import { pickDefined } from "./json.ts";
import { MAPPED, type MappedSchema, mappedSchema } from "./mapped-schema.ts";
import type { Mapping } from "./mapping.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";

interface ReadWith {
  readonly wireSchema: string | undefined;
  /** The model's mapping, for records read with one. */
  readonly mapping?: Mapping | undefined;
}

export interface LlmSchemaInput {
  readonly wireSchema: WireSchemaName | typeof MAPPED | undefined;
  /** The model's mapping, for records read with one. */
  readonly mapping?: Mapping | undefined;
  readonly provider: string;
  /** The record's model: the override, otherwise the responding one, otherwise the requested one. */
  readonly model: string | null;
  /** The requested model, if known separately from `model`. */
  readonly requestModel?: string | null;
  /** The responding model, if known separately from `model`. */
  readonly responseModel?: string | null;
  readonly path: string;
  readonly requestBody: Json;
  readonly responseBody: Json;
  /** With which the body was sent; null while in flight. */
  readonly status: number | null;
}

/** The neutral schema of one exchange; null if no wire schema matches. Pure; never throws. */
export function toLlmSchema(input: LlmSchemaInput): LlmSchema | null {
  const { provider, model, requestBody, responseBody, status } = input;
  const schema = schemaOf(input);
  if (schema === undefined) return null;
  const named = model ?? undefined;
  return {
    request: pickDefined({
      llm_type: schema.llmType,
      provider,
      model: input.requestModel ?? named,
      ...schema.llmRequest(requestBody),
    }),
    response: pickDefined({
      model: input.responseModel ?? named,
      ...withError(schema.llmResponse(responseBody, requestBody), responseBody, status),
    }),
  };
}

/** The reader for bodies of this schema; undefined if there is none. */
export function schemaOf({ wireSchema, mapping }: ReadWith): MappedSchema | undefined {
  if (wireSchema === MAPPED) return mapping && mappedSchema(mapping);
  const isKnown = wireSchema !== undefined && Object.hasOwn(WIRE_SCHEMAS, wireSchema);
  return isKnown ? WIRE_SCHEMAS[wireSchema as WireSchemaName] : undefined;
}

/** A failed response has its error beside any content sent before it. */
function withError(response: LlmResponse, body: Json, status: number | null): LlmResponse {
  const error = errorOf(body, status ?? 200);
  if (error === undefined) return response;
  const { messages, responses, ...rest } = response;
  return pickDefined({
    ...rest,
    messages: messages?.length ? messages : undefined,
    responses: responses?.length ? responses : undefined,
    error: { gatewayMessage: error.message },
  });
}
