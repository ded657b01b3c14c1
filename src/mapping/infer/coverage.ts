import { mappedSchema } from "../mapped-schema.ts";
import type { Mapping } from "../mapping.ts";
import type { Sample } from "./sample.ts";

const NOWHERE = {
  method: "POST",
  path: "/",
  host: "",
  requestHeaders: new Headers(),
  responseHeaders: new Headers(),
} as const;

/** The parts of an exchange that a mapping should read, with weights. */
const WEIGHTS = { asked: 0.35, answered: 0.45, counted: 0.2 } as const;

/** The weighted share of these samples that a mapping reads, 0 to 1. */
export function coverageOf(mapping: Mapping, samples: readonly Sample[]): number {
  const schema = mappedSchema(mapping);
  let sum = 0;
  for (const { requestBody, responseBody, events, status } of samples) {
    const body = events === undefined ? responseBody : schema.fold(events);
    const usage = schema.readResponse(body, { ...NOWHERE, requestBody, status }).usage;
    const called = schema.llmResponse(body, requestBody).messages?.some(({ tool_calls }) => tool_calls?.length);
    if (schema.promptText(requestBody)) sum += WEIGHTS.asked;
    if (schema.completionText(body) !== undefined || called) sum += WEIGHTS.answered;
    if (usage?.prompt_tokens !== undefined || usage?.completion_tokens !== undefined) sum += WEIGHTS.counted;
  }
  return samples.length === 0 ? 0 : sum / samples.length;
}
