import { randomUUID } from "node:crypto";
import type { GatewayAccess, Json, PluginStore, RouteCaller } from "weir/plugin";
import { isSegment, isUnit, type Policy, QUOTA_MAX, textOf, type Unit, WINDOW_SECONDS_MAX } from "./policy.ts";
import { CALENDARS, type Calendar, CalendarSpan, SlidingSpan } from "./span.ts";

/** A policy as the API accepts it and `weir.toml` contains it. */
interface PolicyBody {
  readonly name: string;
  readonly quota: number;
  /** Length of a sliding window; null with `calendar`. */
  readonly window_seconds: number | null;
  readonly calendar: Calendar | null;
  /** Present with `calendar`. */
  readonly time_zone: string | null;
  readonly unit: Unit;
  readonly segment: string | null;
  readonly key_id: string | null;
}

export interface StoredPolicy extends PolicyBody {
  readonly id: string;
  /** Null for `weir.toml`: applies to every organization, each counted separately. */
  readonly organization: string | null;
  readonly source: "api" | "configuration";
  /** Whether it may name a key of another organization. */
  readonly operator: boolean;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

const MEMBERS = ["name", "quota", "window_seconds", "calendar", "time_zone", "unit", "segment", "key_id"];

/** The error of a policy, with the invalid member; undefined if it is valid. */
export function whyBadPolicy(body: Json): { readonly path: string; readonly message: string } | undefined {
  const bad = (path: string, message: string) => ({ path, message: path === "" ? message : `${path}: ${message}` });
  if (typeof body !== "object" || body === null || Array.isArray(body)) return bad("", "a policy is an object");
  const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return bad(unknown, `there is no such member; there are ${MEMBERS.join(", ")}`);
  const { name, quota, unit = "request", segment = null, key_id = null } = body;
  if (!isText(name)) return bad("name", "must be text of 1 to 200 characters");
  if (!isUnit(unit)) return bad("unit", "must be request, cents or tokens");
  const whole = unit === "cents" || Number.isInteger(quota);
  if (typeof quota !== "number" || !whole || !(quota >= 0 && quota <= QUOTA_MAX)) {
    return bad("quota", `must be ${unit === "cents" ? "a" : "a whole"} number from 0 to ${QUOTA_MAX}`);
  }
  const window = whyBadWindow(body);
  if (window !== undefined) return bad(...window);
  if (segment !== null && !isSegment(segment)) return bad("segment", 'must be null, "user" or the name of a property');
  if (key_id !== null && !isText(key_id)) return bad("key_id", "must be null or the id of a key");
  return undefined;
}

/** The invalid member, and why it is invalid. */
function whyBadWindow(body: Json): readonly [path: string, message: string] | undefined {
  const { window_seconds = null, calendar = null, time_zone = null } = body;
  if (calendar === null) {
    if (time_zone !== null) return ["time_zone", "requires calendar"];
    const fits = Number.isInteger(window_seconds) && window_seconds >= 1 && window_seconds <= WINDOW_SECONDS_MAX;
    return fits
      ? undefined
      : ["window_seconds", `must be a whole number from 1 to ${WINDOW_SECONDS_MAX}, unless calendar is given`];
  }
  if (!CALENDARS.includes(calendar)) return ["calendar", "must be null, day, week or month"];
  if (window_seconds !== null) return ["window_seconds", "must be left out where calendar is given"];
  if (time_zone !== null && !isTimeZone(time_zone))
    return ["time_zone", "must be a time zone, such as Europe/Berlin or UTC"];
  return undefined;
}

function isTimeZone(name: unknown): boolean {
  try {
    return typeof name === "string" && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 200 && value.trim() !== "";
}

const NONE: readonly Policy[] = [];

/** The stored policies in order of creation, after those of the configuration. */
export class StoredPolicies {
  readonly #store: PluginStore;
  readonly #periodOf: GatewayAccess["periodOf"];
  /** The policies of `weir.toml`. */
  readonly configured: readonly StoredPolicy[];
  #everywhere: readonly StoredPolicy[] = [];
  /** Cached per key; cleared when a policy changes. */
  readonly #byKey = new Map<string, readonly Policy[]>();

  /** @throws if the configuration has an invalid policy. */
  constructor({ store, periodOf }: Pick<GatewayAccess, "store" | "periodOf">, configured: readonly Json[]) {
    this.#store = store;
    this.#periodOf = periodOf;
    this.configured = configured.map((body, at) => {
      const wrong = whyBadPolicy(body);
      if (wrong !== undefined) throw new Error(`[[rate_limits]] number ${at + 1}: ${wrong.message}`);
      const rest = { organization: null, operator: true, created_at: null, updated_at: null };
      return { ...fullBody(body), id: `configuration-${at + 1}`, source: "configuration", ...rest } as const;
    });
    store.onChange(() => this.#take());
    this.#take();
  }

  policiesFor(organization: string, keyId: string): readonly Policy[] {
    if (this.#everywhere.length === 0) return NONE;
    let policies = this.#byKey.get(keyId);
    if (policies === undefined) {
      policies = this.#everywhere
        .filter((each) => bearsOn(each, organization, keyId))
        .map((each) => this.policyOf(each));
      this.#byKey.set(keyId, policies);
    }
    return policies;
  }

  policyOf({ id, name, quota, unit, segment, ...stored }: StoredPolicy): Policy {
    const { window_seconds, calendar, time_zone } = stored;
    const terms = { quota, unit, segment };
    if (calendar === null) {
      const text = textOf({ ...terms, window: `w=${window_seconds}` });
      return { ...terms, id, name, text, span: new SlidingSpan(window_seconds! * 1_000) };
    }
    const zone = time_zone ?? "UTC";
    const text = textOf({ ...terms, window: `calendar=${calendar};time_zone=${zone}` });
    return { ...terms, id, name, text, span: new CalendarSpan(calendar, zone, this.#periodOf) };
  }

  /** The policies that a caller may see: its organization's and the configuration's. */
  list({ organizationId }: RouteCaller): readonly StoredPolicy[] {
    return this.#everywhere.filter(
      ({ organization }) => organizationId === undefined || organization === null || organization === organizationId,
    );
  }

  async put(body: Json, caller: RouteCaller, before?: StoredPolicy): Promise<StoredPolicy> {
    const now = new Date().toISOString();
    const policy: StoredPolicy = {
      ...fullBody(body),
      id: before?.id ?? randomUUID(),
      organization: before === undefined ? (caller.organizationId ?? null) : before.organization,
      source: "api",
      operator: caller.operator,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    await this.#store.put(policy.id, policy);
    return policy;
  }

  remove(id: string): Promise<void> {
    return this.#store.remove(id);
  }

  #take(): void {
    // Policies of earlier versions have no calendar.
    const stored = [...this.#store.entries().values()].map(
      (entry): StoredPolicy => ({ calendar: null, time_zone: null, ...entry }),
    );
    stored.sort((a, b) => ((a.created_at ?? "") < (b.created_at ?? "") ? -1 : 1));
    this.#everywhere = [...this.configured, ...stored];
    this.#byKey.clear();
  }
}

function bearsOn(policy: StoredPolicy, organization: string, keyId: string): boolean {
  if (policy.organization === null || policy.organization === organization) {
    return policy.key_id === null || policy.key_id === keyId;
  }
  return policy.operator && policy.key_id === keyId;
}

function fullBody(body: Json): PolicyBody {
  const { name, quota, window_seconds = null, unit = "request", segment = null, key_id = null } = body;
  const { calendar = null, time_zone = calendar === null ? null : "UTC" } = body;
  return { name, quota, window_seconds, calendar, time_zone, unit, segment, key_id };
}
