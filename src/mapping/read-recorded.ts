import type { Json, WireSchemaName } from "../plugin-host/contract.ts";
import { MAPPED } from "./mapped-schema.ts";
import { readExchange } from "./read-exchange.ts";
import { type Said, whatWasSaid } from "./said.ts";
import { type LlmSchemaInput, toLlmSchema } from "./to-llm-schema.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";

/** An exported record with its bodies. */
interface RecordedInput extends Omit<LlmSchemaInput, "wireSchema"> {
  readonly method: string;
  /** Host of the target, without its port; empty if unknown. */
  readonly host: string;
  /** JSON text of the exported `llmSchema`; null if the record had none, undefined if unknown. */
  readonly llmSchema: string | null | undefined;
}

interface RecordedReading {
  readonly wireSchema: WireSchemaName | null;
  readonly usageRaw: Json;
  /** Tokens written to a one-hour cache; an export does not separate them from the other written tokens. */
  readonly cacheWrite1hTokens: number | null;
  readonly promptText: string | null;
  readonly completionText: string | null;
  readonly said: Said | undefined;
}

/**
 * Determines how the bodies of a record were originally read. A stream exists only as its folded response, so the record's
 * `llmSchema` decides: the wire schema that reproduces it was used. Never throws.
 */
export function readRecorded(input: RecordedInput): RecordedReading {
  const { path, requestBody, responseBody, status, method, host } = input;
  const reading = readExchange({
    method,
    path,
    host,
    status: status ?? 0,
    requestHeaders: new Headers(),
    responseHeaders: new Headers(),
    requestBody,
    responseBody,
    events: undefined,
    provider: undefined,
    modelOverride: undefined,
  });
  const wireSchema = choose(input, reading.wireSchema === MAPPED ? undefined : reading.wireSchema);
  const schema = wireSchema === null ? undefined : WIRE_SCHEMAS[wireSchema];
  return {
    wireSchema,
    usageRaw: reading.usageRaw,
    cacheWrite1hTokens: reading.usage?.prompt_cache_write_1h_tokens ?? null,
    promptText: schema?.promptText(requestBody) ?? null,
    completionText: schema?.completionText(responseBody) ?? null,
    said: schema && whatWasSaid({ schema, request: requestBody, response: responseBody }),
  };
}

const NAMES = Object.keys(WIRE_SCHEMAS) as WireSchemaName[];

function choose(input: RecordedInput, likely: WireSchemaName | undefined): WireSchemaName | null {
  const { llmSchema } = input;
  if (llmSchema === null) return null;
  if (llmSchema === undefined) return likely ?? null;
  const candidates = likely === undefined ? NAMES : [likely, ...NAMES];
  const same = candidates.find((wireSchema) => JSON.stringify(toLlmSchema({ ...input, wireSchema })) === llmSchema);
  return same ?? likely ?? null;
}
