import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { GatewayAccess } from "weir/plugin";

export type State = "unapproved" | "pending" | "approved" | "revoked" | "denied";
/** An action on a domain. */
export type Action = "request" | "prove" | "approve" | "deny" | "revoke";

interface Step {
  readonly from: readonly State[];
  readonly to: State;
  /** The message if the domain is in another state. */
  readonly otherwise: string;
}

const ANY: readonly State[] = ["unapproved", "pending", "approved", "revoked", "denied"];

/** The life cycle of a domain. */
export const STEPS: Readonly<Record<Action, Step>> = {
  request: {
    from: ["unapproved", "pending", "revoked"],
    to: "pending",
    otherwise: "approval can be requested only while a domain is neither approved nor denied",
  },
  prove: { from: ["pending"], to: "approved", otherwise: 'request approval with "personal": true first' },
  approve: { from: ANY, to: "approved", otherwise: "" },
  deny: { from: ANY, to: "denied", otherwise: "" },
  revoke: { from: ["approved"], to: "revoked", otherwise: "only an approved domain can be revoked" },
};

interface ApprovalRequest {
  readonly organization: string | null;
  /** Null for a personal deployment, whose owner proves the domain with a DNS record. */
  readonly company: string | null;
  readonly token: string;
  readonly at: string;
  readonly by: string;
}

interface Change {
  readonly at: string;
  readonly from: State;
  readonly to: State;
  readonly action: Action;
  readonly by: string;
}

/** The stored state of a domain with at least one action. */
export interface Decision {
  readonly state: State;
  readonly request: ApprovalRequest | null;
  /** Whether the domain may be a private address. */
  readonly private: boolean;
  /** The last hundred changes, oldest first. */
  readonly history: readonly Change[];
}

interface Done {
  readonly by: string;
  readonly request?: Pick<ApprovalRequest, "organization" | "company">;
  readonly private?: boolean;
}

const HISTORY_MAX = 100;

/** The state of each domain: by decision, otherwise by the configuration and the providers. */
export class Decisions {
  readonly #gateway: GatewayAccess;
  readonly #exact: ReadonlySet<string>;
  #states: ReadonlyMap<string, State> = new Map();
  /** Each step sees the result of the previous one. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(gateway: GatewayAccess, approved: readonly string[]) {
    this.#gateway = gateway;
    this.#exact = new Set(approved.map((each) => readDomain(each) ?? each));
    gateway.store.onChange(() => this.#take());
    this.#take();
  }

  /** @param owner - the provider to which the host belongs, if any. */
  stateOf(host: string, owner: string | undefined): State {
    const name = host.endsWith(".") ? bare(host) : host;
    const decided = this.#states.size === 0 ? undefined : this.#states.get(name);
    return decided ?? (owner !== undefined || this.isConfigured(name) ? "approved" : "unapproved");
  }

  /** Domains that the configuration approves by name. */
  get configured(): ReadonlySet<string> {
    return this.#exact;
  }

  /** Whether the configuration approves it: by name, or as an allowed private target. */
  isConfigured(domain: string): boolean {
    return this.#exact.has(domain) || this.#gateway.opensPrivateTarget(domain);
  }

  all(): ReadonlyMap<string, Decision> {
    return this.#gateway.store.entries();
  }

  find(domain: string): Decision | undefined {
    return this.all().get(domain);
  }

  /**
   * Takes a step and stores it; steps are serialized. @returns the domain after the step, or why the step is not allowed.
   */
  take(domain: string, action: Action, done: Done, owner: string | undefined): Promise<Decision | string> {
    const taken = this.#turn.then(() => this.#step(domain, action, done, owner));
    this.#turn = taken.catch(() => {}); // the caller of this step gets the error
    return taken;
  }

  async #step(domain: string, action: Action, done: Done, owner: string | undefined): Promise<Decision | string> {
    const { from, to, otherwise } = STEPS[action];
    const before = this.find(domain);
    const state = this.stateOf(domain, owner);
    if (!from.includes(state)) return `${domain} is ${state}: ${otherwise}`;
    const at = new Date().toISOString();
    const change: Change = { at, from: state, to, action, by: done.by };
    const approval = done.request;
    const token = before?.state === "pending" ? before.request?.token : undefined;
    const next: Decision = {
      state: to,
      request:
        approval === undefined
          ? (before?.request ?? null)
          : { ...approval, token: token ?? randomBytes(24).toString("base64url"), at, by: done.by },
      private: to === "approved" && (done.private ?? before?.private ?? false),
      history: [...(before?.history ?? []), change].slice(-HISTORY_MAX),
    };
    await this.#gateway.store.put(domain, next);
    return next;
  }

  #take(): void {
    const decisions = [...this.all()];
    this.#states = new Map(decisions.map(([domain, { state }]) => [domain, state]));
    const open = decisions.filter(([, decision]) => decision.private && decision.state === "approved");
    this.#gateway.openPrivateTargets(open.map(([domain]) => domain));
  }
}

/**
 * A host name or address in the form of targets: lower case, without port, brackets and trailing dots; undefined if invalid.
 */
export function readDomain(text: string): string | undefined {
  const trimmed = text.trim();
  const plain = trimmed.replace(/^\[(.*)\]$/, "$1");
  if (isIP(plain) === 6) return bare(URL.parse(`http://[${plain}]`)?.hostname ?? "");
  if (trimmed === "" || /[\s:/?#@\\*%[\]]/.test(trimmed)) return undefined;
  const name = bare(URL.parse(`http://${trimmed}`)?.hostname ?? "");
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) && name.length <= 253 ? name : undefined;
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "");
}
