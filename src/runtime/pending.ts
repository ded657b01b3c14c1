/** A value or a promise of it: a promise costs a microtask, which most requests do not need. */
export type Soon<T> = T | Promise<T>;

export const isPending = <T>(value: Soon<T>): value is Promise<T> => value instanceof Promise;

/** Applies `next` to a value: synchronously if it is not a promise. */
export function after<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return isPending(value) ? value.then(next) : next(value);
}
