import type { Json } from "../plugin-host/contract.ts";
import type { PassedOn } from "../runtime/http/pass-on.ts";
import { sendThroughGateway } from "./through-gateway.ts";

/** Maximum bytes of a response. */
const RESPONSE_BYTES_MAX = 8 * 1_024 * 1_024;

interface UnifiedQuestion {
  /** Hash of the service key for the call, with its limits. */
  readonly keyHash: string;
  /** At the unified address, such as `/v1/chat/completions`. */
  readonly path: string;
  readonly body: Json;
  /** `Gateway-*` and other headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

interface UnifiedResponse {
  readonly status: number;
  /** Id of the record. */
  readonly id: string | undefined;
  /** `Retry-After` of the response in seconds, if any. */
  readonly retryAfterSeconds: number | undefined;
  /** Undefined if it is not JSON. */
  readonly body: Json;
}

/**
 * Calls the unified address like a client, on behalf of a service key, from a thread other than the gateway's: the call is
 * recorded, limited and charged like any other.
 *
 * @throws if the response breaks off, and at the time limit.
 */
export async function askUnified(passedOn: PassedOn, question: UnifiedQuestion): Promise<UnifiedResponse> {
  const body = Buffer.from(JSON.stringify(question.body));
  const signal = AbortSignal.any([
    AbortSignal.timeout(question.timeoutMs),
    ...(question.signal === undefined ? [] : [question.signal]),
  ]);
  const request = new Request(`http://ai${question.path}`, { method: "POST", body, signal });
  const headers = {
    Host: "ai",
    "User-Agent": "weir",
    "Content-Type": "application/json",
    "Content-Length": String(body.byteLength),
    "Accept-Encoding": "identity",
    ...question.headers,
  };
  const { promise: late, reject } = Promise.withResolvers<never>();
  const leave = () =>
    reject(
      new Error(
        question.signal?.aborted ? "the call was aborted" : `no response within ${question.timeoutMs / 1_000} s`,
      ),
    );
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave);
  const sent = sendThroughGateway(passedOn, request, {
    url: question.path,
    headers: Object.entries(headers).flat(),
    sentFor: question.keyHash,
  }).then(readResponse);
  sent.catch(() => {}); // a late failure is ignored
  try {
    return await Promise.race([sent, late]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

async function readResponse(response: Response): Promise<UnifiedResponse> {
  const text = await readText(response);
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  return {
    status: response.status,
    id: response.headers.get("gateway-id") ?? undefined,
    retryAfterSeconds: Number.isFinite(after) ? after : undefined,
    body: parsed(text),
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > RESPONSE_BYTES_MAX) throw new Error(`the response is over ${RESPONSE_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
