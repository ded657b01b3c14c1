import { hear } from "./clock.ts";
import type { Heard } from "./first-session.ts";

/** A failed call: an error response of the API, or no response at all. */
export class ApiFailure extends Error {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The wrong member of the request body, if there is one. */
  readonly path: string | undefined;

  constructor(status: number, message: string, path?: string) {
    super(message);
    this.name = "ApiFailure";
    this.status = status;
    this.path = path;
  }
}

export interface ApiResponse<T> {
  readonly data: T;
  /** Cursor of the next page; null at the end of a list. */
  readonly next_cursor?: string | null;
  /** How far back a search has looked; null at its end. */
  readonly searched_to?: string | null;
  /** A hint from the API about the query, such as another spelling of a property's name. */
  readonly warning?: string;
}

interface CallOptions {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response, if the request was sent earlier; if it is undefined, the request is sent now. */
  readonly pending?: Promise<Heard | undefined> | undefined;
}

/**
 * Calls the API with the log-in's cookie.
 *
 * @throws ApiFailure for every response that is not a success, and if there is none.
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse<T>> {
  const { body, signal, headers = {}, pending } = options;
  const init: RequestInit = {
    method,
    credentials: "same-origin",
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
  const send = () => fetch(path, init).then((response) => ({ response, at: Date.now() }));
  const heard = pending === undefined ? send() : pending.then((early) => early ?? send());
  const { response, at: heardAt } = await heard.catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure(0, "Weir cannot be reached: is it running?");
  });
  hear(response.headers, heardAt);
  const text = await response.text();
  const answer = parse(text);
  if (!response.ok || answer === undefined) {
    const { message, path: at } = (answer ?? {}) as { message?: string; path?: string | null };
    throw new ApiFailure(response.status, message ?? `The API responded with ${response.status}.`, at ?? undefined);
  }
  const warning = response.headers.get("gateway-warning");
  return { ...(answer as ApiResponse<T>), ...(warning === null ? {} : { warning }) };
}

/** The `data` of a GET, which may have been sent earlier. */
export async function get<T>(path: string, signal?: AbortSignal, pending?: Promise<Heard>): Promise<T> {
  const options = { ...(signal === undefined ? {} : { signal }), ...(pending === undefined ? {} : { pending }) };
  return (await call<T>("GET", path, options)).data;
}

/** The `data` of a POST; the API's queries are POSTs. */
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
