import { connect, createServer, type Socket } from "node:net";

/** One HTTP message as it passed on a socket. */
export interface RawMessage {
  /** Request line or status line. */
  readonly startLine: string;
  /** `[name, value]` pairs in their order and spelling, Latin-1. */
  readonly headers: readonly (readonly [string, string])[];
  /** The body without its framing. */
  readonly body: Buffer;
  /** How the body was framed. */
  readonly framing: "none" | "length" | "chunked" | "close";
  /** Whether the body arrived whole. */
  readonly complete: boolean;
}

/** All values of one header, whatever its case. */
export function valuesOf(message: RawMessage, name: string): string[] {
  return message.headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/** Reads HTTP/1.1 messages off a socket, strictly enough to notice bad framing and leniently enough to show it. */
export class MessageReader {
  #pending: Buffer = Buffer.alloc(0);
  #waiting: (() => void) | undefined;
  #ended = false;
  /** Everything that arrived, as it arrived; kept only up to 1 MiB. */
  seen: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => {
      this.#pending = this.#pending.byteLength === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
      if (this.seen.byteLength < 1 << 20) this.seen = Buffer.concat([this.seen, chunk]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("end", end);
    socket.on("close", end);
    socket.on("error", end);
  }

  #wake() {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** The next head, or undefined where the socket ended before one. */
  async head(): Promise<Pick<RawMessage, "startLine" | "headers"> | undefined> {
    let end = this.#pending.indexOf("\r\n\r\n");
    while (end < 0) {
      if (this.#ended) return undefined;
      await this.#more();
      end = this.#pending.indexOf("\r\n\r\n");
    }
    const [startLine = "", ...lines] = this.#pending.subarray(0, end).toString("latin1").split("\r\n");
    this.#pending = this.#pending.subarray(end + 4);
    return { startLine, headers: lines.map(splitField) };
  }

  /** Up to `bytes` bytes: fewer only where the socket ended. */
  async take(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let missing = bytes;
    while (missing > 0) {
      if (this.#pending.byteLength === 0) {
        if (this.#ended) break;
        await this.#more();
        continue;
      }
      const part = this.#pending.subarray(0, missing);
      this.#pending = this.#pending.subarray(part.byteLength);
      missing -= part.byteLength;
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  async #line(): Promise<string | undefined> {
    for (let end = this.#pending.indexOf("\r\n"); ; end = this.#pending.indexOf("\r\n")) {
      if (end >= 0) {
        const line = this.#pending.subarray(0, end).toString("latin1");
        this.#pending = this.#pending.subarray(end + 2);
        return line;
      }
      if (this.#ended) return undefined;
      await this.#more();
    }
  }

  async #chunked(): Promise<{ body: Buffer; complete: boolean }> {
    const parts: Buffer[] = [];
    for (;;) {
      const line = await this.#line();
      if (line === undefined) return { body: Buffer.concat(parts), complete: false };
      const size = Number.parseInt(line, 16);
      if (size === 0) break;
      const part = await this.take(size);
      parts.push(part);
      if (part.byteLength < size || (await this.#line()) === undefined)
        return { body: Buffer.concat(parts), complete: false };
    }
    for (let trailer = await this.#line(); trailer !== "" && trailer !== undefined; trailer = await this.#line());
    return { body: Buffer.concat(parts), complete: true };
  }

  async #untilClose(): Promise<Buffer> {
    const parts: Buffer[] = [];
    while (!this.#ended || this.#pending.byteLength > 0)
      parts.push(await this.take(Math.max(1, this.#pending.byteLength)));
    return Buffer.concat(parts);
  }

  /** The next request, or undefined where the socket ended before one. */
  async request(onHead?: (head: Pick<RawMessage, "startLine" | "headers">) => void): Promise<RawMessage | undefined> {
    const head = await this.head();
    if (head === undefined) return undefined;
    onHead?.(head);
    return { ...head, ...(await this.#bodyOf(head.headers, "none")) };
  }

  /** The next final response; interim ones (1xx) are passed to `onInterim`. */
  async response(method = "GET", onInterim?: (startLine: string) => void): Promise<RawMessage | undefined> {
    for (;;) {
      const head = await this.head();
      if (head === undefined) return undefined;
      const status = statusOf(head);
      if (status >= 100 && status < 200 && status !== 101) {
        onInterim?.(head.startLine);
        continue;
      }
      const bare = method === "HEAD" || status === 204 || status === 304 || status === 101;
      if (bare) return { ...head, body: Buffer.alloc(0), framing: "none", complete: true };
      return { ...head, ...(await this.#bodyOf(head.headers, "close")) };
    }
  }

  async #bodyOf(
    headers: RawMessage["headers"],
    otherwise: "none" | "close",
  ): Promise<Pick<RawMessage, "body" | "framing" | "complete">> {
    const value = (name: string) => headers.find(([other]) => other.toLowerCase() === name)?.[1];
    if (value("transfer-encoding") !== undefined) return { ...(await this.#chunked()), framing: "chunked" };
    const length = value("content-length");
    if (length !== undefined) {
      const body = await this.take(Number(length));
      return { body, framing: "length", complete: body.byteLength === Number(length) };
    }
    if (otherwise === "none") return { body: Buffer.alloc(0), framing: "none", complete: true };
    return { body: await this.#untilClose(), framing: "close", complete: true };
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
}

/** The status code of a response. */
export function statusOf(message: Pick<RawMessage, "startLine">): number {
  return Number(message.startLine.split(" ")[1]);
}

export interface RawUpstream {
  readonly port: number;
  readonly origin: string;
  /** Requests in the order in which they were completed. */
  readonly received: readonly RawMessage[];
  readonly connections: () => number;
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The response of a raw upstream: the bytes of a whole response, or a function that writes them itself. */
export type RawResponse = string | Buffer | ((socket: Socket, request: RawMessage) => void | Promise<void>);

/** A TCP server that keeps what it reads and sends prepared bytes. */
export async function startRawUpstream(respond: (request: RawMessage) => RawResponse): Promise<RawUpstream> {
  const received: RawMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const reader = new MessageReader(socket);
    void (async () => {
      const onHead = ({ headers }: Pick<RawMessage, "headers">) => {
        if (headers.some(([name, value]) => name.toLowerCase() === "expect" && value === "100-continue"))
          socket.write("HTTP/1.1 100 Continue\r\n\r\n");
      };
      for (let next = await reader.request(onHead); next !== undefined; next = await reader.request(onHead)) {
        received.push(next);
        const bytes = respond(next);
        if (typeof bytes === "function") await bytes(socket, next);
        else socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    received,
    connections: () => sockets.size,
    close,
    [Symbol.asyncDispose]: async () => close(),
  };
}

/** Sends raw bytes on a connection of its own and reads one response; undefined where the connection just ended. */
export async function exchange(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  options: { method?: string; onInterim?: (startLine: string) => void; msMax?: number } = {},
): Promise<RawMessage | undefined> {
  const socket = connect({ port, host: "127.0.0.1" });
  const reader = new MessageReader(socket);
  for (const part of Array.isArray(bytes) ? bytes : [bytes])
    socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
  let limit: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    limit = setTimeout(() => reject(new Error("no whole response in time")), options.msMax ?? 180_000);
  });
  try {
    return await Promise.race([reader.response(options.method, options.onInterim), late]);
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}

/** Cuts `body` into chunks of at most `size` bytes, framed as `Transfer-Encoding: chunked`. */
export function chunkedBody(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let from = 0; from < body.byteLength; from += size) {
    const part = body.subarray(from, from + size);
    parts.push(Buffer.from(`${part.byteLength.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
