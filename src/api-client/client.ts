import { readRetryAfter } from "../egress/retry-after.ts";
import { UnreadableResponse } from "./envelope.ts";
import { ExportFailure } from "./failure.ts";
import { delayMs, mayBeRetried, type Pace, sleep } from "./retry.ts";

interface Question<T> {
  /** The path after the API address, such as `/v1/request/query-fast`. */
  readonly path: string;
  readonly body: unknown;
  /** The content type of a body that is already text; anything else is sent as JSON. */
  readonly contentType?: string;
  /** Id of the export that this page belongs to, for its entry in the audit log. */
  readonly exportId?: string;
  /** The scope that the key must have; default `read`. */
  readonly scope?: string;
  /** Parses a response with status 200. @throws UnreadableResponse to retry. */
  readonly read: (response: Buffer) => T;
  /** Approximate maximum size of a response, for large ones. */
  readonly bytesUsual?: number;
  /** A larger response is dropped and {@link ResponseTooLong} thrown; undefined for no limit. */
  readonly bytesMax?: number | undefined;
  /** Fewer attempts than the pace's, for optional requests. */
  readonly attemptsMax?: number;
  /** Aborted when the response is no longer needed. */
  readonly signal?: AbortSignal;
}

export interface Client {
  /**
   * Sends the request until there is a readable response.
   *
   * @throws ExportFailure if the service refuses, or every attempt failed; ResponseTooLong; the reason of a signal.
   */
  ask<T>(question: Question<T>): Promise<T>;
}

/** The response exceeds the request's limit: request less. Not retried. */
export class ResponseTooLong extends Error {
  override readonly name = "ResponseTooLong";
}

/** A failed attempt that is worth a retry. */
class AttemptFailed extends Error {
  readonly retryAfterMs: number | undefined;
  constructor(message: string, options: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

interface ClientOptions {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly pace: Pace;
  /** Aborted when the export is to stop. */
  readonly signal: AbortSignal;
  readonly onWait: (reason: string, ms: number, attempt: number) => void;
  /** A warning of the service about a successful query, such as an unknown name. */
  readonly onWarning?: (text: string) => void;
  /** The position of the command line's filter in the query, such as `filter.right.right`. */
  readonly filterPlace?: string;
}

/** A client of the query API that tolerates failures of the network and the service. */
export function createClient(options: ClientOptions): Client {
  return {
    async ask(question) {
      const attemptsMax = question.attemptsMax ?? options.pace.attemptsMax;
      const signal = AbortSignal.any([options.signal, ...(question.signal === undefined ? [] : [question.signal])]);
      for (let attempt = 1; ; attempt++) {
        try {
          return question.read(await fetchResponse(options, question, signal));
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof AttemptFailed || error instanceof UnreadableResponse)) throw error;
          const ms = delayMs(options.pace, attempt, error instanceof AttemptFailed ? error.retryAfterMs : undefined);
          if (attempt >= attemptsMax || ms > options.pace.retryAfterMsMax) throw givenUp(error, attempt, ms, question);
          options.onWait(error.message, ms, attempt);
          await sleep(ms, signal);
        }
      }
    },
  };
}

function givenUp(error: Error, attempt: number, ms: number, question: Question<unknown>): ExportFailure {
  const why = attempt === 1 ? `which requests a wait of ${Math.ceil(ms / 1000)} s` : `after ${attempt} attempts`;
  return new ExportFailure("failed", `${question.path}: ${error.message}, ${why}`, { cause: error });
}

async function fetchResponse(
  options: ClientOptions,
  question: Question<unknown>,
  signal: AbortSignal,
): Promise<Buffer> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), options.pace.idleMsMax);
  try {
    const response = await fetch(options.apiUrl + question.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        "content-type": question.contentType ?? "application/json",
        ...(question.exportId !== undefined && { "gateway-export": question.exportId }),
      },
      body: question.contentType === undefined ? JSON.stringify(question.body) : String(question.body),
      // A redirect would send the key to another host.
      redirect: "manual",
      signal: AbortSignal.any([signal, idle.signal]),
    });
    const bytes = await readBytes(response, question, () => timer.refresh());
    if (response.status !== 200) throw refusal(response, bytes.toString(), question, options);
    const warning = response.headers.get("gateway-warning");
    if (warning !== null) options.onWarning?.(printable(warning));
    return bytes;
  } catch (error) {
    if (error instanceof AttemptFailed || error instanceof ExportFailure || error instanceof ResponseTooLong)
      throw error;
    if (idle.signal.aborted) {
      throw new AttemptFailed(`no byte for ${options.pace.idleMsMax / 1000} s`, { cause: error });
    }
    throw new AttemptFailed(`the connection to ${options.apiUrl} failed (${reasonOf(error)})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Collects the bytes as they arrive: after the last one, the next request is due. */
async function readBytes(
  response: Response,
  { bytesUsual = 0, bytesMax }: Question<unknown>,
  onBytes: () => void,
): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0);
  const reader = response.body.getReader();
  let bytes = Buffer.allocUnsafe(bytesUsual);
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    onBytes();
    const end = length + next.value.byteLength;
    if (bytesMax !== undefined && end > bytesMax) {
      await reader.cancel();
      throw new ResponseTooLong(`more than ${bytesMax} bytes`);
    }
    if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, 2 * bytes.length));
    bytes.set(next.value, length);
    length = end;
  }
  return bytes.subarray(0, length);
}

function refusal(
  response: Response,
  text: string,
  { path, scope = "read" }: Question<unknown>,
  { filterPlace }: ClientOptions,
): Error {
  const { words, place } = explanation(text, filterPlace);
  const said = `status ${response.status}${words}`;
  if (mayBeRetried(response.status)) {
    return new AttemptFailed(said, {
      retryAfterMs: readRetryAfter(response.headers.get("retry-after") ?? "", Date.now()),
    });
  }
  const hint: Readonly<Record<number, string>> = {
    401: "; is WEIR_API_KEY a key of this region that has not expired?",
    403: `; the key needs the scope \`${scope}\``,
    404: "; is this the address of a Weir API?",
  };
  // Only the filter and the search come from the command line unchanged.
  const kind = response.status === 400 && /^(?:filter|search)/.test(place) ? "usage" : "failed";
  return new ExportFailure(kind, `${path}: ${said}${hint[response.status] ?? ""}`);
}

/** The service's message about a failure, with its place. */
function explanation(text: string, filterPlace = "filter"): { readonly words: string; readonly place: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return NOTHING_SAID; // an HTML page from a proxy adds nothing to the status
  }
  if (typeof parsed !== "object" || parsed === null) return NOTHING_SAID;
  const { message, path } = parsed as { message?: unknown; path?: unknown };
  const place = typeof path !== "string" ? "" : path.replace(filterPlace, "filter");
  const words = [message, place].filter((word) => typeof word === "string" && word !== "");
  if (words.length === 0) return NOTHING_SAID;
  return { words: `: ${printable(words.join(" at "))}`, place };
}

/** Foreign text for the terminal: bounded, without control characters. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, " ").slice(0, 500);
}

const NOTHING_SAID = { words: "", place: "" };

/** The innermost reason: `fetch` wraps the socket's error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
