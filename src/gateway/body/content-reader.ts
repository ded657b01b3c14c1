import { connect, type Remote } from "../../runtime/rpc.ts";
import { startThread, type Thread } from "../../runtime/thread.ts";
import { type CacheKey, cacheKey, type KeyParts } from "../cache/key.ts";
import {
  type BodyContent,
  bodyContent,
  type CodedBody,
  type Members,
  plainContent,
  replaceMembers,
} from "./content.ts";
import type { ContentFunctions } from "./content-worker.ts";
import { type CodedStream, codedEndsInFailure } from "./stream-end.ts";

/** Bodies beyond this are read in a thread of their own: 1 MB of JSON keeps a thread busy for 10 to 100 ms. */
const HERE_BYTES_MAX = 64 * 1_024;
/** Bytes that a stream may unpack to in the gateway's thread. */
const HERE_DECODED_BYTES_MAX = 2 * 1_024 * 1_024;

interface Running {
  readonly thread: Thread;
  readonly remote: Remote<ContentFunctions>;
}

/**
 * Reads what bodies say: users, models, JSON, cache keys, and how streams end. It is the one place where the gateway's
 * thread parses bodies, and only small ones: the others go to a thread that is started when the first of them comes.
 */
export class ContentReader {
  #running: Running | undefined;

  async key(parts: KeyParts): Promise<CacheKey> {
    if (parts.body.byteLength <= HERE_BYTES_MAX) return cacheKey(parts);
    return this.#ask((remote) => remote.key(parts)).catch(() => cacheKey(parts)); // slow is better than failed
  }

  /** @param wantsJson - without it `json` is left out. */
  async content(body: CodedBody, wantsJson: boolean): Promise<BodyContent> {
    if (isSmall(body)) return plainContent(body);
    return this.#ask((remote) => remote.content(body, wantsJson)).catch(() => bodyContent(body));
  }

  /** `body` with other members; see `replaceMembers`. */
  async replaceMembers(body: CodedBody, members: Members): Promise<Uint8Array | undefined> {
    if (isSmall(body)) return replaceMembers(body, members);
    return this.#ask((remote) => remote.replaceMembers(body, members)).catch(() => replaceMembers(body, members));
  }

  /** Whether a coded event stream ends in a failure; one that cannot be read counts as failed. Never rejects. */
  async fails(stream: CodedStream): Promise<boolean> {
    const isSmall = stream.bytes.byteLength <= HERE_BYTES_MAX;
    const fails = isSmall ? await codedEndsInFailure(stream, HERE_DECODED_BYTES_MAX) : undefined;
    return fails ?? (await this.#ask((remote) => remote.fails(stream)).catch(() => true)) ?? true;
  }

  async close(): Promise<void> {
    await this.#running?.thread.terminate();
  }

  /** Rejects where the thread is gone. */
  async #ask<T>(ask: (remote: Remote<ContentFunctions>) => Promise<T>): Promise<T> {
    this.#running ??= this.#start();
    return ask(this.#running.remote);
  }

  #start(): Running {
    const thread = startThread("src/gateway/body/content-worker.ts", null);
    const remote = connect<ContentFunctions>(thread.port);
    void thread.ended.then(() => {
      this.#running = undefined;
      remote.abandon("the thread has ended");
    });
    return { thread, remote };
  }
}

function isSmall({ bytes, coding }: CodedBody): boolean {
  return coding === "" && bytes.byteLength <= HERE_BYTES_MAX;
}
