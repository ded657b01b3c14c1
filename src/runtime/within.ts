/**
 * What `work` becomes, if it does in time; else what `late` returns or throws. What becomes of the work after that is
 * ignored: it has no receiver any more.
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
