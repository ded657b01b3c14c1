import type net from "node:net";
import { temporaryDirectory } from "../../directory.ts";
import { exchangeRaw, startProvider } from "../../raw-http.ts";
import { gatewayHeaders, idOf, KEY, startTestGateway, type TestGateway, type TestOptions } from "../harness.ts";

/** A response as the client saw it. */
interface ParsedResponse {
  readonly status: number;
  /** `HIT`, `MISS`, or "" if the cache was not used. */
  readonly cache: string;
  readonly place: string;
  readonly id: string;
  readonly head: string;
  /** Everything behind the head, as it was framed. */
  readonly wire: string;
  /** The body itself. */
  readonly body: string;
}

export interface Asking {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly key?: string;
  /** Beyond the cache's switch, such as `Gateway-Cache-Seed`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What most tests send: a POST of a small JSON body with the cache switched on. */
export function ask(gateway: { readonly port: number }, target: string, asking: Asking = {}): Promise<ParsedResponse> {
  return exchangeRaw(gateway.port, requestText(target, asking)).then(parseResponse);
}

export function requestText(target: string, asking: Asking = {}): string {
  const { method = "POST", path = "/v1/chat", body = '{"model":"m-1","n":1}', key = KEY } = asking;
  const headers = { "Gateway-Cache-Enabled": "true", ...asking.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === "GET" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = gatewayHeaders(target, `${lines.join("")}${length}Connection: close\r\n`).replace(KEY, key);
  const bytes = method === "GET" ? "" : Buffer.from(body).toString("latin1");
  return `${method} ${path} HTTP/1.1\r\n${head}\r\n${bytes}`;
}

export function parseResponse(text: string): ParsedResponse {
  const end = text.indexOf("\r\n\r\n");
  const head = text.slice(0, end);
  const wire = text.slice(end + 4);
  const header = (name: string) => new RegExp(`\\r\\n${name}: ([^\\r]*)`, "i").exec(head)?.[1] ?? "";
  return {
    status: Number(text.slice(9, 12)),
    cache: header("gateway-cache"),
    place: header("gateway-cache-bucket-idx"),
    id: idOf(text),
    head,
    wire,
    body: /\r\ntransfer-encoding: chunked/i.test(head) ? chunksOf(wire).join("") : wire,
  };
}

/** The chunks of a chunked body, without the last empty one. */
export function chunksOf(wire: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; ; ) {
    const lineEnd = wire.indexOf("\r\n", at);
    const size = Number.parseInt(wire.slice(at, lineEnd), 16);
    if (lineEnd < 0 || !(size > 0)) return chunks;
    chunks.push(wire.slice(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** A provider that numbers its responses, so that a repeated one shows. */
export async function countingProvider(status = "200 OK", more = "") {
  let calls = 0;
  const provider = await startProvider(({ socket }) => {
    calls++;
    const body = `{"answer":${calls}}`;
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  return {
    origin: provider.origin,
    get calls() {
      return calls;
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

/** A provider whose responses the test writes itself; `socketAt` resolves with the socket of the call of that number. */
export async function handProvider() {
  const sockets: net.Socket[] = [];
  const waiting = new Map<number, (socket: net.Socket) => void>();
  const provider = await startProvider(({ socket }) => {
    sockets.push(socket);
    waiting.get(sockets.length)?.(socket);
  });
  return {
    origin: provider.origin,
    sockets,
    socketAt(number: number): Promise<net.Socket> {
      const there = sockets[number - 1];
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((resolve) => waiting.set(number, resolve));
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

export interface Home extends Disposable {
  readonly path: string;
  gateway(options?: TestOptions): Promise<TestGateway>;
}

/** A data directory for the gateways of one test; removed at its end. */
export function ownHome(): Home {
  const directory = temporaryDirectory("cache");
  const { path } = directory;
  return {
    ...directory,
    gateway: ({ config, ...rest } = {}) => startTestGateway({ ...rest, config: { data_dir: path, ...config } }),
  };
}
