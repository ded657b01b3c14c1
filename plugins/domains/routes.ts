import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { GatewayAccess, Json, PluginRoute, RouteAnswer, RouteCall, RouteCaller } from "weir/plugin";
import { type Counts, DAILY } from "./counts.ts";
import { type Action, type Decision, type Decisions, readDomain, type State } from "./decisions.ts";

interface DomainParts {
  readonly decisions: Decisions;
  readonly counts: Counts;
  readonly gateway: GatewayAccess;
  /** `ip` or `ip:port`; empty for the system's. */
  readonly nameServers: readonly string[];
}

const REQUEST_BODY = {
  type: "object",
  required: ["domain"],
  properties: {
    domain: { type: "string", minLength: 1, maxLength: 300 },
    company: { type: "string", maxLength: 300 },
    personal: { type: "boolean" },
  },
  additionalProperties: false,
};
const APPROVE_BODY = {
  type: ["object", "null"],
  properties: { private: { type: "boolean" } },
  additionalProperties: false,
};

export function domainRoutes(parts: DomainParts): readonly PluginRoute[] {
  const decide =
    (action: Action) =>
    (domain: string, { caller, body }: RouteCall) => {
      // An approval, or its end, applies to every organization.
      if (!caller.operator) return refusal(403, "only admins of the first organization decide about domains");
      return step(parts, domain, [action, { by: caller.name, ...(body?.private && { private: true }) }], caller);
    };
  const post = (path: string, more: Pick<PluginRoute, "scope" | "summary" | "handle"> & { body?: Json }) =>
    ({ method: "POST", path: `/v1/domains/${path}`, ...more }) as const;
  return [
    {
      method: "GET",
      path: "/v1/domains",
      scope: "figures",
      summary: "List domains",
      handle: (call) => list(parts, call),
    },
    {
      method: "GET",
      path: "/v1/domains/:domain",
      scope: "figures",
      summary: "One domain, with its history",
      handle: named((domain, { caller }) => ({ data: show(parts, domain, caller) })),
    },
    post("approval-requests", {
      scope: "write",
      summary: "Ask for approval, for a company or a personal deployment",
      body: REQUEST_BODY,
      handle: (call) => request(parts, call),
    }),
    post(":domain/verify", {
      scope: "write",
      summary: "Prove a domain by its DNS record",
      handle: named((domain, { caller }) => verify(parts, domain, caller)),
    }),
    post(":domain/approve", {
      scope: "admin",
      summary: "Approve a domain; private opens a private address too",
      body: APPROVE_BODY,
      handle: named(decide("approve")),
    }),
    post(":domain/deny", { scope: "admin", summary: "Refuse a domain", handle: named(decide("deny")) }),
    post(":domain/revoke", { scope: "admin", summary: "Revoke an approval", handle: named(decide("revoke")) }),
  ];
}

type RouteResult = RouteAnswer | Promise<RouteAnswer>;

function named(handle: (domain: string, call: RouteCall) => RouteResult): PluginRoute["handle"] {
  return (call) => {
    const given = call.params["domain"] ?? "";
    const domain = readDomain(given);
    return domain === undefined ? noDomain(given) : handle(domain, call);
  };
}

/** Refuses what is no domain, and names the one in it: people paste addresses. */
function noDomain(given: string): RouteAnswer {
  const domain = readDomain(URL.parse(given.includes("://") ? given : `http://${given}`)?.hostname ?? "");
  const hint = domain === undefined ? "" : `; did you mean ${domain}?`;
  return refusal(400, `a domain is a host name or address without scheme, port and path${hint}`, "domain");
}

function request(parts: DomainParts, { body, caller }: RouteCall): RouteResult {
  const domain = readDomain(body.domain);
  if (domain === undefined) return noDomain(String(body.domain));
  const company: string | undefined = body.company?.trim();
  if (company === "" || (company === undefined) === (body.personal !== true)) {
    return refusal(400, "name the company, or say personal: true", "company");
  }
  if (body.personal && isIP(domain) !== 0) {
    return refusal(400, "an address has no DNS record to prove it by; name the company", "domain");
  }
  const approval = { organization: caller.organizationId ?? null, company: company ?? null };
  return step(parts, domain, ["request", { by: caller.name, request: approval }], caller);
}

async function verify(parts: DomainParts, domain: string, caller: RouteCaller): Promise<RouteAnswer> {
  const decision = parts.decisions.find(domain);
  const approval = decision?.state === "pending" && maySee(decision, caller) ? decision.request : null;
  if (approval === null || approval.company !== null) {
    if (parts.decisions.stateOf(domain, ownerOf(parts, domain)) === "approved")
      return conflict(`${domain} is approved already`);
    const message = `${domain}: request approval with "personal": true first`;
    return approval === null && decision === undefined ? refusal(404, message) : conflict(message);
  }
  const { txt_name } = challenge(domain, approval.token);
  const found = await texts(txt_name, parts.nameServers);
  if (typeof found === "string" || !holds(found, approval.token)) {
    const why =
      typeof found === "string"
        ? found
        : found.length === 1
          ? "it holds another text"
          : `it holds ${found.length} other texts`;
    return conflict(`the TXT record ${txt_name} does not have the value yet: ${why}`);
  }
  return step(parts, domain, ["prove", { by: `DNS, asked by ${caller.name}` }], caller);
}

/** A record may consist of parts, which some resolvers return as separate records. */
function holds(found: readonly string[], token: string): boolean {
  return found.some((_text, from) => {
    let joined = "";
    for (let at = from; at < found.length && token.startsWith(joined) && joined !== token; at++) joined += found[at];
    return joined === token;
  });
}

/** The TXT records of a name, or why there are none. */
async function texts(name: string, servers: readonly string[]): Promise<string[] | string> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  try {
    if (servers.length > 0) resolver.setServers(servers);
    return (await resolver.resolveTxt(name)).map((parts) => parts.join("").trim());
  } catch (error) {
    return String((error as { code?: unknown }).code ?? (error as Error).message);
  }
}

async function step(
  parts: DomainParts,
  domain: string,
  [action, done]: readonly [Action, Parameters<Decisions["take"]>[2]],
  caller: RouteCaller,
): Promise<RouteAnswer> {
  const taken = await parts.decisions.take(domain, action, done, ownerOf(parts, domain));
  return typeof taken === "string" ? conflict(taken) : { data: show(parts, domain, caller) };
}

/** Returns a placeholder instead of the provider's name: here it matters only whether any provider's pattern matches. */
function ownerOf({ gateway }: DomainParts, domain: string): string | undefined {
  return gateway.providerHosts().find((pattern) => fits(pattern, domain));
}

/** Matches a provider's pattern: a star matches characters within a label; as the first label, one or more labels. */
function fits(pattern: string, host: string): boolean {
  if (!pattern.includes("*")) return pattern === host;
  const labels = pattern.split(".").map((label, at) => {
    if (at === 0 && label === "*") return "[^.]+(?:\\.[^.]+)*";
    return label.replace(/[^a-z0-9_-]/g, (char) => (char === "*" ? "[^.]*" : `\\${char}`));
  });
  return new RegExp(`^${labels.join("\\.")}$`).test(host);
}

function list(parts: DomainParts, { caller }: RouteCall): RouteAnswer {
  const { decisions, counts, gateway } = parts;
  const today = counts.today(caller.organizationId, Date.now());
  const decided = [...decisions.all()].flatMap(([domain, decision]) => (maySee(decision, caller) ? [domain] : []));
  const domains = new Set([...decided, ...[...today.keys()].sort(), ...decisions.configured]);
  for (const pattern of gateway.providerHosts()) domains.add(pattern);
  return { data: [...domains].map((domain) => row(parts, domain, caller, today)) };
}

function row(parts: DomainParts, domain: string, caller: RouteCaller, today: ReadonlyMap<string, number>) {
  const { decisions } = parts;
  const decision = decisions.find(domain);
  const owner = ownerOf(parts, domain) ?? (domain.includes("*") ? domain : undefined);
  const actual = decisions.stateOf(domain, owner);
  const state: State = actual === "pending" && !maySee(decision!, caller) ? "unapproved" : actual;
  const requests = today.get(domain) ?? 0;
  const limited = state === "unapproved" || state === "pending" || state === "revoked";
  return {
    domain,
    state,
    requests_today: requests,
    remaining_today: limited ? Math.max(0, DAILY.requests - requests) : state === "denied" ? 0 : null,
    resets_at: DAILY.resetsAt(Date.now()),
    source: decision !== undefined ? "decision" : sourceOf(parts, domain, owner),
    private: decision?.private ?? false,
  };
}

function sourceOf({ decisions }: DomainParts, domain: string, owner: string | undefined): string | null {
  return decisions.isConfigured(domain) ? "configuration" : owner === undefined ? null : "provider";
}

function show(parts: DomainParts, domain: string, caller: RouteCaller) {
  const decision = parts.decisions.find(domain);
  const shown = row(parts, domain, caller, parts.counts.today(caller.organizationId, Date.now()));
  if (decision === undefined || !maySee(decision, caller)) return { ...shown, company: null, history: [] };
  const { request: approval, history } = decision;
  const proof =
    decision.state === "pending" && approval !== null && approval.company === null
      ? challenge(domain, approval.token)
      : {};
  return { ...shown, company: approval?.company ?? null, requested_at: approval?.at ?? null, ...proof, history };
}

function challenge(domain: string, token: string) {
  return { txt_name: `_weir-challenge.${domain}`, txt_value: token };
}

/** The organization that requested it may see it, and the operator. */
function maySee({ request: approval }: Decision, { organizationId, operator }: RouteCaller): boolean {
  return operator || organizationId === undefined || (approval !== null && approval.organization === organizationId);
}

/** The domain is in another state than the step needs. */
function conflict(message: string): RouteAnswer {
  return { status: 409, code: "domain_state", message };
}

function refusal(status: number, message: string, path?: string): RouteAnswer {
  return { status, message, ...(path === undefined ? {} : { path }) };
}
