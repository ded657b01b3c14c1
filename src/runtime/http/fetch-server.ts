import { STATUS_CODES } from "node:http";
import type { FetchHandler } from "../runtime.ts";
import type { IncomingRequest, RequestFault, Server, ServerResponse } from "./server.ts";
import type { Sockets } from "./sockets.ts";
import { startStrictServer } from "./strict-server.ts";

const HEAD_BYTES_MAX = 128 * 1_024;
const HEAD_MS = 30_000;
const IDLE_MS = 65_000;
/** Maximum bytes of a request's body that wait for its reader. */
const WAITING_BYTES_MAX = 256 * 1_024;

interface FetchServerOptions {
  readonly host: string;
  readonly port: number;
  readonly sockets: Sockets;
  readonly handle: FetchHandler;
  /** The complete response to a request that cannot be served. */
  readonly onFault: (fault: RequestFault) => Uint8Array;
}

/** Serves a fetch-style handler over given sockets, as the runtimes' servers do over theirs. */
export function startFetchServer({ host, port, sockets, handle, onFault }: FetchServerOptions): Promise<Server> {
  return startStrictServer({
    ...{ host, port, sockets, headBytesMax: HEAD_BYTES_MAX, headMs: HEAD_MS, idleMs: IDLE_MS },
    handlers: {
      onRequest: (incoming, response) => void serve(incoming, response, handle),
      onUpgrade(_request, socket) {
        socket.on("error", () => socket.destroy());
        socket.write(onFault("method"));
        socket.end();
        socket.resume();
      },
      onFault,
    },
  });
}

async function serve(incoming: IncomingRequest, outgoing: ServerResponse, handle: FetchHandler): Promise<void> {
  const left = new AbortController();
  let onLeft = () => {};
  outgoing.onClose(() => {
    left.abort();
    onLeft();
  });
  try {
    const request = requestOf(incoming, left.signal);
    const response =
      request === undefined ? new Response(null, { status: 400 }) : await handle(request, incoming.address ?? null);
    outgoing.head(response.status, STATUS_CODES[response.status] ?? "", headersOf(response, incoming.method));
    const reader = response.body?.getReader();
    if (reader === undefined) {
      outgoing.end();
      return;
    }
    onLeft = () => void reader.cancel().catch(() => undefined);
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (left.signal.aborted) return;
      if (!outgoing.write(next.value))
        await new Promise<void>((resolve) => {
          outgoing.onDrain(resolve);
          left.signal.addEventListener("abort", () => resolve(), { once: true });
        });
    }
    outgoing.end();
  } catch {
    outgoing.destroy(); // the handler never rejects: a body broke off, and its client must see that
  }
}

/**
 * Undefined if the request's address is invalid. The scheme is `http`, whatever the sockets use: Elysia finds the path by
 * the length of that.
 */
function requestOf(incoming: IncomingRequest, signal: AbortSignal): Request | undefined {
  const { method, url, rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const address = url.startsWith("/") ? `http://${headers.get("host") ?? ""}${url}` : url;
  if (!URL.canParse(address)) return undefined;
  const isBodied = headers.has("transfer-encoding") || Number(headers.get("content-length") ?? 0) > 0;
  if (method === "TRACE") {
    // No `Request` can be made with this method; the handler refuses it like any other wrong one.
    return Object.defineProperty(new Request(address, { headers, signal }), "method", { value: method });
  }
  const init: RequestInit = { method, headers, signal };
  if (!isBodied || method === "GET" || method === "HEAD") return new Request(address, init);
  return new Request(address, { ...init, body: bodyOf(incoming, signal), duplex: "half" } as RequestInit);
}

/** The body is read only when its reader asks for it. */
function bodyOf(incoming: IncomingRequest, signal: AbortSignal): ReadableStream<Uint8Array> {
  let isBegun = false;
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isBegun) {
          incoming.resume();
          return;
        }
        isBegun = true;
        const fail = (why: string) => {
          if (!isOver) controller.error(new Error(why));
          isOver = true;
        };
        signal.addEventListener("abort", () => fail("the client has left"), { once: true });
        incoming.sendContinue();
        incoming.read({
          onData(bytes) {
            if (isOver) return;
            controller.enqueue(bytes);
            if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
          },
          onEnd() {
            if (!isOver) controller.close();
            isOver = true;
          },
          onBroken() {
            fail("the body is not well-formed HTTP");
            return false;
          },
        });
      },
      cancel() {
        isOver = true;
        incoming.resume();
      },
    },
    { highWaterMark: WAITING_BYTES_MAX, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}

/** As raw pairs; each `Set-Cookie` is a separate line. */
function headersOf(response: Response, method: string): string[] {
  const pairs = ["Date", new Date().toUTCString()];
  for (const [name, value] of response.headers) if (name !== "set-cookie") pairs.push(name, value);
  for (const value of response.headers.getSetCookie()) pairs.push("Set-Cookie", value);
  if (response.body === null && method !== "HEAD" && !response.headers.has("content-length"))
    pairs.push("Content-Length", "0");
  return pairs;
}
