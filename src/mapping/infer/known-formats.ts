import type { Json, WireSchemaName } from "../../plugin-host/contract.ts";
import { isObject, listOf } from "../json.ts";
import type { Mapping } from "../mapping.ts";
import { sampleOf } from "../select.ts";
import { WIRE_SCHEMAS } from "../wire/index.ts";
import { coverageOf } from "./coverage.ts";
import type { Sample } from "./sample.ts";

/** Formats whose responses have no text are recognized by a distinctive member. */
const WORDLESS: Readonly<Partial<Record<WireSchemaName, (request: Json, response: Json) => boolean>>> = {
  embeddings: (request, response) =>
    request?.input !== undefined && Array.isArray(listOf(response?.data)[0]?.embedding),
  rerank: (request, response) =>
    Array.isArray(request?.documents) &&
    listOf(response?.results).some((each) => isObject(each) && "relevance_score" in each),
};

export interface Judged {
  readonly mapping: Mapping;
  /** The share of expected values that were read, over all samples, 0 to 1. */
  readonly coverage: number;
}

/** The known wire format that reads the samples best, on any path. */
export function bestKnown(samples: readonly Sample[]): Judged | undefined {
  let best: Judged | undefined;
  for (const name of Object.keys(WIRE_SCHEMAS) as WireSchemaName[]) {
    if (name === "logged") continue;
    const schema = WIRE_SCHEMAS[name];
    const responses = samples.map(({ events, responseBody }) =>
      events === undefined ? responseBody : sampleOf(events),
    );
    const fits = samples.filter(({ requestBody }, at) => schema.fits(requestBody, responses[at])).length;
    if (fits < samples.length) continue;
    const mapping: Mapping = { format: 1, wire_schema: name };
    const wordless = WORDLESS[name];
    const coverage =
      wordless === undefined
        ? coverageOf(mapping, samples)
        : Number(samples.every(({ requestBody }, at) => wordless(requestBody, responses[at])));
    if (coverage > (best?.coverage ?? 0)) best = { mapping, coverage };
  }
  return best;
}
