import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../plugin-host/contract.ts";
import type { TrialExchange } from "./exchange.ts";

/** What came of one exchange. */
export interface Trial {
  /** For people: what happened, in order. */
  readonly lines: readonly string[];
  /** For `expect`, by name. */
  readonly results: Readonly<Record<string, Json>>;
  /** What threw, hung or broke the contract. */
  readonly faults: readonly string[];
}

/** What an exchange expects and did not get, as sentences. */
export function unmet({ expect = {} }: TrialExchange, { results }: Trial): string[] {
  return Object.entries(expect).flatMap(([name, wanted]) => {
    if (!Object.hasOwn(results, name))
      return [`expect.${name}: there is no such result; there are ${Object.keys(results).join(", ")}`];
    const found = results[name];
    if (isDeepStrictEqual(found, wanted)) return [];
    return [`expect.${name}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`];
  });
}
