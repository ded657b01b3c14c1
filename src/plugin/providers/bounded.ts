import type { ProviderPlugin } from "../contract.ts";
import { isPromise } from "../hooks/guard.ts";
import { Patience } from "../hooks/patience.ts";

/** Milliseconds by the clock that a provider's function has for one call; of a busy machine it gets a part of them. */
const CALL_MS = 1_000;
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
  const patience = new Patience();
  return (...given) => {
    if (patience.isOver) throw new Error(`${name} is switched off, it blocked the thread`);
    const result = patience.call((all: readonly unknown[]) => call(...all), given, CALL_MS);
    if (!isPromise(result)) return result;
    result.catch(() => {}); // nobody waits for it
    throw new Error(`${name} has to answer at once, not with a promise`);
  };
}
