import { amend } from "../engine/libsql/write/amend.ts";
import { type Log, messageOf } from "../observe.ts";
import type { AnswerNote } from "../plugin/contract.ts";
import type { AnswerFacts } from "../plugin/hooks/answer.ts";
import { storable } from "../record/storable.ts";
import { within } from "../runtime/within.ts";
import type { Database } from "../store/store.ts";
import type { AnswerFunctions } from "../threads.ts";

/** Answers that go to the gateway's thread in one message. */
const GROUP_MAX = 64;
const GROUP_BYTES_MAX = 1_024 * 1_024;
/** Text of answers that plugins have not seen yet; beyond it the recorder waits for them. */
const UNSEEN_BYTES_MAX = 8 * 1_024 * 1_024;
/** What an answer takes beside its body and headers. */
const ANSWER_BYTES = 1_024;
/** Times that a note is written before it is given up. */
const TRIES_MAX = 5;

interface Note extends AnswerNote {
  readonly requestId: string;
  readonly organizationId: string;
  tries: number;
}

/** Shows what was recorded to the plugins' `onAnswer` in the gateway's thread, and writes down what they add. */
export class AnswerFeed {
  /** Whether any plugin wants to see answers. */
  wanted = false;
  readonly #gateway: AnswerFunctions;
  readonly #log: Log;
  #group: AnswerFacts[] = [];
  #groupBytes = 0;
  #unseenBytes = 0;
  readonly #sent = new Set<Promise<void>>();
  readonly #notes: Note[] = [];

  constructor(gateway: AnswerFunctions, log: Log) {
    this.#gateway = gateway;
    this.#log = log;
  }

  /** Takes an answer. @returns what to wait for where plugins lag behind. */
  add(answer: AnswerFacts): Promise<unknown> | undefined {
    this.#group.push(answer);
    this.#groupBytes += sizeOf(answer);
    if (this.#group.length >= GROUP_MAX || this.#groupBytes >= GROUP_BYTES_MAX) this.flush();
    return this.#unseenBytes > UNSEEN_BYTES_MAX ? Promise.race(this.#sent) : undefined;
  }

  /** Sends what was taken. */
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

  /** Writes what plugins have added so far; between two batches. */
  async write(records: Database): Promise<void> {
    for (let note = this.#notes.shift(); note !== undefined; note = this.#notes.shift()) {
      try {
        await amend(records, note, undefined, Date.now());
      } catch (error) {
        if (++note.tries < TRIES_MAX) this.#notes.unshift(note);
        else this.#log.warn("what a plugin adds to a record cannot be stored", { error: messageOf(error) });
        return;
      }
    }
  }

  /** Resolves once plugins have seen what was taken, or after so long. */
  async settled(msMax: number): Promise<void> {
    this.flush();
    await within(Promise.all(this.#sent), msMax, () => undefined);
  }

  /** Never rejects. */
  async #show(group: readonly AnswerFacts[]): Promise<void> {
    try {
      const notes = await this.#gateway.onAnswers(group);
      for (const [at, note] of notes.entries()) {
        const { id, organizationId } = group[at]!;
        if (note !== null) this.#notes.push({ requestId: id, organizationId, ...asStored(note), tries: 0 });
      }
    } catch (error) {
      this.#log.warn("answers could not be shown to plugins", { error: messageOf(error) });
    }
  }
}

function sizeOf({ body = "", text = "", headers }: AnswerFacts): number {
  return headers.reduce((sum, { length }) => sum + length, ANSWER_BYTES + body.length + text.length);
}

function asStored({ properties = {}, scores = {} }: AnswerNote): AnswerNote {
  const texts = Object.entries(properties).map(
    ([name, value]) => [storable(name), value === null ? null : storable(value)] as const,
  );
  const numbers = Object.entries(scores).map(([name, value]) => [storable(name), value] as const);
  return { properties: Object.fromEntries(texts), scores: Object.fromEntries(numbers) };
}
