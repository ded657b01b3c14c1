import type { GatewayPlugin, GatewayRequest, Refusal } from "weir/plugin";
import type { Bearing } from "./rate-limits/counter.ts";
import { CredentialLimits } from "./rate-limits/credential.ts";
import { Ledger } from "./rate-limits/ledger.ts";
import { type Policy, readPolicies } from "./rate-limits/policy.ts";
import { rateLimitRoutes } from "./rate-limits/routes.ts";
import { StoredPolicies } from "./rate-limits/stored.ts";

/**
 * Milliseconds that a request waits for budget held by others before it is refused. Requests in flight may take long, but
 * the cost of ended ones is known within a second.
 */
const WAIT_MS = 150;
const CHARGE_WAIT_MS = 1_500;
const HEADERS_KEPT_MAX = 1_000;
/** Maximum times that a request asks other nodes for room: earlier requests may use up what was granted. */
const ROOM_REQUESTS_MAX = 4;

const USER = ["user"] as const;
const NOTHING = [] as const;

/**
 * Rate limits and budgets: those in a request's `Gateway-RateLimit-Policy`, those stored at `/v1/rate-limits`, and those of
 * `weir.toml`. A request needs room in all of them, and all of them then count it. At the unified address it is counted
 * once, and the `limit` of a credential counts each call that the credential pays for.
 */
export default {
  apiVersion: 1,
  name: "rate-limits",
  optionsSchema: {
    type: "object",
    properties: { policies: { type: "array", default: [] } },
    additionalProperties: false,
  },

  setup({ options, log, gateway }) {
    if (gateway === undefined) return {};
    const stored = new StoredPolicies(gateway, options.policies);
    for (const { name, key_id } of stored.configured) {
      if (key_id !== null && gateway.organizationOfKey(key_id) === undefined)
        log.warn(`the rate limit "${name}" of the configuration file applies to nothing: no key has the id ${key_id}`);
    }
    const ledger = new Ledger(gateway, log);
    const limits = new CredentialLimits(ledger);
    const read = remembering(readPolicies);
    /** The policies of the request itself; undefined if no more counters can be created. */
    const ofRequest = (request: GatewayRequest, policies: readonly Policy[]): readonly Bearing[] | undefined => {
      const isFallback = request.fallbackOf !== undefined;
      // All calls of a unified request count as one request, which keeps the hold of the first call.
      if (request.callId !== undefined && (isFallback || ledger.holds(request.id))) return [];
      const bearings: Bearing[] = [];
      for (const policy of policies) {
        // The client's request holds the likely cost of a budget, and is charged with the cost of its fallback.
        if (isFallback && policy.unit !== "request") continue;
        const counter = ledger.counter(policy, request.organizationId, segmentOf(policy, request) ?? "");
        if (counter === undefined) return undefined;
        bearings.push({ policy, counter });
      }
      return bearings;
    };
    return {
      needs(request) {
        const policies = policiesOf(request, stored, read);
        return typeof policies !== "string" && policies.some(({ segment }) => segment === "user") ? USER : NOTHING;
      },

      onRequest(request) {
        const policies = policiesOf(request, stored, read);
        if (typeof policies === "string") return invalid(`Gateway-RateLimit-Policy: ${policies}`);
        for (const policy of policies) {
          if (segmentOf(policy, request) === undefined) return invalid(whatIsMissing(policy));
        }
        return undefined;
      },

      onForward(request) {
        const policies = policiesOf(request, stored, read);
        if (typeof policies === "string") return undefined;
        const { credential } = request;
        if (policies.length === 0 && credential?.limit === undefined) return undefined;
        const own = ofRequest(request, policies);
        const ofCredential = credential === undefined ? [] : limits.bearings(credential);
        if (own === undefined || ofCredential === undefined) return tooMany;
        const bearings = [...own, ...ofCredential];
        if (bearings.length === 0) return undefined;
        return admit(ledger, request, bearings) ?? admitLater(ledger, request, bearings);
      },

      onEnd: ({ id, recordId, outcome, forwarded, status }) =>
        ledger.end({
          id,
          recordId,
          counts: outcome !== "refused" && forwarded,
          answered: outcome === "complete" && status < 400,
        }),
      admits: ({ organizationId, keyId }) => stored.policiesFor(organizationId, keyId).length === 0,
      limitsOf: (credential) => limits.uses(credential, Date.now()),
      routes: rateLimitRoutes(stored, ledger, gateway.organizationOfKey),
      dispose: () => ledger.close(),
    };
  },
} satisfies GatewayPlugin;

type ReadHeader = (header: string) => readonly Policy[] | string;

/** Cached: the same few headers repeat. */
function remembering(read: ReadHeader): ReadHeader {
  const known = new Map<string, readonly Policy[] | string>();
  return (header) => {
    let found = known.get(header);
    if (found === undefined) {
      found = read(header);
      if (known.size >= HEADERS_KEPT_MAX) known.clear();
      known.set(header, found);
    }
    return found;
  };
}

/** The policies of a request, or the error in its header. */
function policiesOf(request: GatewayRequest, stored: StoredPolicies, read: ReadHeader): readonly Policy[] | string {
  const ofDeployment = stored.policiesFor(request.organizationId, request.keyId);
  const header = request.gatewayHeader("ratelimit-policy");
  if (header === undefined) return ofDeployment;
  const ofHeader = read(header);
  return typeof ofHeader === "string" || ofDeployment.length === 0 ? ofHeader : [...ofDeployment, ...ofHeader];
}

/** The request's value for the policy's segment; undefined if the request lacks it. */
function segmentOf({ segment }: Policy, request: GatewayRequest): string | undefined {
  if (segment === null) return "";
  if (segment === "user") return request.userId || undefined;
  const { properties } = request;
  if (Object.hasOwn(properties, segment)) return properties[segment] || undefined;
  // Header names are case-insensitive, and the case may have changed in transit.
  const name = Object.keys(properties).find((each) => each.toLowerCase() === segment.toLowerCase());
  return name === undefined ? undefined : properties[name] || undefined;
}

function whatIsMissing({ segment, name }: Policy): string {
  const needed = segment === "user" ? "Gateway-User-Id, or a user in its JSON body" : `Gateway-Property-${segment}`;
  return `the rate limit "${name}" counts by ${segment}, so the request needs ${needed}`;
}

function invalid(message: string): Refusal {
  return { status: 400, code: "invalid_header", message };
}

const tooMany: Refusal = {
  status: 429,
  code: "rate_limited",
  message: "too many users or property values are counted at once; try again once current windows have expired",
  headers: { "Retry-After": "60" },
};

type LimitVerdict = Refusal | { readonly responseHeaders: Record<string, string> };
type Counting = Pick<GatewayRequest, "id" | "fallbackOf" | "callId" | "calls">;

/** Counts the request if all policies have room; undefined if room is lacking only because of other requests' holds. */
function admit(
  ledger: Ledger,
  request: Counting,
  bearings: readonly Bearing[],
  final = false,
): LimitVerdict | undefined {
  const now = Date.now();
  let heldUp: Bearing | undefined;
  for (const bearing of bearings) {
    const { policy, counter } = bearing;
    if (counter.balance(policy, now) > neededFor(bearing, request) - 1) continue;
    if (!counter.isHeldUp(policy, now) && !counter.mayAsk(policy, now)) return refuse(bearing, now);
    heldUp ??= bearing;
  }
  if (heldUp !== undefined) return final ? refuse(heldUp, now) : undefined;
  const own = bearings.filter(({ credential }) => credential === undefined);
  const ofCredential = bearings.filter(({ credential }) => credential !== undefined);
  const { id, fallbackOf, callId = id, calls } = request;
  if (own.length > 0) ledger.take(id, own, now);
  if (ofCredential.length > 0) ledger.take(callId, ofCredential, now, { recordId: fallbackOf ?? id, calls });
  // A credential's limit is internal: clients see only their own limits.
  return { responseHeaders: own.length === 0 ? {} : limitHeaders(tightest(own, now), now) };
}

/** Room for all calls of a split request, unless the quota can never suffice for them. */
function neededFor({ policy, credential }: Bearing, { calls = 1 }: Counting): number {
  return credential === undefined || policy.unit !== "request" ? 1 : Math.max(1, Math.min(calls, policy.quota));
}

/**
 * First requests room from other nodes. Then waits for holds, because most are charged within milliseconds of a response's
 * end.
 */
async function admitLater(ledger: Ledger, request: Counting, bearings: readonly Bearing[]): Promise<LimitVerdict> {
  const startedMs = performance.now();
  for (let attempts = 0; ; ) {
    const asking = attempts < ROOM_REQUESTS_MAX ? requestRoom(bearings) : [];
    if (asking.length > 0) {
      attempts += 1;
      await Promise.all(asking);
    }
    const waitMs = bearings.some(({ counter }) => counter.ended > 0) ? CHARGE_WAIT_MS : WAIT_MS;
    const leftMs = startedMs + waitMs - performance.now();
    const verdict = admit(ledger, request, bearings, leftMs <= 0 && asking.length === 0);
    if (verdict !== undefined) return verdict;
    if (asking.length === 0) await ledger.change(Math.max(1, Math.min(leftMs, WAIT_MS)));
  }
}

/** Requests room from other nodes for the limits without room here. */
function requestRoom(bearings: readonly Bearing[]): Promise<void>[] {
  const now = Date.now();
  return bearings.flatMap(({ policy, counter }) => {
    const lacks = counter.balance(policy, now) <= 0 && counter.mayAsk(policy, now);
    return lacks && counter.share !== undefined ? [counter.share.ask()] : [];
  });
}

function refuse(bearing: Bearing, now: number): Refusal {
  const { policy, counter, credential } = bearing;
  const seconds = counter.retrySeconds(policy, now);
  const wait = { status: 429, code: "rate_limited" };
  if (credential !== undefined) {
    const message = `the limit of the credential "${credential}" is exhausted; retry in ${seconds} s`;
    return { ...wait, message, headers: { "Retry-After": String(seconds) } };
  }
  const unit = policy.unit !== "request" ? policy.unit : policy.quota === 1 ? "request" : "requests";
  const per = `${policy.quota} ${unit} ${policy.span.words}`;
  const by = policy.segment === null ? "" : ` for each ${policy.segment}`;
  const message = `the rate limit "${policy.name}" (${per}${by}) is exhausted; retry in ${seconds} s`;
  const shown = { ...limitHeaders(bearing, now), "gateway-ratelimit-reset": String(seconds) };
  return { ...wait, message, headers: { ...shown, "Retry-After": String(seconds) } };
}

/** The policy with the smallest share of its quota left. */
function tightest(bearings: readonly Bearing[], now: number): Bearing {
  if (bearings.length === 1) return bearings[0]!;
  const share = ({ policy, counter }: Bearing) => counter.left(policy, now) / policy.quota;
  return bearings.reduce((least, each) => (share(each) < share(least) ? each : least));
}

function limitHeaders({ policy, counter }: Bearing, now: number): Record<string, string> {
  return {
    "gateway-ratelimit-limit": String(policy.quota),
    "gateway-ratelimit-remaining": String(Math.floor(counter.left(policy, now) * 10_000) / 10_000),
    "gateway-ratelimit-reset": String(counter.resetSeconds(policy, now)),
    "gateway-ratelimit-policy": policy.text,
  };
}
