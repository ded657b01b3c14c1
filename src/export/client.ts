import { readRetryAfter } from "../net/retry-after.ts";
import { ExportFailure } from "./failure.ts";
import { UnreadableAnswer } from "./page.ts";
import { delayMs, mayBeRetried, type Pace, sleep } from "./retry.ts";

export interface Question<T> {
  /** From the API address on, such as `/v1/request/query-fast`. */
  readonly path: string;
  readonly body: unknown;
  /** Of a body that is text already; anything else is sent as JSON. */
  readonly contentType?: string;
  /** Of the export that it is a page of: the audit log has an entry for it. */
  readonly exportId?: string;
  /** That the key must have; `read` unless told otherwise. */
  readonly scope?: string;
  /** Turns an answer with status 200 into its meaning. @throws UnreadableAnswer to have it asked again. */
  readonly read: (answer: Buffer) => T;
  /** About the most that an answer has, where it is much. */
  readonly bytesUsual?: number;
  /** Above it the answer is dropped and {@link AnswerTooLong} thrown; undefined for no bound. */
  readonly bytesMax?: number | undefined;
  /** Fewer than the pace's, for what the export can do without. */
  readonly attemptsMax?: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export interface Client {
  /**
   * Asks until there is an answer that can be read.
   *
   * @throws ExportFailure when the service refuses, or every attempt failed; AnswerTooLong; the reason of a signal.
   */
  ask<T>(question: Question<T>): Promise<T>;
}

/** The answer is longer than the question allows: ask for less. Not retried. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";
}

/** One attempt that failed in a way that another may not. */
class AttemptFailed extends Error {
  readonly retryAfterMs: number | undefined;
  constructor(message: string, options: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
  }
}

export interface ClientOptions {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly pace: Pace;
  /** Aborted when the export is to stop. */
  readonly signal: AbortSignal;
  readonly onWait: (reason: string, ms: number, attempt: number) => void;
  /** What the service says about a question that it answers all the same, such as a name that no record has. */
  readonly onWarning?: (text: string) => void;
  /** Where the filter of the command line stands in what is asked, such as `filter.right.right`. */
  readonly filterPlace?: string;
}

/** A client of the query API that expects the network and the service to fail now and then. */
export function createClient(options: ClientOptions): Client {
  return {
    async ask(question) {
      const attemptsMax = question.attemptsMax ?? options.pace.attemptsMax;
      const signal = AbortSignal.any([options.signal, ...(question.signal === undefined ? [] : [question.signal])]);
      for (let attempt = 1; ; attempt++) {
        try {
          return question.read(await fetchAnswer(options, question, signal));
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof AttemptFailed || error instanceof UnreadableAnswer)) throw error;
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
  const why = attempt === 1 ? `which asks to wait ${Math.ceil(ms / 1000)} s` : `after ${attempt} attempts`;
  return new ExportFailure("failed", `${question.path}: ${error.message}, ${why}`, { cause: error });
}

async function fetchAnswer(options: ClientOptions, question: Question<unknown>, signal: AbortSignal): Promise<Buffer> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), options.pace.idleMsMax);
  try {
    const answer = await fetch(options.apiUrl + question.path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${options.apiKey}`,
        "content-type": question.contentType ?? "application/json",
        ...(question.exportId !== undefined && { "gateway-export": question.exportId }),
      },
      body: question.contentType === undefined ? JSON.stringify(question.body) : String(question.body),
      // A redirect would carry the key to a host that nobody named.
      redirect: "manual",
      signal: AbortSignal.any([signal, idle.signal]),
    });
    const bytes = await readBytes(answer, question, () => timer.refresh());
    if (answer.status !== 200) throw refusal(answer, bytes.toString(), question, options);
    const warning = answer.headers.get("gateway-warning");
    if (warning !== null) options.onWarning?.(printable(warning));
    return bytes;
  } catch (error) {
    if (error instanceof AttemptFailed || error instanceof ExportFailure || error instanceof AnswerTooLong) throw error;
    if (idle.signal.aborted) {
      throw new AttemptFailed(`no byte for ${options.pace.idleMsMax / 1000} s`, { cause: error });
    }
    throw new AttemptFailed(`the connection failed (${reasonOf(error)})`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Puts the bytes together while they come: behind the last one, the next question is waited for. */
async function readBytes(
  answer: Response,
  { bytesUsual = 0, bytesMax }: Question<unknown>,
  onBytes: () => void,
): Promise<Buffer> {
  if (answer.body === null) return Buffer.alloc(0);
  const reader = answer.body.getReader();
  let bytes = Buffer.allocUnsafe(bytesUsual);
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    onBytes();
    const end = length + next.value.byteLength;
    if (bytesMax !== undefined && end > bytesMax) {
      await reader.cancel();
      throw new AnswerTooLong(`more than ${bytesMax} bytes`);
    }
    if (end > bytes.length) bytes = Buffer.concat([bytes], Math.max(end, 2 * bytes.length));
    bytes.set(next.value, length);
    length = end;
  }
  return bytes.subarray(0, length);
}

function refusal(
  answer: Response,
  text: string,
  { path, scope = "read" }: Question<unknown>,
  { filterPlace }: ClientOptions,
): Error {
  const { words, place } = explanation(text, filterPlace);
  const said = `status ${answer.status}${words}`;
  if (mayBeRetried(answer.status)) {
    return new AttemptFailed(said, {
      retryAfterMs: readRetryAfter(answer.headers.get("retry-after") ?? "", Date.now()),
    });
  }
  const hint: Readonly<Record<number, string>> = {
    401: "; is WEIR_API_KEY a key of this region that has not expired?",
    403: `; the key needs the scope \`${scope}\``,
    404: "; is this the address of a Weir API?",
  };
  // Of all that is asked, the filter and the search alone come from the command line as they are.
  const kind = answer.status === 400 && /^(?:filter|search)/.test(place) ? "usage" : "failed";
  return new ExportFailure(kind, `${path}: ${said}${hint[answer.status] ?? ""}`);
}

/** What the service says about a failure and the place it names. */
function explanation(text: string, filterPlace = "filter"): { readonly words: string; readonly place: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return NOTHING_SAID; // a page of HTML from something in between says nothing that the status does not
  }
  if (typeof parsed !== "object" || parsed === null) return NOTHING_SAID;
  const { message, path } = parsed as { message?: unknown; path?: unknown };
  const place = typeof path !== "string" ? "" : path.replace(filterPlace, "filter");
  const words = [message, place].filter((word) => typeof word === "string" && word !== "");
  if (words.length === 0) return NOTHING_SAID;
  return { words: `: ${printable(words.join(" at "))}`, place };
}

/** What somebody else wrote, for the terminal: bounded, without control characters. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]/g, " ").slice(0, 500);
}

const NOTHING_SAID = { words: "", place: "" };

/** The innermost reason: `fetch` wraps what the socket said. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
