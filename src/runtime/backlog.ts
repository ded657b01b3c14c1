import { BACKLOG } from "./http/sockets.ts";
import { kernel } from "./kernel.ts";

/**
 * Lets a listening socket keep `BACKLOG` connections until they are accepted. Bun asks for 512 and has no option; once they
 * are full, a client connects a second later, at its next attempt. Only on Linux and Bun; otherwise it does nothing. Listeners of
 * `node:net`, and so those with TLS, do not say their descriptor.
 */
export function lengthenBacklog(descriptor: number): void {
  try {
    kernel()?.listen(descriptor, BACKLOG);
  } catch {
    return; // there is no glibc
  }
}
