import type { Endpoint } from "../rpc.ts";
import type { IncomingRequest, ServerResponse } from "./server.ts";

/** A request without its body. `sentFor` names the user or key of a request without a key; the gateway reads it. */
export interface PassedHead
  extends Pick<IncomingRequest, "method" | "url" | "old" | "rawHeaders" | "waitsForContinue"> {
  readonly sentFor?: unknown;
}

/** Messages from another thread to the first gateway thread about a request that it passes on. */
export type FromClient = { readonly number: number } & (
  | { readonly request: PassedHead }
  | { readonly body: Uint8Array }
  | { readonly event: "end" | "broken" | "closed" }
  /** Bytes of the response that have been sent to the client. */
  | { readonly taken: number }
);

/** Messages from the first thread in return. */
export type ToClient = { readonly number: number } & (
  | { readonly act: "sendContinue" | "read" | "pause" | "resume" | "flush" | "destroy" }
  | { readonly head: readonly [status: number, reason: string, headers: readonly string[]] }
  | { readonly body: Uint8Array }
  | { readonly last: Uint8Array | undefined }
);

interface Passed {
  readonly incoming: IncomingRequest;
  readonly response: ServerResponse;
  /** Bytes that the client has not read yet. */
  waiting: number;
}

/** Lets the first gateway thread serve requests whose connections are in this one. */
export class PassedOn {
  readonly #port: Endpoint;
  readonly #open = new Map<number, Passed>();
  #next = 0;

  constructor(port: Endpoint) {
    this.#port = port;
    port.addEventListener("message", ({ data }) => this.#take(data as ToClient));
  }

  /** Number of requests that have not ended. */
  get size(): number {
    return this.#open.size;
  }

  /** @param sentFor - the user or key, if known and the request has no key. */
  passOn(incoming: IncomingRequest, response: ServerResponse, sentFor?: unknown): void {
    const number = this.#next++;
    this.#open.set(number, { incoming, response, waiting: 0 });
    response.onClose(() => {
      if (this.#open.delete(number)) this.#send({ number, event: "closed" });
    });
    const { method, url, old, rawHeaders, waitsForContinue } = incoming;
    this.#send({ number, request: { method, url, old, rawHeaders, waitsForContinue, sentFor } });
  }

  #send(message: FromClient): void {
    this.#port.postMessage(message);
  }

  #take(message: ToClient): void {
    const { number } = message;
    const passed = this.#open.get(number);
    if (passed === undefined) return;
    const { incoming, response } = passed;
    if ("head" in message) response.head(...message.head);
    else if ("body" in message) this.#write(number, passed, message.body);
    else if ("last" in message) {
      this.#open.delete(number);
      response.end(message.last);
    } else if (message.act === "read") this.#read(number, incoming);
    else if (message.act === "flush" || message.act === "destroy") response[message.act]();
    else incoming[message.act]();
  }

  #read(number: number, incoming: IncomingRequest): void {
    incoming.read({
      onData: (bytes) => sendBytes(this.#port, { number }, "body", bytes),
      onEnd: () => this.#send({ number, event: "end" }),
      onBroken: () => {
        this.#send({ number, event: "broken" });
        return true; // the serving thread responds, or cuts the connection
      },
    });
  }

  #write(number: number, passed: Passed, bytes: Uint8Array): void {
    const { response } = passed;
    passed.waiting += bytes.byteLength;
    const taken = () => {
      this.#send({ number, taken: passed.waiting });
      passed.waiting = 0;
    };
    if (response.write(bytes)) taken();
    else response.onDrain(taken);
  }
}

/** Sends bytes as a member of a message. They are copied and transferred, because cloning a view clones its complete buffer. */
export function sendBytes(port: Endpoint, message: object, name: string, bytes: Uint8Array): void {
  const own = new Uint8Array(bytes);
  port.postMessage({ ...message, [name]: own }, [own.buffer]);
}
