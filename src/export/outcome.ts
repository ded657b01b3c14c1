/** The outcome of a promise, to be checked later. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** A promise that never rejects. */
export function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

export function unwrap<T>(settled: Settled<T>): T {
  if ("error" in settled) throw settled.error;
  return settled.value;
}
