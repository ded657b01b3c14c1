import { originOf } from "../egress/origin.ts";
import { decodeBody } from "../runtime/content-coding.ts";
import { type Upstream, type UpstreamCall, UpstreamError, type UpstreamRequest } from "../runtime/http/upstream.ts";

/** A small internal request, such as one for a token. */
export interface WholeRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Maximum decompressed size of a response's body; a larger one is a failure. */
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Asked for room for each part of the response's body, as it arrives and decompressed; false ends the call. */
  readonly room?: TakeRoom;
}

/** @returns whether there is room for so many more bytes. */
export type TakeRoom = (bytes: number) => boolean;

export interface WholeResponse {
  readonly status: number;
  /** Raw pairs. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

const NO_ROOM = "there is no memory for the response";

/**
 * Calls an address and waits for the complete, decompressed response. It uses the same path as other calls: names are resolved
 * and checked once, and forbidden addresses stay forbidden. Redirects are not followed.
 *
 * @throws UpstreamError with a message without a credential.
 */
export async function callWhole(upstream: Upstream, request: WholeRequest): Promise<WholeResponse> {
  const { bytesMax, timeoutMs, signal } = request;
  const done = Promise.withResolvers<WholeResponse>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let status = 0;
  let headers: readonly string[] = [];
  let call: UpstreamCall | undefined;
  const fail = (kind: UpstreamError["kind"], message: string) => {
    call?.abort();
    done.reject(new UpstreamError(kind, message));
  };
  const timer = setTimeout(() => fail("broken", `no complete response within ${timeoutMs} ms`), timeoutMs);
  const onAbort = () => fail("broken", "the call was aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  call = upstream.open(toUpstream(request), {
    onHead(theirStatus, _reason, theirHeaders) {
      status = theirStatus;
      headers = theirHeaders;
    },
    onData(chunk) {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes > bytesMax) fail("broken", `the response is over ${bytesMax} bytes`);
      else if (request.room?.(chunk.byteLength) === false) fail("broken", NO_ROOM);
    },
    onEnd: () => done.resolve({ status, headers, body: Buffer.concat(chunks) }),
    onError: (error) => done.reject(error),
  });
  try {
    const whole = await done.promise;
    const body = await unpacked(whole, bytesMax);
    if (body !== whole.body && request.room?.(body.byteLength) === false) throw new UpstreamError("broken", NO_ROOM);
    return { ...whole, body };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

async function unpacked({ headers, body }: WholeResponse, bytesMax: number): Promise<Uint8Array> {
  const coding = headers.find((_, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === "content-encoding");
  if (coding === undefined) return body;
  const decoded = await decodeBody(Buffer.from(body), coding, bytesMax);
  if (decoded.incomplete) throw new UpstreamError("protocol", "the response cannot be decompressed");
  return decoded.bytes;
}

function toUpstream({ method, url, headers, body }: WholeRequest): UpstreamRequest {
  const lines = ["Host", url.host, ...Object.entries(headers).flat()];
  if (body !== undefined) lines.push("Content-Length", String(body.byteLength));
  return {
    origin: originOf(url),
    method,
    path: url.pathname + url.search,
    headers: lines,
    framing: body === undefined ? "none" : "length",
    ...(body !== undefined && { body }),
  };
}
