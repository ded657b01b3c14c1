import type { Endpoint } from "../../runtime/rpc.ts";

/**
 * Sends messages to another thread, those of one turn of the event loop together and as JSON text: a message costs more
 * than what is in it, and text is copied faster than objects.
 */
export function batchedTo(port: Endpoint): (message: object) => void {
  let gathered: string[] = [];
  const send = () => {
    const texts = gathered;
    gathered = [];
    port.postMessage(texts);
  };
  return (message) => {
    if (gathered.length === 0) setImmediate(send);
    gathered.push(JSON.stringify(message));
  };
}

/** Takes what `batchedTo` sends at the other end. */
export function onBatch<T>(port: Endpoint, take: (message: T) => void): void {
  port.addEventListener("message", ({ data }) => {
    for (const text of data as readonly string[]) take(JSON.parse(text) as T);
  });
}
