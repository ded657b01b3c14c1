import { GatewayError } from "../../errors.ts";
import type { RequestEnd } from "../../plugin/contract.ts";
import type { Verdict } from "../../plugin/hooks/verdict.ts";
import type { Endpoint } from "../../runtime/rpc.ts";
import type { RequestHooks } from "../gateway-parts.ts";
import { factsOf, type RequestFacts, type SeenRequest } from "../hooks.ts";
import { Batch, onBatch } from "./batch.ts";

/** What a further gateway thread tells the first one, where the plugins are. */
export type Question =
  | {
      readonly number: number;
      readonly facts: RequestFacts;
      /** The body can be read for its user. */
      readonly mayRead: boolean;
    }
  | { readonly end: RequestEnd };

export interface Reply {
  readonly number: number;
  /** The body is to be read first, and the question asked again; nothing was counted. */
  readonly readsUser?: true;
  readonly verdict?: Verdict;
  /** A plugin failed. */
  readonly failed?: string;
}

/**
 * The plugins as a further gateway thread sees them: they live in the first one, which alone counts, and are asked
 * there. One question a request does for `readsUser`, `onRequest` and `onForward` together.
 */
export class AskedHooks implements RequestHooks {
  readonly #batch: Batch;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  /** Replies to requests that were asked whether their body is to be read, and need not be. */
  readonly #admitted = new WeakMap<SeenRequest, Reply>();
  #next = 0;

  constructor(port: Endpoint) {
    this.#batch = new Batch(port);
    onBatch<Reply>(port, (reply) => {
      this.#waiting.get(reply.number)?.(reply);
      this.#waiting.delete(reply.number);
    });
  }

  has(name: "readsUser" | "onRequest" | "onForward" | "onEnd"): boolean {
    return name !== "onRequest";
  }

  async readsUser(request: SeenRequest): Promise<boolean> {
    const reply = await this.#ask(request, true);
    if (reply.readsUser) return true;
    this.#admitted.set(request, reply);
    return false;
  }

  onRequest(): Verdict {
    return undefined;
  }

  async onForward(request: SeenRequest): Promise<Verdict> {
    const { verdict, failed } = this.#admitted.get(request) ?? (await this.#ask(request, false));
    if (failed !== undefined) throw new GatewayError("plugin_failed", failed);
    return verdict;
  }

  onEnd(end: RequestEnd): void {
    this.#batch.sendLater({ end } satisfies Question);
  }

  /** Tells of the ends that are still to be told of. */
  close(): void {
    this.#batch.flush();
  }

  #ask(request: SeenRequest, mayRead: boolean): Promise<Reply> {
    const number = this.#next++;
    const facts = factsOf(request);
    // What holds credentials is nothing that a plugin could ask for.
    const gateway = facts.gateway.filter(({ setting }) => setting !== "auth" && setting !== "fallbacks");
    this.#batch.send({ number, facts: { ...facts, gateway }, mayRead } satisfies Question);
    return new Promise((resolve) => this.#waiting.set(number, resolve));
  }
}
