import type { Endpoint } from "../rpc.ts";
import { type FromClient, type PassedHead, sendBytes, type ToClient } from "./pass-on.ts";
import type { BodySink, IncomingRequest, ServerResponse } from "./server.ts";

/** Maximum bytes of a response in transit to the other thread and its client. */
const ON_THE_WAY_MAX = 1024 * 1024;

/**
 * Runs in the first gateway thread and serves requests whose connections are in another thread.
 *
 * @returns the function to call when that thread, and with it its clients, has ended.
 */
export function takeOver(
  port: Endpoint,
  serve: (incoming: IncomingRequest, response: ServerResponse, sentFor?: unknown) => void,
): () => void {
  const open = new Map<number, TakenOver>();
  port.addEventListener("message", ({ data }) => {
    const message = data as FromClient;
    const { number } = message;
    if ("request" in message) {
      const turn = new TakenOver(port, number, message.request, () => open.delete(number));
      open.set(number, turn);
      serve(turn, turn, message.request.sentFor);
    } else open.get(number)?.take(message);
  });
  return () => {
    for (const [number, turn] of open) turn.take({ number, event: "closed" });
  };
}

/** A request whose connection is in another thread, and its response. */
class TakenOver implements IncomingRequest, ServerResponse {
  readonly method: string;
  readonly url: string;
  readonly old: boolean;
  readonly rawHeaders: readonly string[];
  waitsForContinue: boolean;
  readonly #port: Endpoint;
  readonly #number: number;
  readonly #onOver: () => void;
  #sink: BodySink | undefined;
  #isOver = false;
  #onTheWay = 0;
  #onClose: (() => void) | undefined;
  #onDrain: (() => void) | undefined;

  constructor(port: Endpoint, number: number, request: PassedHead, onOver: () => void) {
    this.method = request.method;
    this.url = request.url;
    this.old = request.old;
    this.rawHeaders = request.rawHeaders;
    this.waitsForContinue = request.waitsForContinue;
    this.#port = port;
    this.#number = number;
    this.#onOver = onOver;
  }

  take(message: FromClient): void {
    if (this.#isOver) return;
    if ("body" in message) this.#sink?.onData(message.body);
    else if ("taken" in message) this.#taken(message.taken);
    else if ("event" in message) {
      if (message.event === "end") this.#sink?.onEnd();
      else if (message.event === "broken") this.#broken();
      else this.#closed();
    }
  }

  sendContinue(): void {
    if (!this.waitsForContinue) return;
    this.waitsForContinue = false;
    this.#act("sendContinue");
  }

  read(sink: BodySink): void {
    this.#sink = sink;
    this.#act("read");
  }

  pause(): void {
    this.#act("pause");
  }

  resume(): void {
    this.#act("resume");
  }

  head(status: number, reason: string, headers: readonly string[]): void {
    this.#send({ number: this.#number, head: [status, reason, headers] });
  }

  flush(): void {
    this.#act("flush");
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isOver || bytes.byteLength === 0) return true;
    this.#onTheWay += bytes.byteLength;
    sendBytes(this.#port, { number: this.#number }, "body", bytes);
    return this.#onTheWay < ON_THE_WAY_MAX;
  }

  end(bytes?: Uint8Array): void {
    if (this.#isOver) return;
    this.#over();
    if (bytes === undefined) this.#send({ number: this.#number, last: undefined });
    else sendBytes(this.#port, { number: this.#number }, "last", bytes);
  }

  destroy(): void {
    this.#act("destroy");
  }

  onClose(listener: () => void): void {
    this.#onClose = listener;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  #taken(bytes: number): void {
    this.#onTheWay -= bytes;
    if (this.#onTheWay >= ON_THE_WAY_MAX) return;
    const listener = this.#onDrain;
    this.#onDrain = undefined;
    listener?.();
  }

  #broken(): void {
    if (this.#sink?.onBroken() !== true) this.destroy();
  }

  #closed(): void {
    this.#over();
    this.#onClose?.();
  }

  #over(): void {
    this.#isOver = true;
    this.#onOver();
  }

  #act(act: Extract<ToClient, { act: string }>["act"]): void {
    this.#send({ number: this.#number, act });
  }

  #send(message: ToClient): void {
    this.#port.postMessage(message);
  }
}
