import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Below the ports that systems give to connections, and to servers that ask for any: one stays free between two uses. */
const PORTS = [12_000, 32_000] as const;

/**
 * A port of loopback on which no server listens now, for a server whose address has to be known before it starts, or that
 * keeps it across restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue; // it is taken
    }
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Whether something on loopback takes connections at this port. */
export function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
