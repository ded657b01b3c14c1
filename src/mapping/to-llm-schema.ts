import type { Json, WireSchemaName } from "../plugin/contract.ts";
import type { LlmResponse, LlmSchema } from "../record/llm-schema.ts";
import { pickDefined } from "./json.ts";
import { errorOf } from "./outcome.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";

export interface LlmSchemaInput {
  readonly wireSchema: WireSchemaName | undefined;
  readonly provider: string;
  /** The record's model: the override, else what answered, else what was asked. */
  readonly model: string | null;
  /** The model that was asked, where it is known apart from `model`. */
  readonly requestModel?: string | null;
  /** The model that answered, likewise. */
  readonly responseModel?: string | null;
  readonly path: string;
  readonly requestBody: Json;
  readonly responseBody: Json;
  readonly status: number | null;
}

/** The neutral schema of one exchange, or null where no wire schema fits. Pure; never throws. */
export function toLlmSchema(input: LlmSchemaInput): LlmSchema | null {
  const { wireSchema, provider, model, requestBody, responseBody, status } = input;
  if (wireSchema === undefined || !Object.hasOwn(WIRE_SCHEMAS, wireSchema)) return null;
  const schema = WIRE_SCHEMAS[wireSchema];
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
      ...answered(schema.llmResponse(responseBody, requestBody), responseBody, status),
    }),
  };
}

/** An answer that failed says so; what came of it before is kept beside. */
function answered(response: LlmResponse, body: Json, status: number | null): LlmResponse {
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
