/** How long a statement waits for another process's lock. Short, because it blocks the thread; callers retry. */
export const BUSY_MS = 200;
