import net from "node:net";

/** A TCP server on a free port of 127.0.0.1 that speaks bytes. */
interface RawServer {
  readonly port: number;
  readonly origin: string;
  readonly sockets: Set<net.Socket>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startRawServer(onSocket: (socket: net.Socket) => void): Promise<RawServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A provider: calls `answer` with each whole request (head and body as they came) and the socket. */
export function startProvider(
  respond: (request: { readonly head: string; readonly body: Buffer; readonly socket: net.Socket }) => void,
): Promise<RawServer> {
  return startRawServer((socket) => {
    let pending = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      for (;;) {
        const end = pending.indexOf("\r\n\r\n");
        if (end < 0) return;
        const head = pending.subarray(0, end + 4).toString("latin1");
        const bodyEnd = bodyEndOf(head, pending, end + 4);
        if (bodyEnd === undefined) return;
        const body = pending.subarray(end + 4, bodyEnd);
        pending = pending.subarray(bodyEnd);
        respond({ head, body, socket });
      }
    });
  });
}

function bodyEndOf(head: string, bytes: Buffer, start: number): number | undefined {
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    const end = bytes.indexOf("0\r\n\r\n", start);
    return end < 0 ? undefined : end + 5;
  }
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return bytes.byteLength - start < length ? undefined : start + length;
}

/** Sends bytes on a connection of their own and returns everything received until the other side closed or `until` holds. */
export function exchangeRaw(
  port: number,
  send: string | readonly (string | Uint8Array)[],
  until: (received: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    let received = "";
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end of the answer within 180 s; so far: ${JSON.stringify(received.slice(0, 500))}`));
    }, 180_000);
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const parts: readonly (string | Uint8Array)[] = typeof send === "string" ? [send] : send;
    for (const part of parts) socket.write(Buffer.from(part as string, "latin1"));
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
      if (until(received)) done();
    });
    socket.on("error", () => undefined);
    socket.on("close", done);
  });
}

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
