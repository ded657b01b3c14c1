import type { GatewayRequest, Refusal } from "../plugin/contract.ts";
import { isRefusal, type Verdict } from "../plugin/hooks/verdict.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestHooks } from "./gateway-parts.ts";
import { fromWire, type GatewayHeader } from "./headers/headers.ts";
import { MASKED } from "./headers/secrets.ts";

/** A plugin's refusal, thrown so that it takes the way of every other one. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "Refused";
    this.refusal = refusal;
  }
}

/** What is known of a request before its target is called. Plain: it may be told to another thread. */
export interface RequestFacts {
  readonly id: string;
  readonly fallbackOf?: string | undefined;
  readonly method: string;
  /** As sent, credentials masked. */
  readonly path: string;
  readonly target: GatewayRequest["target"];
  readonly provider: string;
  readonly organizationId: string;
  readonly keyId: string;
  /** The client's headers as they may be shown. */
  readonly shown: readonly string[];
  readonly gateway: readonly GatewayHeader[];
  /** The user that the body names, where it was read for that. */
  bodyUser?: string | undefined;
}

/**
 * Lets the plugins look at a request before its target is called. Answers at once where they do.
 *
 * @throws Refused where one of them refuses; GatewayError `plugin_failed` where one of them fails.
 */
export function askOnRequest(hooks: RequestHooks, request: SeenRequest, exchange: Exchange): void | Promise<void> {
  return settle(hooks.onRequest(request), exchange);
}

/**
 * Asks the plugins for the last time before the target is called; they are told how it ended, whatever comes.
 *
 * @throws as `askOnRequest`.
 */
export function askOnForward(hooks: RequestHooks, request: SeenRequest, exchange: Exchange): void | Promise<void> {
  const told = () => exchange.tellEnd((end) => hooks.onEnd(end));
  let verdict: Verdict | Promise<Verdict>;
  try {
    verdict = hooks.onForward(request);
  } catch (error) {
    told();
    throw error;
  }
  if (!(verdict instanceof Promise)) {
    told();
    return settle(verdict, exchange);
  }
  // The client may leave meanwhile: the plugins hear of the end once they have answered.
  return verdict.finally(told).then((found) => settle(found, exchange));
}

/**
 * Asks the plugins whether a request may go to another target than the client named first: all of it, as if it were a
 * request of its own.
 *
 * @param request - with an id of its own: what plugins count for it is settled under this id when the exchange ends.
 * @throws as `askOnRequest`.
 */
export async function askFor(hooks: RequestHooks, request: SeenRequest, exchange: Exchange): Promise<void> {
  const admit = (verdict: Verdict) => {
    if (isRefusal(verdict)) throw new Refused(verdict);
  };
  admit(await hooks.onRequest(request));
  try {
    admit(await hooks.onForward(request));
  } finally {
    exchange.tellEnd((end) => hooks.onEnd({ ...end, id: request.id }));
  }
}

function settle(verdict: Verdict | Promise<Verdict>, exchange: Exchange): void | Promise<void> {
  if (verdict instanceof Promise) return verdict.then((found) => settle(found, exchange));
  if (isRefusal(verdict)) throw new Refused(verdict);
  if (verdict !== undefined) exchange.addHeaders(verdict.responseHeaders);
}

/** What a request is made of. A plugin has no way to it, for the gateway's own headers hold credentials. */
export let factsOf: (request: SeenRequest) => RequestFacts;

/** What plugins see of a request. Most ask for little of it, so what costs something is made when it is asked for. */
export class SeenRequest implements GatewayRequest {
  readonly #facts: RequestFacts;
  #headers: Headers | undefined;
  #properties: Readonly<Record<string, string>> | undefined;

  static {
    factsOf = (request) => request.#facts;
  }

  constructor(facts: RequestFacts) {
    this.#facts = facts;
  }

  get id(): string {
    return this.#facts.id;
  }

  get fallbackOf(): string | undefined {
    return this.#facts.fallbackOf;
  }

  get method(): string {
    return this.#facts.method;
  }

  get path(): string {
    return this.#facts.path;
  }

  get target(): GatewayRequest["target"] {
    return this.#facts.target;
  }

  get provider(): string {
    return this.#facts.provider;
  }

  get organizationId(): string {
    return this.#facts.organizationId;
  }

  get keyId(): string {
    return this.#facts.keyId;
  }

  get headers(): Headers {
    this.#headers ??= toHeaders(this.#facts.shown);
    return this.#headers;
  }

  get userId(): string | undefined {
    const sent = this.#facts.gateway.findLast(({ setting, value }) => setting === "user-id" && value !== "");
    return sent === undefined ? this.#facts.bodyUser : fromWire(sent.value);
  }

  get properties(): Readonly<Record<string, string>> {
    if (this.#properties !== undefined) return this.#properties;
    const properties: Record<string, string> = {};
    for (const { name, setting, value } of this.#facts.gateway) {
      if (setting.startsWith("property-")) properties[name.slice("Gateway-Property-".length)] = fromWire(value);
    }
    this.#properties = properties;
    return properties;
  }

  gatewayHeader(name: string): string | undefined {
    if (name === "auth" || name === "fallbacks") return undefined; // both hold credentials
    let found: string | undefined;
    for (const { setting, value } of this.#facts.gateway) {
      if (setting === name) found = found === undefined ? fromWire(value) : `${found}, ${fromWire(value)}`;
    }
    return found;
  }
}

/** Without the masked ones: a plugin sees no credential, not even that there is one. */
function toHeaders(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at + 1] !== MASKED) headers.append(pairs[at]!, pairs[at + 1]!);
  return headers;
}
