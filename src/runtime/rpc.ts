import { PassingMap } from "./passing-map.ts";

/**
 * Calls between threads: one side exposes an object of functions, the other calls them by name.
 *
 * Works over anything with `postMessage` and `message` events: a Worker from outside, the global scope inside a Worker, a
 * MessagePort. Arguments and results are structured clones. Of an error, `message`, `code` and `path` are transferred.
 */
export interface Endpoint {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

/** Functions with any parameters; their types are declared in `threads.ts`. */
export type Exposed = Readonly<Record<string, (...args: never[]) => unknown>>;

/** The same functions as called from another thread: each returns a promise. */
export type Remote<T extends Exposed> = {
  readonly [K in keyof T]: (...args: Parameters<T[K]>) => Promise<Awaited<ReturnType<T[K]>>>;
};

interface Call {
  readonly weirCall: number;
  readonly method: string;
  /** Typed by `Remote` on the calling side. */
  readonly args: readonly never[];
}
interface CallResult {
  readonly weirResult: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly code?: unknown; readonly path?: unknown };
}

/**
 * Serves calls that arrive at `endpoint` with the given functions.
 *
 * @param moved - the buffers in a result that are moved to the caller, which spares it a copy; the function that returned
 * them must not use them again.
 */
export function expose(
  endpoint: Endpoint,
  functions: Exposed,
  moved: (result: unknown) => ArrayBuffer[] = () => [],
): void {
  endpoint.addEventListener("message", async ({ data }) => {
    if (typeof data?.weirCall !== "number") return;
    const { weirCall, method, args } = data as Call;
    try {
      const call = Object.hasOwn(functions, method) ? functions[method] : undefined;
      if (call === undefined) throw new Error(`this thread has no "${method}"`);
      const result = await call(...args);
      endpoint.postMessage({ weirResult: weirCall, result } satisfies CallResult, moved(result));
    } catch (cause) {
      const error: Error & { code?: unknown; path?: unknown } =
        cause instanceof Error ? cause : new Error(String(cause));
      const { message, code, path } = error;
      endpoint.postMessage({ weirResult: weirCall, error: { message, code, path } } satisfies CallResult);
    }
  });
}

/**
 * Calls the functions that the other side of `endpoint` exposes.
 *
 * A call to a thread that died never settles by itself: `abandon` rejects all open and all later calls.
 */
export function connect<T extends Exposed>(
  endpoint: Endpoint,
): Remote<T> & { readonly abandon: (why: string) => void } {
  const waiting = new PassingMap<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let next = 0;
  let abandoned: string | undefined;
  endpoint.addEventListener("message", ({ data }) => {
    if (typeof data?.weirResult !== "number") return;
    const { weirResult, result, error } = data as CallResult;
    const call = waiting.get(weirResult);
    waiting.delete(weirResult);
    if (error === undefined) call?.resolve(result);
    else call?.reject(Object.assign(new Error(error.message), { code: error.code, path: error.path }));
  });
  const abandon = (why: string) => {
    abandoned = why;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  const call =
    (method: string) =>
    (...args: never[]) =>
      new Promise((resolve, reject) => {
        if (abandoned !== undefined) {
          reject(new Error(abandoned));
          return;
        }
        const id = next++;
        waiting.set(id, { resolve, reject });
        endpoint.postMessage({ weirCall: id, method, args } satisfies Call);
      });
  return new Proxy({} as Remote<T> & { abandon: typeof abandon }, {
    get: (_target, name) =>
      name === "abandon" ? abandon : typeof name === "string" && name !== "then" ? call(name) : undefined,
  });
}
