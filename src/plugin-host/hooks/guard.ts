import vm from "node:vm";
import { within } from "../../runtime/within.ts";

/** Thrown by a call that took too long. `blocked`: it kept the thread busy and was cut off. */
export class CutOff extends Error {
  readonly blocked: boolean;

  constructor(milliseconds: number, blocked: boolean) {
    super(`took longer than ${milliseconds} ms`);
    this.name = "CutOff";
    this.blocked = blocked;
  }
}

interface Slot {
  call: ((input: never) => unknown) | null;
  input: unknown;
  result: unknown;
}

// The script reads its input here: it must be reachable from the global scope.
const KEY = "weir.guard";
const slot: Slot = { call: null, input: null, result: null };
Object.defineProperty(globalThis, Symbol.for(KEY), { value: slot, configurable: true });
const script = new vm.Script(`{ const s = globalThis[Symbol.for("${KEY}")]; s.result = s.call(s.input); }`);

/**
 * Calls foreign code on this thread and cuts off even an endless loop: it runs as a script under `node:vm` with a time
 * limit, which costs about 1 µs per call. Work after an `await` inside `call` is outside the limit.
 *
 * @throws CutOff after `milliseconds`, or the error of `call`.
 */
export function guarded<I, R>(call: (input: I) => R, input: I, milliseconds: number): R {
  const { call: outerCall, input: outerInput } = slot;
  slot.call = call as Slot["call"];
  slot.input = input;
  try {
    script.runInThisContext({ timeout: milliseconds });
    return slot.result as R;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new CutOff(milliseconds, true);
  } finally {
    slot.call = outerCall;
    slot.input = outerInput;
    slot.result = null;
  }
}

/** Like `guarded`, and waits for a promise for at most the remaining time. @throws CutOff, or the error of `call`. */
export async function guardedAsync<I, R>(
  call: (input: I) => R | Promise<R>,
  input: I,
  milliseconds: number,
): Promise<R> {
  const startedMs = performance.now();
  const result = guarded(call, input, milliseconds);
  return isPromise(result) ? inTime(result, milliseconds - (performance.now() - startedMs)) : result;
}

/** The result of the promise, if it settles in time. @throws CutOff otherwise, and ignores a later result. */
export function inTime<R>(promise: Promise<R>, milliseconds: number): Promise<R> {
  return within(promise, milliseconds, () => {
    throw new CutOff(Math.ceil(milliseconds), false);
  });
}

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null)?.then === "function";
}
