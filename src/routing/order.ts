import type { Demand } from "./demand.ts";
import { unmet } from "./demand.ts";
import { rendezvous, shuffled } from "./rendezvous.ts";
import type { Choice, Nested, Target } from "./resolve.ts";
import type { Route, RouteTarget } from "./route.ts";
import type { Speeds } from "./speeds.ts";

/** A target in its position, with the settings of its routes. */
export interface Ordered extends Target {
  /** The route's name, the outermost of nested ones; null without one. */
  readonly route: string | null;
  /** Why it is first, such as `weight 7/10`. */
  readonly reason: string;
  readonly resolvedBy: string;
  /** Settings of the targets that led here, outermost first: a target of a nested route has several. */
  readonly path: readonly RouteTarget[];
  readonly retries: number;
  /** Seconds to the response's headers; undefined for the gateway's limit. */
  readonly timeoutSeconds: number | undefined;
  /** The failed condition; undefined if it may be tried. */
  readonly skipped: string | undefined;
}

export interface OrderParts {
  readonly demand: Demand;
  readonly speeds: Speeds;
  /** US dollars of this request there, with this many output tokens; undefined if the price is unknown. */
  readonly priceOf: (target: Target, inputTokens: number, outputTokens: number) => number | undefined;
  readonly kept: Pick<KeptChoices, "get" | "set">;
  readonly organizationId: string;
  readonly now: number;
  readonly random: () => number;
}

const OUTPUT_TOKENS_DEFAULT = 1_000;
/** Share of the requests that go to a target other than the fastest, so that others are measured too. */
const EXPLORE_SHARE = 1 / 20;

/** All targets of a model string, in the order in which they are tried. */
export function order(choices: readonly Choice[], parts: OrderParts): readonly Ordered[] {
  return choices.length === 1 ? orderOf(choices[0]!, parts) : choices.flatMap((choice) => orderOf(choice, parts));
}

function orderOf(choice: Choice, parts: OrderParts): readonly Ordered[] {
  const known = settled.get(choice);
  if (known !== undefined) return known;
  const ordered = flatten(choice, parts, { ...NOTHING_ABOVE, choice });
  if (isSettled(choice)) settled.set(choice, ordered);
  return ordered;
}

/** Choices whose order is the same for every request. */
const settled = new WeakMap<Choice, readonly Ordered[]>();

const isSettled = ({ strategy, members }: Choice) =>
  strategy === "order" && members.every((member) => !("choice" in member) && member.settings?.when === undefined);

interface Above {
  /** The outermost of nested ones. */
  readonly choice: Choice;
  readonly path: readonly RouteTarget[];
  readonly skipped: string | undefined;
  /** Of the nearest route, and the nearest target or route, that says so. */
  readonly retries: number;
  readonly timeoutSeconds: number | undefined;
}

const NOTHING_ABOVE = { path: [], skipped: undefined, retries: 0, timeoutSeconds: undefined };

function flatten(choice: Choice, parts: OrderParts, above: Above): Ordered[] {
  const { members, reason } = arrange(choice, parts);
  const { route } = choice;
  const retries = route?.retries || above.retries;
  return members.flatMap((member, place): Ordered[] => {
    const { settings } = member;
    const path = settings === undefined ? above.path : [...above.path, settings];
    const skipped = above.skipped ?? unmet(settings?.when, parts.demand);
    const timeoutSeconds = settings?.timeoutSeconds ?? route?.timeoutSeconds ?? above.timeoutSeconds;
    const own = { path, retries, timeoutSeconds, skipped };
    if ("choice" in member) return flatten(member.choice, parts, { choice: above.choice, ...own });
    return [
      {
        ...member,
        ...own,
        route: above.choice.route?.name ?? null,
        reason: place === 0 ? reason(member) : "order",
        resolvedBy: above.choice.resolvedBy,
      },
    ];
  });
}

type Member = Target | Nested;

interface Arranged {
  readonly members: readonly Member[];
  readonly reason: (first: Member) => string;
}

/** Orders the usable members by the strategy; the others follow as written. */
function arrange(choice: Choice, parts: OrderParts): Arranged {
  const usable = choice.members.filter(({ settings }) => unmet(settings?.when, parts.demand) === undefined);
  const others = choice.members.filter((member) => !usable.includes(member));
  const arranged = strategies[choice.strategy](usable, choice, parts);
  return { members: [...arranged.members, ...others], reason: arranged.reason };
}

type Strategy = (members: readonly Member[], choice: Choice, parts: OrderParts) => Arranged;

const weightOf = ({ settings }: Member) => settings?.weight ?? 1;

const strategies: Readonly<Record<Route["strategy"], Strategy>> = {
  order: (members) => ({ members, reason: () => "order" }),

  weighted(members, choice, parts) {
    const seed = seedOf(choice, parts);
    const total = members.reduce((sum, member) => sum + weightOf(member), 0);
    return seed === undefined
      ? {
          members: shuffled(members, weightOf, parts.random),
          reason: (first) => `weight ${weightOf(first)}/${total}`,
        }
      : { members: rendezvous(members, seed, nameOf, weightOf), reason: () => "sticky" };
  },

  cheapest: (members, choice, parts) =>
    byScore(members, choice, parts, {
      name: "cheapest",
      score: (target) => priceOf(target, parts) ?? Number.POSITIVE_INFINITY,
    }),

  fastest(members, choice, parts) {
    const { speeds, demand, now, random } = parts;
    const arranged = byScore(members, choice, parts, {
      name: "fastest",
      score: (target) => speeds.of(speedKey(target), demand.stream, now),
    });
    if (arranged.reason(members[0]!) === "sticky" || members.length < 2 || random() >= EXPLORE_SHARE) return arranged;
    const place = 1 + Math.floor(random() * (members.length - 1));
    const explored = arranged.members[place]!;
    return { members: [explored, ...arranged.members.filter((each) => each !== explored)], reason: arranged.reason };
  },
};

/** Ordered by a score, lowest first; the session's choice stays first while it is kept. */
function byScore(
  members: readonly Member[],
  choice: Choice,
  parts: OrderParts,
  { name, score }: { readonly name: string; readonly score: (target: Target) => number },
): Arranged {
  // A nested route is as good as its best target.
  const scoreOf = (member: Member): number =>
    "choice" in member ? Math.min(...member.choice.members.map(scoreOf), Number.POSITIVE_INFINITY) : score(member);
  const scored = members.map((member) => ({ member, score: scoreOf(member) }));
  const sorted = scored.sort((a, b) => (a.score === b.score ? 0 : a.score - b.score)).map(({ member }) => member);
  const seed = seedOf(choice, parts);
  if (seed === undefined || sorted.length === 0) return { members: sorted, reason: () => name };
  const before = parts.kept.get(seed, parts.now);
  const kept = sorted.find((member) => nameOf(member) === before);
  if (kept === undefined) {
    parts.kept.set(seed, nameOf(sorted[0]!), parts.now);
    return { members: sorted, reason: () => name };
  }
  return { members: [kept, ...sorted.filter((member) => member !== kept)], reason: () => "sticky" };
}

/** Estimated price of this request there, in US dollars. */
export function priceOf(target: Target, { demand, speeds, priceOf, now }: OrderParts): number | undefined {
  const output = demand.maxTokens ?? speeds.medianOutput(speedKey(target), now) ?? OUTPUT_TOKENS_DEFAULT;
  return priceOf(target, demand.inputTokens, output);
}

/**
 * The key of a target's measurements: the model at its provider, and the credential if only one serves. Two deployments or
 * servers of the same model are two targets.
 */
export function speedKey({ provider, model, credentials }: Pick<Target, "provider" | "model" | "credentials">): string {
  const only = credentials.length === 1 ? credentials[0] : undefined;
  const place = only === undefined ? provider.name : `${provider.name}:${only.organizationId}:${only.name}`;
  return `${place}/${model}`;
}

/** The common key of requests that the route keeps together. */
function seedOf({ route, resolvedBy }: Choice, { demand, organizationId }: OrderParts): string | undefined {
  const sticky = route?.sticky ?? "session";
  const value =
    sticky === "session"
      ? demand.session
      : sticky === "user"
        ? demand.user
        : sticky === "none"
          ? undefined
          : demand.properties[sticky.slice("property:".length)];
  return value === undefined ? undefined : JSON.stringify([organizationId, resolvedBy, value]);
}

function nameOf(member: Member): string {
  if ("choice" in member) return member.choice.resolvedBy;
  return JSON.stringify([member.provider.name, member.model, member.settings?.model ?? null]);
}

const KEPT_MS = 3_600_000;
const KEPT_MAX = 50_000;

/** The target of each session, for an hour after its last request. In memory, per process. */
export class KeptChoices {
  readonly #chosen = new Map<string, { readonly name: string; readonly usedAt: number }>();

  get(seed: string, now: number): string | undefined {
    const found = this.#chosen.get(seed);
    if (found === undefined || now - found.usedAt >= KEPT_MS) return undefined;
    this.set(seed, found.name, now);
    return found.name;
  }

  set(seed: string, name: string, now: number): void {
    this.#chosen.delete(seed); // so that the map is in order of use
    if (this.#chosen.size >= KEPT_MAX) this.#chosen.delete(this.#chosen.keys().next().value!);
    this.#chosen.set(seed, { name, usedAt: now });
  }

  /** Read-only access to the choices, which does not extend their lifetime. */
  get unused(): Pick<KeptChoices, "get" | "set"> {
    return {
      get: (seed, now) => {
        const found = this.#chosen.get(seed);
        return found === undefined || now - found.usedAt >= KEPT_MS ? undefined : found.name;
      },
      set: () => undefined,
    };
  }
}
