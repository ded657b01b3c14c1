import type { Json, WireSchemaName } from "../plugin-host/contract.ts";
import { MAPPED } from "./apply.ts";
import { readExchange } from "./read-exchange.ts";
import { type Said, whatWasSaid } from "./said.ts";
import { type LlmSchemaInput, toLlmSchema } from "./to-llm-schema.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";

/** A record as it was exported, with its bodies. */
interface RecordedInput extends Omit<LlmSchemaInput, "wireSchema"> {
  readonly method: string;
  /** Of the target, without its port; empty if unknown. */
  readonly host: string;
  /** JSON text of the schema that was exported with it; null if it had none, undefined if unknown. */
  readonly llmSchema: string | null | undefined;
}

interface RecordedReading {
  readonly wireSchema: WireSchemaName | null;
  readonly usageRaw: Json;
  /** Tokens written to a cache for an hour: a part of those written, which an export does not separate. */
  readonly cacheWrite1hTokens: number | null;
  readonly promptText: string | null;
  readonly completionText: string | null;
  readonly said: Said | undefined;
}

/**
 * Determines how the bodies of a record were read originally. For a stream only its folded response exists, so the
 * record's `llmSchema` decides: the wire schema is the one that reproduces it. Never throws.
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
