import { hear } from "../../clock.ts";
import type { Body, Shape } from "./draft.ts";
import { messageIn, NO_RESPONSE, READERS, type ShownResponse } from "./read-response.ts";
import { serverEvents } from "./server-events.ts";

/** One request to one model, and its response so far. */
export interface Attempt {
  readonly id: number;
  /** As the user wrote it. */
  readonly model: string;
  readonly state: "sending" | "answering" | "done" | "failed" | "stopped";
  /** Whether it is a recorded request that others are compared with. */
  readonly recorded?: true;
  /** Id of its record, once the gateway has responded. */
  readonly requestId?: string;
  readonly status?: number;
  readonly provider?: string;
  readonly answeredBy?: string;
  readonly route?: string;
  readonly warnings?: string;
  readonly answer: ShownResponse;
  readonly failure?: Failure;
  /** Milliseconds as the browser measured them; the record has the gateway's. */
  readonly firstMs?: number;
  readonly totalMs?: number;
}

export interface Failure {
  readonly message: string;
  readonly code?: string;
  /** The provider, if it sent the error. */
  readonly provider?: string;
}

export interface Order {
  readonly shape: Shape;
  readonly body: Body;
  readonly refuseLosses: boolean;
}

/** Endpoints of the playground by API shape. */
const PATHS: Readonly<Record<Shape, string>> = {
  "chat-completions": "chat/completions",
  responses: "responses",
  messages: "messages",
};

/** Sends a request through the gateway. Never rejects: failures are reported as changes too. */
export async function sendAttempt(
  { shape, body, refuseLosses }: Order,
  signal: AbortSignal,
  onChange: (change: Partial<Attempt>) => void,
): Promise<void> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  try {
    const response = await fetch(`/v1/playground/${PATHS[shape]}`, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json", ...(refuseLosses && { "gateway-unsupported": "refuse" }) },
      body: JSON.stringify(body),
      signal,
    });
    hear(response.headers);
    onChange({ state: "answering", ...headOf(response) });
    if (!response.ok) {
      onChange({ state: "failed", failure: failureOf(response, await response.text()), totalMs: elapsed() });
      return;
    }
    const isStream = /^text\/event-stream/i.test(response.headers.get("content-type") ?? "");
    const { whole, event } = READERS[shape];
    let answer = NO_RESPONSE;
    let firstMs: number | undefined;
    if (isStream && response.body !== null) {
      for await (const data of serverEvents(response.body)) {
        const next = event(answer, data);
        if (next === answer) continue;
        answer = next;
        if (firstMs === undefined && hasContent(answer)) firstMs = elapsed();
        onChange({ answer, ...(firstMs !== undefined && { firstMs }) });
      }
    } else answer = whole(await response.json());
    const failure = answer.error === undefined ? undefined : { message: answer.error };
    onChange({ answer, totalMs: elapsed(), state: failure ? "failed" : "done", ...(failure && { failure }) });
  } catch (error) {
    onChange({ totalMs: elapsed(), ...brokenOff(error, signal) });
  }
}

const hasContent = ({ text, reasoning, calls }: ShownResponse) => text !== "" || reasoning !== "" || calls.length > 0;

function headOf({ status, headers }: Response): Partial<Attempt> {
  const all = {
    requestId: headers.get("gateway-id"),
    provider: headers.get("gateway-provider"),
    answeredBy: headers.get("gateway-model"),
    route: headers.get("gateway-route"),
    warnings: headers.get("gateway-warning"),
  };
  const known = Object.entries(all).filter(([, value]) => value !== null);
  return { status, ...(Object.fromEntries(known) as Partial<Attempt>) };
}

/** Errors of the gateway in any API's form, including those of Weir's own API. */
function failureOf({ status, headers }: Response, text: string): Failure {
  const responding = headers.get("gateway-provider");
  try {
    const body = JSON.parse(text);
    const error = typeof body.error === "object" && body.error !== null ? body.error : body;
    // The gateway's own: in the Messages form they have a code, which that API's errors do not.
    const isOwn =
      error === body || error.type === "gateway_error" || (body.type === "error" && error.code !== undefined);
    return {
      message: messageIn(error),
      ...(isOwn && typeof error.code === "string" && { code: error.code }),
      ...(!isOwn && responding !== null && { provider: responding }),
    };
  } catch {
    return { message: text === "" ? `The response has the status ${status} and no text.` : text.slice(0, 2_000) };
  }
}

function brokenOff(error: unknown, signal: AbortSignal): Partial<Attempt> {
  if (signal.aborted) return { state: "stopped" };
  const message =
    error instanceof SyntaxError
      ? "The response is not JSON: see its record."
      : "The connection to Weir broke off. Is it running?";
  return { state: "failed", failure: { message } };
}
