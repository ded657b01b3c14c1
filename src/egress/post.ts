import type { Upstream, UpstreamCall } from "../runtime/http/upstream.ts";
import { originOf } from "./origin.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Response bytes that are read, so that the connection can be reused; of a longer response only the status is used. */
const RESPONSE_BYTES_MAX = 64 * 1024;

interface Posted {
  readonly status: number;
  /** The wait that the receiver requests, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

interface PostOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/**
 * Posts JSON and returns the status. A redirect is a response like any other and is not followed.
 *
 * @throws Error or UpstreamError if no complete head arrived in time; the message contains no credential.
 */
export function post(upstream: Upstream, { url: text, headers, body, timeoutMs }: PostOptions): Promise<Posted> {
  const url = new URL(text);
  const bytes = Buffer.from(body);
  const lines: Record<string, string> = {
    Host: url.host,
    "User-Agent": "weir",
    "Content-Type": "application/json",
    "Content-Length": String(bytes.byteLength),
    ...headers,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Posted>();
  let head: Posted | undefined;
  let read = 0;
  let call: UpstreamCall | undefined;
  const timer = setTimeout(() => {
    call?.abort();
    if (head !== undefined) resolve(head);
    else reject(new Error(`no response within ${timeoutMs / 1_000} s`));
  }, timeoutMs);
  call = upstream.open(
    {
      origin: originOf(url),
      method: "POST",
      path: url.pathname + url.search,
      headers: Object.entries(lines).flat(),
      framing: "length",
      body: bytes,
    },
    {
      onHead: (status, _reason, headers) => {
        head = { status, retryAfterMs: retryAfterMs(headers) };
      },
      onData: ({ byteLength }) => {
        read += byteLength;
        if (read <= RESPONSE_BYTES_MAX || head === undefined) return;
        call?.abort();
        resolve(head);
      },
      onEnd: () => resolve(head!),
      // A response that breaks off after the head still has a status.
      onError: (error) => (head === undefined ? reject(error) : resolve(head)),
    },
  );
  return promise.finally(() => clearTimeout(timer));
}
