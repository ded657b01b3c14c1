import { connect, type Remote } from "../../runtime/rpc.ts";
import { startThread, type Thread } from "../../runtime/thread.ts";
import { bodyUser } from "./body-user.ts";
import { type CacheKey, cacheKey, type KeyParts } from "./key.ts";
import type { KeyFunctions } from "./key-worker.ts";

/** Bodies beyond this are read in a thread of their own: 1 MB of JSON keeps a thread busy for 10 to 100 ms. */
const HERE_BYTES_MAX = 64 * 1_024;

interface Running {
  readonly thread: Thread;
  readonly remote: Remote<KeyFunctions>;
}

/** Makes the keys of requests and finds who they are of, for large ones in a thread that is started when the first of them comes. */
export class KeyMaker {
  #running: Running | undefined;

  async key(parts: KeyParts): Promise<CacheKey> {
    if (parts.body.byteLength <= HERE_BYTES_MAX) return cacheKey(parts);
    this.#running ??= this.#start();
    try {
      return await this.#running.remote.key(parts);
    } catch {
      return cacheKey(parts); // the thread is gone: the request is not the one to suffer
    }
  }

  /** The end user that a body names. */
  async user(body: Uint8Array): Promise<string | undefined> {
    if (body.byteLength <= HERE_BYTES_MAX) return bodyUser(body);
    this.#running ??= this.#start();
    try {
      return await this.#running.remote.user(body);
    } catch {
      return bodyUser(body);
    }
  }

  async close(): Promise<void> {
    await this.#running?.thread.terminate();
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
