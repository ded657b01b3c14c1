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

/** Larger bodies are read in a separate thread: 1 MB of JSON keeps a thread busy for 10 to 100 ms. */
const HERE_BYTES_MAX = 64 * 1_024;
/** Maximum decompressed size, in bytes, of a stream read in the gateway's thread. */
const HERE_DECODED_BYTES_MAX = 2 * 1_024 * 1_024;

interface Running {
  readonly thread: Thread;
  readonly remote: Remote<ContentFunctions>;
}

/**
 * Reads users, models, JSON, cache keys and stream endings from bodies. This is the only place where the gateway's thread
 * parses bodies, and only small ones; larger ones go to a thread that is started on first use.
 */
export class ContentReader {
  #running: Running | undefined;

  async key(parts: KeyParts): Promise<CacheKey> {
    if (parts.body.byteLength <= HERE_BYTES_MAX) return cacheKey(parts);
    return this.#ask((remote) => remote.key(parts)).catch(() => cacheKey(parts)); // slow is better than failed
  }

  /** @param wantsJson - if false, a body read in the content thread may be returned without `json`. */
  async content(body: CodedBody, wantsJson: boolean): Promise<BodyContent> {
    if (isSmall(body)) return plainContent(body);
    return this.#ask((remote) => remote.content(body, wantsJson)).catch(() => bodyContent(body));
  }

  /** Returns `body` with members replaced; see `replaceMembers`. */
  async replaceMembers(body: CodedBody, members: Members): Promise<Uint8Array | undefined> {
    if (isSmall(body)) return replaceMembers(body, members);
    return this.#ask((remote) => remote.replaceMembers(body, members)).catch(() => replaceMembers(body, members));
  }

  /** Whether a compressed event stream ends in a failure; an unreadable one counts as failed. Never rejects. */
  async fails(stream: CodedStream): Promise<boolean> {
    const isSmall = stream.bytes.byteLength <= HERE_BYTES_MAX;
    const fails = isSmall ? await codedEndsInFailure(stream, HERE_DECODED_BYTES_MAX) : undefined;
    return fails ?? (await this.#ask((remote) => remote.fails(stream)).catch(() => true)) ?? true;
  }

  async close(): Promise<void> {
    await this.#running?.thread.terminate();
  }

  /** Rejects if the thread is gone. */
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
