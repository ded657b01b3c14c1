import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Json } from "../../src/plugin-host/contract.ts";
import { messages } from "./responses/anthropic.ts";
import { generateContent } from "./responses/google.ts";
import { chatCompletions, embeddings, responses } from "./responses/openai.ts";
import type { ScriptedResponse } from "./responses/response.ts";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Upstream {
  readonly port: number;
  readonly origin: string;
  /** Requests whose body arrived whole, in order. */
  readonly seen: readonly SeenRequest[];
  /** Exchanges that are open now. */
  readonly open: () => number;
  /** Exchanges that the other side broke off before their response was complete. */
  readonly aborted: () => number;
  /** Lets go of what was seen so far. */
  forget(): void;
  /** Ends the streams of `/held`. */
  finish(): void;
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A provider on 127.0.0.1 that speaks like OpenAI, Anthropic and Google, and misbehaves on request:
 * `/slow?ms=` waits, `/events?n=&ms=` streams, `/endless` never ends, `/held` ends when the test says so, `/stalled` sends no head, `/drop?after=` breaks
 * off, `/bytes?n=` sends many bytes, `/status/<code>` that status, `/echo` the request's body.
 */
export async function startUpstream(): Promise<Upstream> {
  const seen: SeenRequest[] = [];
  const held: ServerResponse[] = [];
  let open = 0;
  let aborted = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    open += 1;
    response.on("close", () => {
      open -= 1;
      if (!response.writableFinished) aborted += 1;
    });
    request.on("error", () => response.destroy());
    void readAll(request).then((body) => {
      if (body === undefined) return;
      const { method = "", url: path = "", headers, rawHeaders } = request;
      seen.push({ method, path, headers, rawHeaders, body });
      if (path === "/held") {
        response.writeHead(200, { "content-type": "text/event-stream" }).write('data: {"index":0}\n\n');
        return void held.push(response);
      }
      return result(request, response, body);
    });
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    seen,
    open: () => open,
    aborted: () => aborted,
    forget: () => {
      seen.length = 0;
    },
    finish: () => {
      for (const response of held.splice(0)) response.end('data: {"index":1}\n\n');
    },
    close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part);
  } catch {
    return undefined; // the other side left during its upload; `aborted` counts it
  }
  return Buffer.concat(parts);
}

const MODELS: readonly (readonly [RegExp, (body: Json, path: string) => ScriptedResponse])[] = [
  [/\/chat\/completions$/, chatCompletions],
  [/\/responses$/, responses],
  [/\/embeddings$/, embeddings],
  [/\/messages$/, messages],
  [/:(generateContent|streamGenerateContent)(\?|$)/, generateContent],
];

async function result(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  const path = request.url ?? "";
  const model = MODELS.find(([pattern]) => pattern.test(path));
  if (model === undefined) return misbehave(request, response, body, new URL(path, "http://upstream"));
  const said = model[1](JSON.parse(body.toString()), path);
  if ("events" in said) return sendEvents(response, said.events, 2);
  const json = Buffer.from(JSON.stringify(said.json));
  const gzip = /\bgzip\b/.test(String(request.headers["accept-encoding"])) && request.headers["x-plain"] === undefined;
  response.writeHead(said.status ?? 200, {
    "content-type": "application/json; charset=utf-8",
    "x-request-id": "req_upstream",
    ...(gzip ? { "content-encoding": "gzip" } : {}),
  });
  response.end(gzip ? gzipSync(json) : json);
}

async function sendEvents(response: ServerResponse, events: readonly string[], everyMs: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  for (const event of events) {
    if (response.destroyed) return;
    response.write(event);
    await pause(everyMs);
  }
  response.end();
}

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

async function misbehave(request: IncomingMessage, response: ServerResponse, body: Buffer, url: URL): Promise<void> {
  const number = (name: string, otherwise: number) => Number(url.searchParams.get(name) ?? otherwise);
  const status = /^\/status\/(\d+)$/.exec(url.pathname)?.[1];
  if (status !== undefined) {
    response.writeHead(Number(status), { "content-type": "application/json", location: "/elsewhere?x=%2F" });
    response.end(Number(status) === 204 || Number(status) === 304 ? undefined : `{"status":${status}}`);
    return;
  }
  switch (url.pathname) {
    case "/stalled":
      return;
    case "/slow":
      await pause(number("ms", 500));
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"slow":true}');
      return;
    case "/events":
      return sendEvents(
        response,
        Array.from({ length: number("n", 10) }, (_none, index) => `data: {"index":${index}}\n\n`),
        number("ms", 20),
      );
    case "/endless":
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let index = 0; !response.destroyed; index += 1) {
        response.write(`data: {"index":${index}}\n\n`);
        await pause(10);
      }
      return;
    case "/drop":
      response.writeHead(200, { "content-type": "application/json", "content-length": "100000" });
      response.write("x".repeat(number("after", 10)));
      await pause(20);
      response.destroy();
      return;
    case "/bytes":
      return sendBytes(response, number("n", 1000));
    case "/echo":
      response.writeHead(200, {
        "content-type": request.headers["content-type"] ?? "application/octet-stream",
        "content-length": body.byteLength,
      });
      response.end(body);
      return;
    default:
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ path: request.url, method: request.method, bytes: body.byteLength }));
  }
}

/** `bytes` bytes of text in pieces of 64 kB, as fast as the other side takes them. */
async function sendBytes(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/plain", "content-length": bytes });
  const piece = Buffer.alloc(65_536, "0123456789abcdef");
  const gone = new Promise<void>((resolve) => response.once("close", resolve));
  for (let left = bytes; left > 0 && !response.destroyed; left -= piece.byteLength)
    if (!response.write(piece.subarray(0, Math.min(left, piece.byteLength))))
      await Promise.race([gone, new Promise<void>((resolve) => response.once("drain", resolve))]);
  response.end();
}
