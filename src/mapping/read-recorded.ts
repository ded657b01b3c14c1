import type { Json, WireSchemaName } from "../plugin/contract.ts";
import { MAPPED } from "./apply.ts";
import { readExchange } from "./read-exchange.ts";
import { type Said, whatWasSaid } from "./said.ts";
import { type LlmSchemaInput, toLlmSchema } from "./to-llm-schema.ts";
import { WIRE_SCHEMAS } from "./wire/index.ts";

/** A record as it was exported, with its bodies. */
interface RecordedInput extends Omit<LlmSchemaInput, "wireSchema"> {
  readonly method: string;
  /** Of the target, without its port; empty where it is not known. */
  readonly host: string;
  /** JSON text of the schema that was exported with it; null where it had none, undefined where nobody says. */
  readonly llmSchema: string | null | undefined;
}

interface RecordedReading {
  readonly wireSchema: WireSchemaName | null;
  readonly usageRaw: Json;
  /** Tokens written to a cache for an hour: a part of those written, which an export does not tell apart. */
  readonly cacheWrite1hTokens: number | null;
  readonly promptText: string | null;
  readonly completionText: string | null;
  readonly said: Said | undefined;
}

/**
 * Finds out how the bodies of a record were read when it was made. Of a stream only its folded answer is there, so the
 * schema that the record shows decides: the wire schema is the one that makes it again. Never throws.
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
