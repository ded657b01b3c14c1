import type { RouteTerms } from "./read-route.ts";
import type { RouteCondition, RouteTarget } from "./route.ts";
import { PROPERTY, type RouteBody } from "./route-schema.ts";

/** A route as the API shows it: the body that would create it. */
export function shownRoute(route: RouteTerms): RouteBody {
  const { targets, strategy, sticky, retries, timeoutSeconds, description } = route;
  return {
    targets: targets.map(shownTarget),
    strategy,
    sticky,
    retries,
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    ...(description !== undefined && { description }),
  };
}

function shownTarget({ model, weight, body, on, when, timeoutSeconds }: RouteTarget) {
  return {
    model,
    weight,
    ...(body !== undefined && { body }),
    ...(on !== undefined && { on }),
    ...(when !== undefined && { when: shownCondition(when) }),
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
  };
}

function shownCondition({ key, user, properties = {}, needs, maxInputTokens, minInputTokens }: RouteCondition) {
  return {
    ...(key !== undefined && { key }),
    ...(user !== undefined && { user }),
    ...Object.fromEntries(Object.entries(properties).map(([name, texts]) => [`${PROPERTY}${name}`, texts])),
    ...(needs !== undefined && { needs }),
    ...(maxInputTokens !== undefined && { max_input_tokens: maxInputTokens }),
    ...(minInputTokens !== undefined && { min_input_tokens: minInputTokens }),
  };
}
