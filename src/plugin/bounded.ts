import type { ProviderPlugin } from "./contract.ts";
import { CutOff, guarded, isPromise } from "./guard.ts";

/** Milliseconds that a provider's function has for one call. */
const CALL_MS = 250;
/** After so many calls in a row that were cut off, a function is not called for a while. */
const CUTS_IN_A_ROW = 3;
const SWITCHED_OFF_MS = 60_000;
const FUNCTIONS = ["readRequest", "readResponse", "readEvent", "cost"] as const;

type Call = (...given: readonly unknown[]) => unknown;

/** The provider, with functions that throw where they loop or answer a promise: they must not hold up who records. */
export function bounded(provider: ProviderPlugin): ProviderPlugin {
  const calls = FUNCTIONS.flatMap((name) => {
    const call = provider[name];
    return call === undefined ? [] : [[name, limited(name, call.bind(provider) as Call)] as const];
  });
  return { ...provider, ...Object.fromEntries(calls) };
}

function limited(name: string, call: Call): Call {
  let cuts = 0;
  let offUntilMs = 0;
  return (...given) => {
    if (offUntilMs > 0 && performance.now() < offUntilMs)
      throw new Error(`${name} is switched off, it blocked the thread`);
    try {
      const result = guarded((all: readonly unknown[]) => call(...all), given, CALL_MS);
      cuts = 0;
      if (!isPromise(result)) return result;
      result.catch(() => {}); // nobody waits for it
    } catch (error) {
      cuts = error instanceof CutOff ? cuts + 1 : 0;
      if (cuts >= CUTS_IN_A_ROW) offUntilMs = performance.now() + SWITCHED_OFF_MS;
      throw error;
    }
    throw new Error(`${name} has to answer at once, not with a promise`);
  };
}
