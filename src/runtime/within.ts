/**
 * The result of `work` if it settles in time, else what `late` returns or throws. A later result or error of `work` is
 * ignored.
 */
export async function within<T, L>(work: Promise<T>, limitMs: number, late: () => L): Promise<T | L> {
  const { promise: limit, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(resolve, Math.max(0, limitMs), LATE);
  try {
    const first = await Promise.race([work, limit]);
    return first === LATE ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE = Symbol("late");
