import type { ProviderPlugin } from "../contract.ts";
import { isPromise } from "../hooks/guard.ts";
import { Patience } from "../hooks/patience.ts";

/**
 * Wall-clock milliseconds for one call of a provider's function; on a busy machine it has the CPU for only a part of them.
 * Less than half of the recorder's limit for a step, so that the function is blamed, not the record.
 */
const CALL_MS = 400;

type Call = (...given: readonly unknown[]) => unknown;

/**
 * The provider, with functions that throw if they loop or return a promise: they must not block the recorder's or the
 * gateway's thread. Functions within its shapes and lists are bounded too.
 *
 * @param isPatient - whether a function that was cut off without having had the CPU is called again with more time.
 */
export function bounded(provider: ProviderPlugin, isPatient = false): ProviderPlugin {
  return boundedWithin(provider, "", isPatient) as ProviderPlugin;
}

/** A copy in which every function is bounded. Values other than plain objects and lists stay as they are. */
function boundedWithin(value: unknown, name: string, isPatient: boolean): unknown {
  if (typeof value === "function") return limited(name, value as Call, isPatient);
  if (Array.isArray(value)) return value.map((entry) => boundedWithin(entry, name, isPatient));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [
      member,
      boundedWithin(typeof inner === "function" ? inner.bind(value) : inner, member, isPatient),
    ]),
  );
}

function limited(name: string, call: Call, isPatient: boolean): Call {
  const patience = new Patience();
  const called = (all: readonly unknown[]) => call(...all);
  return (...given) => {
    if (patience.isOver) throw new Error(`${name} is switched off: it blocked the thread`);
    const result = isPatient ? patience.repeat(called, given, CALL_MS) : patience.call(called, given, CALL_MS);
    if (!isPromise(result)) return result;
    result.catch(() => {}); // not awaited, but it must not become an unhandled rejection
    throw new Error(`${name} has to return at once, not with a promise`);
  };
}
