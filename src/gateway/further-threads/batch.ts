import type { Endpoint } from "../../runtime/rpc.ts";

/** How long a message without a waiting caller may wait for others. */
const LATER_MS = 4;

/**
 * Sends messages to another thread, all of one event-loop turn together and as JSON text: the message itself, above all
 * waking the other thread, costs more than its contents, and text is copied faster than objects.
 */
export class Batch {
  readonly #port: Endpoint;
  #gathered: string[] = [];
  #isScheduled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #last: () => object | undefined;

  /** @param last - a message to send with the others, if there is one. */
  constructor(port: Endpoint, last: () => object | undefined = () => undefined) {
    this.#port = port;
    this.#last = last;
  }

  send(message: object): void {
    this.#gathered.push(JSON.stringify(message));
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  /** Sends with the next message, or in a few milliseconds. */
  sendLater(message: object): void {
    this.#gathered.push(JSON.stringify(message));
    this.flushLater();
  }

  flushLater(): void {
    if (!this.#isScheduled) this.#timer ??= setTimeout(() => this.flush(), LATER_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isScheduled = false;
    const last = this.#last();
    if (last !== undefined) this.#gathered.push(JSON.stringify(last));
    const texts = this.#gathered;
    this.#gathered = [];
    if (texts.length > 0) this.#port.postMessage(texts);
  }
}

/** Receives what a `Batch` at the other end sends. */
export function onBatch<T>(port: Endpoint, take: (message: T) => void): void {
  port.addEventListener("message", ({ data }) => {
    for (const text of data as readonly string[]) take(JSON.parse(text) as T);
  });
}
