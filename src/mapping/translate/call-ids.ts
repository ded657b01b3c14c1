import { createHash } from "node:crypto";
import type { Message } from "../../plugin-host/contract.ts";

/**
 * The ids of the history's calls, as they are sent. Each call gets a unique id, because APIs refuse duplicates, but some
 * providers number the calls of each response from 0. A result belongs to the first call with its id that has no result.
 */
export class CallIds {
  readonly #form: RegExp | undefined;
  readonly #length: number | undefined;
  readonly #sent = new Set<string>();
  /** Number of calls so far, by the client's id. */
  readonly #counts = new Map<string, number>();
  /** By the client's id: the calls of the last turn with that id that have no result yet. */
  readonly #waiting = new Map<string, { readonly turn: Message; readonly ids: string[] }>();

  /** @param form - the id form that the target accepts, or the exact number of its letters and digits. */
  constructor(form: RegExp | number | undefined) {
    this.#form = typeof form === "number" ? new RegExp(`^[A-Za-z0-9]{${form}}$`) : form;
    this.#length = typeof form === "number" ? form : undefined;
  }

  /** The id of a call; an id that cannot be sent is replaced by its hash. */
  call(id: string, turn: Message): string {
    let count = this.#counts.get(id) ?? 0;
    let own = this.#fits(id) && count === 0 ? id : this.#hashed(id, count);
    while (this.#sent.has(own)) own = this.#hashed(id, ++count);
    this.#counts.set(id, count + 1);
    this.#sent.add(own);
    const known = this.#waiting.get(id);
    if (known?.turn === turn) known.ids.push(own);
    else this.#waiting.set(id, { turn, ids: [own] });
    return own;
  }

  /** The id of the call to which a result belongs, or why there is none. */
  result(id: string): { readonly id: string } | { readonly why: string } {
    const known = this.#waiting.get(id);
    const own = known?.ids.shift();
    if (own !== undefined) return { id: own };
    return { why: known === undefined ? "no call before it has this id" : "its call already has a result" };
  }

  #fits(id: string): boolean {
    return this.#form === undefined || this.#form.test(id);
  }

  /** The first one has no number, so that an id that only has the wrong form is the same in every request. */
  #hashed(id: string, count: number): string {
    const hash = createHash("sha256")
      .update(count === 0 ? id : `${id} ${count}`)
      .digest("hex");
    return this.#length === undefined ? `call_${hash.slice(0, 24)}` : hash.slice(0, this.#length);
  }
}
