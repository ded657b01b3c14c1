import { hear } from "./clock.ts";
import type { Heard } from "./first-session.ts";

/** A failure that the API, or the way to it, answered with. */
export class ApiFailure extends Error {
  /** HTTP status; 0 where there was no response. */
  readonly status: number;
  /** The wrong member of what was sent, where one is to blame. */
  readonly path: string | undefined;

  constructor(status: number, message: string, path?: string) {
    super(message);
    this.name = "ApiFailure";
    this.status = status;
    this.path = path;
  }
}

export interface Answer<T> {
  readonly data: T;
  /** Where a list continues; null at its end. */
  readonly next_cursor?: string | null;
  /** The time back to which a search has looked; null at its end. */
  readonly searched_to?: string | null;
  /** What the API wants to be known about the question, such as a property's other spelling. */
  readonly warning?: string;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response, where it was asked for before. */
  readonly asked?: Promise<Heard>;
}

/**
 * Calls the API with the log-in's cookie.
 *
 * @throws ApiFailure for every response that is not a success, and where there is none.
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> {
  const { body, signal, headers = {}, asked } = options;
  const init: RequestInit = {
    method,
    credentials: "same-origin",
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  const heard = asked ?? fetch(path, init).then((response) => ({ response, at: Date.now() }));
  const { response, at: heardAt } = await heard.catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure(0, "Weir cannot be reached: is it running?");
  });
  hear(response.headers, heardAt);
  const text = await response.text();
  const answer = parse(text);
  if (!response.ok || answer === undefined) {
    const { message, path: at } = (answer ?? {}) as { message?: string; path?: string | null };
    throw new ApiFailure(response.status, message ?? `The API answered ${response.status}.`, at ?? undefined);
  }
  const warning = response.headers.get("gateway-warning");
  return { ...(answer as Answer<T>), ...(warning === null ? {} : { warning }) };
}

/** The `data` of a GET, which may have been asked for before. */
export async function get<T>(path: string, signal?: AbortSignal, asked?: Promise<Heard>): Promise<T> {
  const options = { ...(signal === undefined ? {} : { signal }), ...(asked === undefined ? {} : { asked }) };
  return (await call<T>("GET", path, options)).data;
}

/** The `data` of a POST, which is how the API is asked questions. */
export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await call<T>("POST", path, signal === undefined ? { body } : { body, signal })).data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
