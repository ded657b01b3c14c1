import { useSyncExternalStore } from "react";
import { client } from "../../client.ts";
import { modelNamesQuery } from "../../name-queries.ts";
import { readAgain } from "../../read-again.ts";
import { useSession } from "../../session.ts";
import { type Attempt, type Order, sendAttempt } from "./attempt.ts";
import { bodyFor } from "./body-for.ts";
import { type Draft, EMPTY, shapeOf } from "./draft.ts";
import { NO_RESPONSE } from "./read-response.ts";

/** A prompt that was sent, with a response for each model. */
export interface Run {
  readonly id: number;
  readonly at: string;
  /** The draft that was sent, to send it again. */
  readonly draft: Draft;
  readonly attempts: readonly Attempt[];
}

interface State {
  readonly draft: Draft;
  /** Newest first. */
  readonly runs: readonly Run[];
  /** The recorded request that the draft came from. */
  readonly from: string | undefined;
}

/** Older runs are forgotten; their records stay. */
const RUNS_MAX = 30;

/** Drafts and responses. They outlive the page, so that users can look at a record and come back, but not the tab. */
class Playground {
  #state: State = { draft: EMPTY, runs: [], from: undefined };
  #next = 1;
  readonly #listeners = new Set<() => void>();
  readonly #stops = new Map<number, AbortController>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): State => this.#state;

  edit(change: Partial<Draft>): void {
    this.#set({ draft: { ...this.#state.draft, ...change } });
  }

  /** Starts with a recorded request: its prompt, and its response for comparison. */
  begin(from: string, draft: Draft, recorded: Omit<Attempt, "id">): void {
    const run = {
      id: this.#next++,
      at: new Date().toISOString(),
      draft,
      attempts: [{ ...recorded, id: this.#next++ }],
    };
    this.#set({ from, draft, runs: [run, ...this.#state.runs].slice(0, RUNS_MAX) });
  }

  /** Sends the draft to each of its models. @throws DraftError if it cannot be sent. */
  send(): void {
    const { draft } = this.#state;
    const models = draft.models.map((model) => model.trim()).filter((model) => model !== "");
    const listed = client.getQueryData(modelNamesQuery.queryKey) ?? [];
    const orders = models.map((model) => ({
      model,
      order: { shape: shapeOf(draft.prompt), body: bodyFor(draft, model, listed), refuseLosses: draft.refuseLosses },
    }));
    const attempts = orders.map(
      ({ model }): Attempt => ({ id: this.#next++, model, state: "sending", answer: NO_RESPONSE }),
    );
    const run = { id: this.#next++, at: new Date().toISOString(), draft, attempts };
    this.#set({ runs: [run, ...this.#state.runs].slice(0, RUNS_MAX) });
    for (const [at, { order }] of orders.entries()) void this.#send(attempts[at]!.id, order);
  }

  stop(attempt: number): void {
    this.#stops.get(attempt)?.abort();
  }

  removeRun(id: number): void {
    const removed = this.#state.runs.find((run) => run.id === id);
    for (const attempt of removed?.attempts ?? []) this.stop(attempt.id);
    this.#set({ runs: this.#state.runs.filter((run) => run.id !== id) });
  }

  async #send(id: number, order: Order): Promise<void> {
    const stop = new AbortController();
    this.#stops.set(id, stop);
    await sendAttempt(order, stop.signal, (change) => this.#change(id, change));
    this.#stops.delete(id);
    void readAgain(client, { changes: [["requests"]] });
  }

  #change(id: number, change: Partial<Attempt>): void {
    const runs = this.#state.runs.map((run) =>
      run.attempts.some((attempt) => attempt.id === id)
        ? { ...run, attempts: run.attempts.map((each) => (each.id === id ? { ...each, ...change } : each)) }
        : run,
    );
    this.#set({ runs });
  }

  #set(change: Partial<State>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Belongs to the logged-in key: drafts of another key are forgotten. */
let current: { readonly keyId: string; readonly playground: Playground } | undefined;

export function usePlayground(): { readonly playground: Playground; readonly state: State } {
  const keyId = useSession().key.id;
  if (current?.keyId !== keyId) current = { keyId, playground: new Playground() };
  const { playground } = current;
  return { playground, state: useSyncExternalStore(playground.subscribe, playground.state) };
}
