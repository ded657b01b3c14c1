import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** A port of loopback that nobody listens on now, for a server whose address has to be known before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Whether something on loopback takes connections at this port. */
export function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
