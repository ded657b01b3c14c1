import net from "node:net";
import { TLSSocket } from "node:tls";
import { platform } from "../platform.ts";
import { BACKLOG, type ByteSocket, type Sockets } from "./sockets.ts";
import type { TlsPair } from "./tls-pair.ts";

/** First byte of a TLS connection: a handshake record. */
const HANDSHAKE = 0x16;
/** How long a client may take to send its first byte. */
const FIRST_BYTE_MS = 30_000;

interface TlsSocketsOptions {
  readonly pair: TlsPair;
  /** The response to a client that speaks HTTP without TLS. */
  readonly plainResponse: () => Uint8Array;
}

/**
 * Listens for TLS connections. Each uses the certificate that is current when it begins. It uses `node:tls` on both
 * runtimes: with Bun's own sockets the first bytes cannot be inspected before the handshake, and the certificate cannot be
 * changed.
 */
export function tlsSockets({ pair, plainResponse }: TlsSocketsOptions): Sockets {
  const accept = (raw: net.Socket, onSocket: (socket: ByteSocket) => void): void => {
    const timer = setTimeout(() => raw.destroy(), FIRST_BYTE_MS);
    timer.unref();
    raw.on("error", () => raw.destroy());
    raw.once("close", () => clearTimeout(timer));
    raw.once("data", (first: Buffer) => {
      clearTimeout(timer);
      if (first[0] !== HANDSHAKE) {
        refusePlain(raw, first, plainResponse);
        return;
      }
      raw.pause();
      raw.unshift(first);
      const socket = new TLSSocket(raw, { isServer: true, secureContext: pair.context });
      raw.once("close", () => socket.destroy());
      onSocket(socket);
    });
    raw.once("end", () => raw.destroy()); // closed without sending a byte
  };
  return {
    async listen({ host, port, portShared }, onSocket) {
      const server = net.createServer({ allowHalfOpen: true }, (raw) => accept(raw, onSocket));
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen({ port, host, backlog: BACKLOG, ...(portShared && { reusePort: true }) }, () => resolve());
      });
      return {
        port: (server.address() as net.AddressInfo).port,
        close() {
          pair.stop();
          return new Promise<void>((resolve) => server.close(() => resolve()));
        },
      };
    },
    connect: platform.sockets.connect,
  };
}

/** Responds to a client that used `http://` by mistake; closes anything else without a response. */
function refusePlain(raw: net.Socket, first: Buffer, response: () => Uint8Array): void {
  const isHttp = /^[A-Z]{3,}/.test(first.toString("latin1", 0, 8));
  if (!isHttp) {
    raw.destroy();
    return;
  }
  raw.on("data", () => undefined); // discards input, so that the response is not lost
  raw.end(response());
  setTimeout(() => raw.destroy(), 2_000).unref();
}
