import type { ServerResponse } from "../../runtime/http/server.ts";
import type { ByteSocket } from "../../runtime/http/sockets.ts";

/** How long a client may leave its side open after it has read everything. */
const LINGER_MS = 10_000;
/** A client that has read nothing in this many consecutive checks counts as gone. */
const STALLS_MAX = 12;

/** Ends a connection that no server manages any more, and cuts it if the client does not close its side. */
export function endSocket(socket: ByteSocket, lingerMs = LINGER_MS): void {
  let unsent = 0;
  let stalls = 0;
  const look = setInterval(() => {
    stalls = socket.writableLength === unsent ? stalls + 1 : 0;
    unsent = socket.writableLength;
    if (unsent === 0 || stalls === STALLS_MAX) socket.destroy();
  }, lingerMs);
  look.unref();
  socket.once("close", () => clearInterval(look));
  socket.end();
  socket.resume(); // discards incoming bytes, but notices that the client closes
}

/** A response on the socket of a request that asked for another protocol; the connection then closes. */
export class SocketResponse implements ServerResponse {
  readonly #socket: ByteSocket;
  #head: Buffer | undefined;
  #chunked = false;

  constructor(socket: ByteSocket) {
    this.#socket = socket;
  }

  head(status: number, reason: string, headers: readonly string[]): void {
    const lines = [`HTTP/1.1 ${status} ${reason}`];
    let framed = false;
    for (let at = 0; at < headers.length; at += 2) {
      lines.push(`${headers[at]}: ${headers[at + 1]}`);
      if (headers[at]!.toLowerCase() === "content-length") framed = true;
    }
    const bodyless = status < 200 || status === 204 || status === 304;
    this.#chunked = !framed && !bodyless;
    if (this.#chunked) lines.push("Transfer-Encoding: chunked");
    if (status !== 101) lines.push("Connection: close");
    this.#head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  }

  flush(): void {
    this.#send([]);
  }

  write(bytes: Uint8Array): boolean {
    return this.#send(bytes.byteLength === 0 ? [] : this.#framed(bytes));
  }

  end(bytes?: Uint8Array): void {
    const body = bytes === undefined || bytes.byteLength === 0 ? [] : this.#framed(bytes);
    this.#send(this.#chunked ? [...body, Buffer.from("0\r\n\r\n")] : body);
    endSocket(this.#socket);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    this.#socket.once("close", listener);
  }

  onDrain(listener: () => void): void {
    this.#socket.once("drain", listener);
  }

  #framed(bytes: Uint8Array): Uint8Array[] {
    if (!this.#chunked) return [bytes];
    return [Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from("\r\n")];
  }

  #send(parts: Uint8Array[]): boolean {
    const head = this.#head;
    this.#head = undefined;
    const all = head === undefined ? parts : [head, ...parts];
    return all.length === 0 ? true : this.#socket.write(all.length === 1 ? all[0]! : Buffer.concat(all));
  }
}
