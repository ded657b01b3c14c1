import { checked } from "../checked.ts";
import { GatewayError } from "../errors.ts";
import type { Need, Route, RouteCondition, RouteTarget } from "./route.ts";
import { MODEL, PROPERTY, ROUTE_SCHEMA, TARGET_SCHEMA, TEXTS, WHEN_SCHEMA } from "./route-schema.ts";

/** Maximum depth of routes: the requested one, and two below it. */
const DEPTH_MAX = 3;
/** No control characters, commas and spaces: names appear in lists and in messages. */
const NAME = /^(?!!)[^\s,\p{Cc}]{1,100}$/u;

/** A route without its place. */
export type RouteTerms = Omit<Route, "name" | "organizationId" | "source">;

/**
 * Checks a route from the API, `weir.toml` or the command line.
 *
 * @param others - the routes that its targets may name: those of the organization and of `weir.toml`.
 * @throws GatewayError `invalid_body` that names the wrong member, such as `targets.1.on.0`.
 */
export function readRoute(name: string, body: unknown, others: readonly Pick<Route, "name" | "targets">[]): RouteTerms {
  checkRouteName(name);
  const { targets, strategy, sticky, retries, timeout_seconds, description } = checked(
    ROUTE_SCHEMA,
    withoutNulls(body),
  );
  const terms: RouteTerms = {
    targets: targets.map((target, at) => readTarget(target, `targets.${at}`, name)),
    strategy: (strategy ?? "order") as Route["strategy"],
    sticky: (sticky ?? "session") as Route["sticky"],
    retries: retries ?? 0,
    timeoutSeconds: timeout_seconds,
    description,
  };
  if (terms.strategy === "weighted" && terms.targets.every(({ weight }) => weight === 0))
    throw wrong("targets", "with the strategy weighted a target needs a weight above 0");
  refuseCircles(name, terms.targets, others);
  return terms;
}

function checkRouteName(name: string): void {
  if (!NAME.test(name)) throw wrong("name", "give 1 to 100 characters without comma, space and leading !");
  if (name.split("*").length > 2) throw wrong("name", "a name has at most one *");
}

function readTarget(value: unknown, at: string, routeName: string): RouteTarget {
  const target = checked(TARGET_SCHEMA, typeof value === "string" ? { model: value } : withoutNulls(value), at);
  const { model, weight = 1, body, on, when, timeout_seconds } = target;
  const path = typeof value === "string" ? at : `${at}.model`;
  if (!/^(?!!)[^\s,\p{Cc}]+$/u.test(model)) throw wrong(path, MODEL.expects);
  const stars = model.split("*").length - 1;
  if (stars > 1) throw wrong(path, "a target has at most one *");
  if (stars === 1 && !routeName.includes("*"))
    throw wrong(path, `the * of a target stands for that of the route's name, and ${routeName} has none`);
  return {
    model,
    weight,
    body,
    on: on as RouteTarget["on"],
    when: when === undefined ? undefined : readCondition(when, `${at}.when`),
    timeoutSeconds: timeout_seconds,
  };
}

function readCondition(value: Readonly<Record<string, unknown>>, at: string): RouteCondition {
  const isProperty = ([member]: readonly [string, unknown]) =>
    member.startsWith(PROPERTY) && member.length > PROPERTY.length;
  const entries = Object.entries(value);
  const plain = checked(WHEN_SCHEMA, Object.fromEntries(entries.filter((each) => !isProperty(each))), at);
  const properties = entries.filter(isProperty).map(([member, texts]) => {
    return [member.slice(PROPERTY.length), asList(checked(TEXTS, texts, `${at}.${member}`))] as const;
  });
  const { key, user, needs, max_input_tokens, min_input_tokens } = plain;
  if (max_input_tokens !== undefined && min_input_tokens !== undefined && min_input_tokens > max_input_tokens)
    throw wrong(`${at}.min_input_tokens`, "it is more than max_input_tokens, so that the target is never considered");
  return {
    ...(key !== undefined && { key: asList(key) }),
    ...(user !== undefined && { user: asList(user) }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(needs !== undefined && { needs: needs as Need[] }),
    ...(max_input_tokens !== undefined && { maxInputTokens: max_input_tokens }),
    ...(min_input_tokens !== undefined && { minInputTokens: min_input_tokens }),
  };
}

const asList = (texts: string | string[]): string[] => (typeof texts === "string" ? [texts] : texts);

/** A null member counts as omitted. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Refuses cycles and too deep nesting. A target names another route by its exact name. */
function refuseCircles(
  name: string,
  targets: readonly RouteTarget[],
  others: readonly Pick<Route, "name" | "targets">[],
): void {
  const known = new Map(others.map((route) => [route.name, route.targets]));
  known.set(name, targets);
  for (const [at, target] of targets.entries()) {
    const why = whyWrong(routeNameOf(target), [name], name, known);
    if (why !== undefined) throw wrong(`targets.${at}`, why);
  }
  // Routes that name this one may become too deep.
  for (const other of others) {
    const why = other.name === name ? undefined : whyWrong(other.name, [], name, known);
    if (why !== undefined) throw wrong("targets", why);
  }
}

/** @param changed - the route to check: errors that do not involve it are ignored. */
function whyWrong(
  name: string,
  path: readonly string[],
  changed: string,
  known: ReadonlyMap<string, readonly RouteTarget[]>,
): string | undefined {
  const targets = known.get(name);
  if (targets === undefined) return undefined;
  const way = [...path, name];
  const isNamed = way.includes(changed);
  if (path.includes(name)) {
    const hint = path.length === 1 ? "; name the provider, as in openai/gpt-5, if you mean a model" : "";
    return isNamed ? `the routes form a cycle: ${way.join(" → ")}${hint}` : undefined;
  }
  if (way.length > DEPTH_MAX)
    return isNamed ? `routes may be nested ${DEPTH_MAX} deep, and this is deeper: ${way.join(" → ")}` : undefined;
  for (const target of targets) {
    const why = whyWrong(routeNameOf(target), way, changed, known);
    if (why !== undefined) return why;
  }
  return undefined;
}

function routeNameOf({ model }: RouteTarget): string {
  return model.replace(/:(floor|nitro)$/, "");
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}
