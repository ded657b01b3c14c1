import { connect, type Remote } from "../../runtime/rpc.ts";
import { startThread, type Thread } from "../../runtime/thread.ts";
import { bodyUser } from "./body-user.ts";
import { type CacheKey, cacheKey, type KeyParts } from "./key.ts";
import type { KeyFunctions } from "./key-worker.ts";
import { type CodedStream, codedEndsInFailure } from "./stream-end.ts";

/** Bodies beyond this are read in a thread of their own: 1 MB of JSON keeps a thread busy for 10 to 100 ms. */
const HERE_BYTES_MAX = 64 * 1_024;
/** Bytes that a stream may unpack to in the gateway's thread. */
const HERE_DECODED_BYTES_MAX = 2 * 1_024 * 1_024;

interface Running {
  readonly thread: Thread;
  readonly remote: Remote<KeyFunctions>;
}

/**
 * Makes the keys of requests, finds who they are of, and looks into coded streams; for large ones in a thread that is
 * started when the first of them comes.
 */
export class KeyMaker {
  #running: Running | undefined;

  async key(parts: KeyParts): Promise<CacheKey> {
    if (parts.body.byteLength <= HERE_BYTES_MAX) return cacheKey(parts);
    return this.#ask((remote) => remote.key(parts)).catch(() => cacheKey(parts)); // the request is not the one to suffer
  }

  /** The end user that a body names. */
  async user(body: Uint8Array): Promise<string | undefined> {
    if (body.byteLength <= HERE_BYTES_MAX) return bodyUser(body);
    return this.#ask((remote) => remote.user(body)).catch(() => bodyUser(body));
  }

  /** Whether a coded event stream ends in a failure; what cannot be told counts as one. Never rejects. */
  async fails(stream: CodedStream): Promise<boolean> {
    const isSmall = stream.bytes.byteLength <= HERE_BYTES_MAX;
    const fails = isSmall ? await codedEndsInFailure(stream, HERE_DECODED_BYTES_MAX) : undefined;
    return fails ?? (await this.#ask((remote) => remote.fails(stream)).catch(() => true)) ?? true;
  }

  async close(): Promise<void> {
    await this.#running?.thread.terminate();
  }

  /** Rejects where the thread is gone. */
  async #ask<T>(ask: (remote: Remote<KeyFunctions>) => Promise<T>): Promise<T> {
    this.#running ??= this.#start();
    return ask(this.#running.remote);
  }

  #start(): Running {
    const thread = startThread("src/gateway/cache/key-worker.ts", null);
    const remote = connect<KeyFunctions>(thread.port);
    void thread.ended.then(() => {
      this.#running = undefined;
      remote.abandon("the thread has ended");
    });
    return { thread, remote };
  }
}
