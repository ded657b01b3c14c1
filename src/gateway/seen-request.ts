import { MASKED } from "../masking/mask.ts";
import type { GatewayRequest, Json, PayingCredential } from "../plugin-host/contract.ts";
import { modelOfPath } from "./body/content.ts";
import type { GatewayHeader } from "./headers/gateway-header.ts";
import { fromWire } from "./headers/headers.ts";

/** What is known of a request before its target is called. Plain data: it may be sent to another thread. */
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
  readonly keyModels: readonly string[] | null;
  /** The client's headers as they may be shown. */
  readonly shown: readonly string[];
  readonly gateway: readonly GatewayHeader[];
  /** The model named in the path, or else in the body, if that was read for it. */
  model?: string | undefined;
  /** The user named in the body, if that was read for it. */
  bodyUser?: string | undefined;
  /** The route of the unified address that led here, and the paying credential. */
  route?: string | undefined;
  credential?: PayingCredential | undefined;
  /** Id of one call of the unified address. */
  readonly callId?: string | undefined;
  /** Number of calls that it is split into, if any. */
  calls?: number | undefined;
  /** The JSON body, if it was read for that. */
  body?: Json;
}

/**
 * A request as plugins see it. Most use little of it, so expensive values are created on demand. Plugins cannot reach the
 * facts themselves, because the gateway's own headers hold credentials.
 */
export class SeenRequest implements GatewayRequest {
  readonly #facts: RequestFacts;
  #headers: Headers | undefined;
  #properties: Readonly<Record<string, string>> | undefined;

  constructor(facts: RequestFacts) {
    this.#facts = facts;
  }

  get id(): string {
    return this.#facts.id;
  }

  get fallbackOf(): string | undefined {
    return this.#facts.fallbackOf;
  }

  get callId(): string | undefined {
    return this.#facts.callId;
  }

  get calls(): number {
    return this.#facts.calls ?? 1;
  }

  get route(): string | undefined {
    return this.#facts.route;
  }

  get credential(): PayingCredential | undefined {
    return this.#facts.credential;
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

  get keyModels(): readonly string[] | null {
    return this.#facts.keyModels;
  }

  get headers(): Headers {
    this.#headers ??= toHeaders(this.#facts.shown);
    return this.#headers;
  }

  get userId(): string | undefined {
    const sent = this.#facts.gateway.findLast(({ setting, value }) => setting === "user-id" && value !== "");
    return sent === undefined ? this.#facts.bodyUser : fromWire(sent.value);
  }

  get model(): string | undefined {
    this.#facts.model ??= modelOfPath(this.#facts.path);
    return this.#facts.model;
  }

  get body(): Json {
    return this.#facts.body;
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

/** Without the masked headers: a plugin cannot see a credential, not even that there is one. */
function toHeaders(pairs: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at + 1] !== MASKED) headers.append(pairs[at]!, pairs[at + 1]!);
  return headers;
}
