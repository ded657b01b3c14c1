import { GatewayError } from "../../errors.ts";
import type { BodyNeed, RequestEnd } from "../../plugin-host/contract.ts";
import type { Verdict } from "../../plugin-host/hooks/verdict.ts";
import type { Endpoint } from "../../runtime/rpc.ts";
import type { RequestHooks } from "../request-hooks.ts";
import type { RequestFacts, SeenRequest } from "../seen-request.ts";
import { Batch, onBatch } from "./batch.ts";

/** A call from a further gateway thread to the first one, where the plugins are. */
export interface HookQuestion {
  readonly number: number;
  readonly facts: RequestFacts;
  /** Whether the body can still be read if plugins need it. */
  readonly mayRead: boolean;
}

export type Question = HookQuestion | { readonly end: RequestEnd };

export interface Reply {
  readonly number: number;
  /** Read the body for these needs and call again; nothing was counted. */
  readonly needs?: readonly BodyNeed[];
  readonly verdict?: Verdict;
  /** A plugin failed. */
  readonly failed?: string;
}

/**
 * The plugins as a further gateway thread uses them: they live in the first thread, which alone counts, and are called
 * there. One call per request covers `needs`, `onRequest` and `onForward`.
 */
export class RemoteHooks implements RequestHooks {
  readonly #batch: Batch;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  /** Replies for requests whose body need not be read. */
  readonly #admitted = new WeakMap<SeenRequest, Reply>();
  #next = 0;

  constructor(port: Endpoint) {
    this.#batch = new Batch(port);
    onBatch<Reply>(port, (reply) => {
      this.#waiting.get(reply.number)?.(reply);
      this.#waiting.delete(reply.number);
    });
  }

  has(name: "onRequest" | "onForward" | "onEnd"): boolean {
    return name !== "onRequest";
  }

  async needs(request: SeenRequest, facts: RequestFacts): Promise<readonly BodyNeed[]> {
    const reply = await this.#ask(facts, true);
    if (reply.needs === undefined) this.#admitted.set(request, reply);
    return reply.needs ?? [];
  }

  onRequest(): Verdict {
    return undefined;
  }

  async onForward(request: SeenRequest, facts: RequestFacts): Promise<Verdict> {
    const { verdict, failed } = this.#admitted.get(request) ?? (await this.#ask(facts, false));
    if (failed !== undefined) throw new GatewayError("plugin_failed", failed);
    return verdict;
  }

  onEnd(end: RequestEnd): void {
    this.#batch.sendLater({ end } satisfies Question);
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
    return new Promise((resolve) => this.#waiting.set(number, resolve));
  }
}
