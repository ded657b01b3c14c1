/**
 * Runs `work` for each item, `atOnce` at a time. After a failure it waits for running calls, then rejects with the first
 * failure.
 */
export async function eachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  let failure: { readonly cause: unknown } | undefined;
  const lane = async () => {
    for (const item of waiting) {
      if (failure !== undefined) return;
      await work(item).catch((cause) => {
        failure ??= { cause };
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  if (failure !== undefined) throw failure.cause;
}
