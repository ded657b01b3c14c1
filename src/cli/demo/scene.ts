import type { Json } from "../../plugin-host/contract.ts";
import type { RawHeaders, SpoolWriter } from "../../spool/frame.ts";

/** A body that a provider sends: complete, or as the events of a stream. */
export type Sent =
  | { readonly json: Json }
  /** Each with its name, if the provider writes one. */
  | { readonly events: readonly { readonly name?: string; readonly data: Json | "[DONE]" }[] };

/** A client's request and a provider's response, in the provider's own form. */
export interface Call {
  /** Upper case. */
  readonly provider: string;
  readonly target: string;
  readonly path: string;
  readonly request: Json;
  readonly response: Sent;
}

/** A recorded request of the demonstration. */
export interface Scene extends Call {
  readonly id: string;
  /** Time of arrival, in milliseconds since 1970. */
  readonly at: number;
  /** Until the last byte of the response. */
  readonly latencyMs: number;
  /** Until the first byte; of a stream. */
  readonly firstByteMs?: number;
  readonly status?: number;
  /** Values of its `Gateway-*` headers, by the name after the prefix. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Weir's own error, if it refused the request. */
  readonly refused?: { readonly code: string; readonly message: string };
  /** The original request of a cached response. */
  readonly cacheOf?: Pick<Scene, "id" | "at">;
  readonly scores?: Readonly<Record<string, number>>;
  /** Reasons, by the names of scores. */
  readonly reasons?: Readonly<Record<string, string>>;
  readonly rating?: boolean;
}

/** The senders of the demonstration's requests. */
interface Sender {
  readonly organization: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly authHash: string;
}

/** Writes a scene into the spool, as the gateway does; the recorder reads it like any other request. */
export function writeScene(spool: SpoolWriter, sender: Sender, scene: Scene): void {
  const { id, at, latencyMs, firstByteMs = latencyMs, status = 200, refused, cacheOf, labels = {} } = scene;
  const request = Buffer.from(JSON.stringify(scene.request));
  const gateway = Object.entries({ "Target-Url": scene.target, ...labels });
  spool.begin(id, {
    time: at,
    method: "POST",
    path: scene.path,
    target: scene.target,
    provider: scene.provider,
    ...sender,
    headers: ["Host", "127.0.0.1:8787", "Content-Type", "application/json", "User-Agent", "weir-demo/1"],
    gateway: gateway.flatMap(([name, value]) => [`Gateway-${name}`, Buffer.from(value).toString("latin1")]),
    omitRequest: false,
    omitResponse: false,
  });
  spool.requestChunk(id, request);
  const sent: Sent = refused === undefined ? scene.response : { json: { error: refused } };
  const response = Buffer.from(textOf(sent));
  const hit = cacheOf && { cacheReferenceId: cacheOf.id, cacheCreatedAt: cacheOf.at };
  spool.head(id, { time: at + firstByteMs, status, headers: headersOf(sent), ...hit });
  spool.responseChunk(id, response);
  spool.end(id, {
    time: at + latencyMs,
    outcome: refused === undefined ? "complete" : "refused",
    ...(refused === undefined && cacheOf === undefined && { forwardedAt: at + 1, firstByteAt: at + firstByteMs }),
    requestBytes: request.byteLength,
    responseBytes: response.byteLength,
    ...(refused && { status, error: refused }),
  });
}

function headersOf(sent: Sent): RawHeaders {
  return ["Content-Type", "json" in sent ? "application/json" : "text/event-stream"];
}

function textOf(sent: Sent): string {
  if ("json" in sent) return JSON.stringify(sent.json);
  return sent.events
    .map(({ name, data }) => {
      const line = `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
      return name === undefined ? line : `event: ${name}\n${line}`;
    })
    .join("");
}
