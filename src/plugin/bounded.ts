import { threadCpuUsage } from "node:process";
import type { ProviderPlugin } from "./contract.ts";
import { CutOff, guarded, isPromise } from "./guard.ts";

/** Milliseconds by the clock that a provider's function has for one call; of a busy machine it gets a part of them. */
const CALL_MS = 1_000;
/** Milliseconds of processor time from which on a call that was cut off was busy, and not only waiting for its turn. */
const BUSY_MS = 100;
/** After three busy calls in a row that were cut off a function is not called for a while, after 15 of any kind as well. */
const BUSY_WEIGHT = 5;
const CUTS_MAX = 15;
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
  /** In a row, by their weight. */
  let cuts = 0;
  let offUntilMs = 0;
  return (...given) => {
    if (offUntilMs > 0 && performance.now() < offUntilMs)
      throw new Error(`${name} is switched off, it blocked the thread`);
    // Costs as much as the rest of this, so it is asked for only where it may decide: not of the first that is cut off.
    const startedMs = cuts === 0 ? Number.NEGATIVE_INFINITY : threadMs();
    try {
      const result = guarded((all: readonly unknown[]) => call(...all), given, CALL_MS);
      cuts = 0;
      if (!isPromise(result)) return result;
      result.catch(() => {}); // nobody waits for it
    } catch (error) {
      if (!(error instanceof CutOff)) cuts = 0;
      else cuts += threadMs() - startedMs >= BUSY_MS ? BUSY_WEIGHT : 1;
      if (cuts >= CUTS_MAX) offUntilMs = performance.now() + SWITCHED_OFF_MS;
      throw error;
    }
    throw new Error(`${name} has to answer at once, not with a promise`);
  };
}

/** Processor time of the calling thread. */
function threadMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}
