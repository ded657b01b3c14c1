/**
 * Reads every member, so that all errors are reported at once.
 *
 * @throws the one error for which `isWrong` is true, or an AggregateError of several.
 */
export function readAll<T extends Readonly<Record<string, unknown>>>(
  readers: { readonly [Name in keyof T]: () => T[Name] },
  isWrong: (error: unknown) => boolean,
): T {
  const wrong: unknown[] = [];
  const read = Object.entries<() => unknown>(readers).map(([name, reader]) => {
    try {
      return [name, reader()];
    } catch (error) {
      if (!isWrong(error)) throw error;
      wrong.push(error);
      return [name, undefined];
    }
  });
  throwAll(wrong);
  return Object.fromEntries(read) as T;
}

/** @throws the one error, or an AggregateError of several; returns if there is none. */
export function throwAll(wrong: readonly unknown[]): void {
  if (wrong.length === 1) throw wrong[0];
  if (wrong.length > 1) throw new AggregateError(wrong);
}
