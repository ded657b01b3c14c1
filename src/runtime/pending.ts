/** What is known now, or will be: a promise costs a turn of the event loop's queue, which most requests do not need. */
export type Soon<T> = T | Promise<T>;

export const isPending = <T>(value: Soon<T>): value is Promise<T> => value instanceof Promise;

/** `next` of a value: at once where it is known. */
export function after<T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> {
  return isPending(value) ? value.then(next) : next(value);
}
