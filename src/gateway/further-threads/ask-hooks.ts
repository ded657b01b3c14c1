import { GatewayError } from "../../errors.ts";
import type { BodyNeed, RequestEnd } from "../../plugin-host/contract.ts";
import type { Verdict } from "../../plugin-host/hooks/verdict.ts";
import type { Endpoint } from "../../runtime/rpc.ts";
import type { RequestHooks } from "../request-hooks.ts";
import type { RequestFacts, SeenRequest } from "../seen-request.ts";
import { AdmittedKinds, type Passed } from "./admitted-kinds.ts";
import { Batch, onBatch } from "./batch.ts";

/** A call from a further gateway thread to the first one, where the plugins are. */
export interface HookQuestion {
  readonly number: number;
  readonly facts: RequestFacts;
  /** Whether the body can still be read if plugins need it. */
  readonly mayRead: boolean;
}

export type Question = HookQuestion | { readonly end: RequestEnd } | { readonly passed: readonly Passed[] };

export interface Reply {
  readonly number: number;
  /** Read the body for these needs and call again; nothing was counted. */
  readonly needs?: readonly BodyNeed[];
  readonly verdict?: Verdict;
  /** All requests of its kind are allowed while `changes` has this value. */
  readonly admittedSince?: number;
  /** A plugin failed. */
  readonly failed?: string;
}

/**
 * The plugins as a further gateway thread uses them: they live in the first thread, which alone counts, and are called
 * there. One call per request covers `needs`, `onRequest` and `onForward`; a request of an admitted kind needs none, and is
 * only counted.
 */
export class RemoteHooks implements RequestHooks {
  readonly #batch: Batch;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  /** Replies for requests whose body need not be read. */
  readonly #replies = new WeakMap<SeenRequest, Reply>();
  /** Ids of requests that were passed on without a question and have not ended. */
  readonly #unasked = new Set<string>();
  readonly #kinds: AdmittedKinds;
  #next = 0;

  /** @param changes - see `AdmittedKinds`. */
  constructor(port: Endpoint, changes: Int32Array) {
    this.#kinds = new AdmittedKinds(changes);
    this.#batch = new Batch(port, () => {
      const passed = this.#kinds.takePassed();
      return passed.length === 0 ? undefined : ({ passed } satisfies Question);
    });
    onBatch<Reply>(port, (reply) => {
      this.#waiting.get(reply.number)?.(reply);
      this.#waiting.delete(reply.number);
    });
  }

  has(name: "onRequest" | "onForward" | "onEnd"): boolean {
    return name !== "onRequest";
  }

  needs(request: SeenRequest, facts: RequestFacts): readonly BodyNeed[] | Promise<readonly BodyNeed[]> {
    if (this.#kinds.has(facts)) return NOTHING;
    return this.#ask(facts, true).then((reply) => {
      if (reply.needs === undefined) this.#replies.set(request, reply);
      return reply.needs ?? NOTHING;
    });
  }

  onRequest(): Verdict {
    return undefined;
  }

  onForward(request: SeenRequest, facts: RequestFacts): Verdict | Promise<Verdict> {
    const reply = this.#replies.get(request);
    if (reply !== undefined) return verdictOf(reply);
    if (!this.#kinds.pass(facts)) return this.#ask(facts, false).then(verdictOf);
    this.#unasked.add(facts.id);
    this.#batch.flushLater();
    return undefined;
  }

  onEnd(end: RequestEnd): void {
    if (!this.#unasked.delete(end.id)) this.#batch.sendLater({ end } satisfies Question);
  }

  /** Sends the pending ends. */
  close(): void {
    this.#batch.flush();
  }

  #ask(facts: RequestFacts, mayRead: boolean): Promise<Reply> {
    const number = this.#next++;
    // Lines with credentials are not sent: plugins never see them.
    const gateway = facts.gateway.filter(({ setting }) => setting !== "auth" && setting !== "fallbacks");
    this.#batch.send({ number, facts: { ...facts, gateway }, mayRead } satisfies Question);
    return new Promise((resolve) =>
      this.#waiting.set(number, (reply) => {
        if (reply.admittedSince !== undefined) this.#kinds.learn(facts, reply.admittedSince);
        resolve(reply);
      }),
    );
  }
}

const NOTHING: readonly BodyNeed[] = [];

/** @throws GatewayError `plugin_failed`. */
function verdictOf({ verdict, failed }: Reply): Verdict {
  if (failed !== undefined) throw new GatewayError("plugin_failed", failed);
  return verdict;
}
