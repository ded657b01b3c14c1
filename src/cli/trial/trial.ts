import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../plugin-host/contract.ts";
import type { TrialExchange } from "./exchange.ts";

/** The result of one exchange. */
export interface Trial {
  /** For people: what happened, in order. */
  readonly lines: readonly string[];
  /** For `expect`, by name. */
  readonly results: Readonly<Record<string, Json>>;
  /** Hooks that threw, hung or broke the contract. */
  readonly faults: readonly string[];
}

/** Without the members that are undefined, as it is sent and printed. */
const asJson = (value: Json): Json => JSON.parse(JSON.stringify(value ?? null));

/** The expectations of an exchange that were not met, as sentences. */
export function unmet({ expect = {} }: TrialExchange, { results }: Trial): string[] {
  return Object.entries(expect).flatMap(([name, wanted]) => {
    if (!Object.hasOwn(results, name))
      return [`expect.${name}: there is no such result; known: ${Object.keys(results).join(", ")}`];
    const found = asJson(results[name]);
    if (isDeepStrictEqual(found, wanted)) return [];
    return [`expect.${name}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`];
  });
}
