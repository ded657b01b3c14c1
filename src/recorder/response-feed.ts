import { type Log, messageOf } from "../log.ts";
import type { ResponseFacts } from "../plugin-host/hooks/response-facts.ts";
import { within } from "../runtime/within.ts";
import type { ResponseFunctions, UsedTokens } from "../threads.ts";
import { RecordNotes } from "./record-notes.ts";

/** Maximum responses per message to the gateway's thread. */
const GROUP_MAX = 64;
const GROUP_BYTES_MAX = 1_024 * 1_024;
/** Maximum bytes of responses that plugins have not seen yet; beyond it the recorder waits for them. */
const UNSEEN_BYTES_MAX = 8 * 1_024 * 1_024;
/** Cost of a response besides its body and headers. */
const RESPONSE_BYTES = 1_024;
/** Shows recorded responses to the plugins' `onAnswer` in the gateway's thread, and collects what they add. */
export class ResponseFeed {
  /** Whether any plugin wants to see responses. */
  wanted = false;
  /** What plugins add to records. */
  readonly notes: RecordNotes;
  readonly #gateway: ResponseFunctions;
  readonly #log: Log;
  #group: ResponseFacts[] = [];
  #groupBytes = 0;
  #unseenBytes = 0;
  readonly #sent = new Set<Promise<void>>();

  constructor(gateway: ResponseFunctions, log: Log) {
    this.#gateway = gateway;
    this.notes = new RecordNotes(log);
    this.#log = log;
  }

  /** Queues a response. @returns what to wait for if plugins lag behind. */
  add(response: ResponseFacts): Promise<unknown> | undefined {
    this.#group.push(response);
    this.#groupBytes += sizeOf(response);
    if (this.#group.length >= GROUP_MAX || this.#groupBytes >= GROUP_BYTES_MAX) this.flush();
    return this.#unseenBytes > UNSEEN_BYTES_MAX ? Promise.race(this.#sent) : undefined;
  }

  /** Sends the queued responses. */
  flush(): void {
    const [group, bytes] = [this.#group, this.#groupBytes];
    if (group.length === 0) return;
    this.#group = [];
    this.#groupBytes = 0;
    this.#unseenBytes += bytes;
    const sent = this.#show(group).finally(() => {
      this.#unseenBytes -= bytes;
      this.#sent.delete(sent);
    });
    this.#sent.add(sent);
  }

  /** Reports the usage of requests; not awaited. */
  reportUsed(used: readonly UsedTokens[]): void {
    if (used.length === 0) return;
    Promise.resolve(this.#gateway.onUsed(used)).catch((error: unknown) => {
      this.#log.debug("the gateway does not know what requests used", { error: messageOf(error) });
    });
  }

  /** Resolves once plugins have seen all queued responses, or after `msMax`. */
  async settled(msMax: number): Promise<void> {
    this.flush();
    await within(Promise.all(this.#sent), msMax, () => undefined);
  }

  /** Never rejects. */
  async #show(group: readonly ResponseFacts[]): Promise<void> {
    try {
      const notes = await this.#gateway.onResponses(group);
      for (const [at, note] of notes.entries()) {
        const { id, organizationId } = group[at]!;
        this.notes.add({ requestId: id, organizationId }, note);
      }
    } catch (error) {
      this.#log.warn("responses could not be passed to plugins", { error: messageOf(error) });
    }
  }
}

function sizeOf({ body = "", text = "", headers }: ResponseFacts): number {
  return headers.reduce((sum, { length }) => sum + length, RESPONSE_BYTES + body.length + text.length);
}
