import type { KeySnapshot } from "../../../keys.ts";
import type { ProviderPlugin } from "../../../plugin-host/contract.ts";
import { readModelString } from "../../../routing/model-string.ts";
import { allows } from "../../../routing/pattern.ts";
import { type Choice, resolveSome, type Target } from "../../../routing/resolve.ts";
import type { Scope } from "../../../routing/scope.ts";
import type { RoutingParts } from "../../gateway-parts.ts";
import type { UnifiedFallback } from "../admission/fallbacks.ts";
import { providerNamed } from "../admission/provider-named.ts";
import type { UnifiedAdmission } from "../admission/unified-admission.ts";

/** What a key may use now. */
export function scopeOf(
  parts: RoutingParts,
  key: Pick<KeySnapshot, "organizationId" | "models" | "credentials">,
  unified: Pick<UnifiedAdmission, "own" | "provider">,
): Scope {
  const { credentials, routes } = parts.unified.tables();
  const { organizationId } = key;
  const mayUse = (name: string) =>
    key.credentials === null || (key.credentials.length > 0 && allows(key.credentials, name));
  return {
    routes: routes.filter((route) => route.organizationId === undefined || route.organizationId === organizationId),
    credentials: credentials.filter(
      (each) =>
        each.enabled &&
        (each.shared || each.organizationId === "" || each.organizationId === organizationId) &&
        mayUse(each.name),
    ),
    someCredentials: key.credentials !== null,
    providerByName: (name) => providerNamed(parts.providers(), name),
    models: parts.unified.catalog,
    // An empty list of the key allows nothing; an empty list here allows everything.
    allowed: key.models === null ? [] : key.models.length === 0 ? ["!*"] : key.models,
    hasOwnKey: (provider) => unified.own.mayServe(provider),
    defaultProvider: unified.provider,
  };
}

/** The choices of `Gateway-Fallbacks`, and the paths of entries without a target. */
interface FallbackChoices {
  readonly choices: readonly Choice[];
  readonly dropped: readonly string[];
}

/**
 * Resolves `Gateway-Fallbacks`. An entry without a target is left out, because the request may not need it.
 *
 * @throws GatewayError `model_not_found`, `no_credential`, `model_forbidden` if losses are to be refused.
 */
export function fallbackChoices(
  scope: Scope,
  { fallbacks, refuseLosses }: Pick<UnifiedAdmission, "fallbacks" | "refuseLosses">,
): FallbackChoices {
  const dropped: string[] = [];
  const choices = fallbacks.flatMap((fallback, at): Choice[] => {
    const { choices: found, failure } = resolveSome(readModelString(fallback.model), scope);
    if (failure !== undefined && refuseLosses) throw failure();
    if (found.length === 0) dropped.push(`Gateway-Fallbacks[${at}]`);
    return found.map((choice) => withSettings(choice, fallback));
  });
  return { choices, dropped };
}

function withSettings(choice: Choice, { model, body, on }: UnifiedFallback): Choice {
  const members = choice.members.map((member) => ({
    ...member,
    settings: {
      model,
      weight: 1,
      when: undefined,
      timeoutSeconds: undefined,
      ...member.settings,
      body: { ...member.settings?.body, ...body },
      on: on ?? member.settings?.on,
    },
  }));
  return { ...choice, members };
}

/** The provider of the first target: a client's own key without a provider's name is for it. */
export function firstProvider(choices: readonly Choice[]): ProviderPlugin | undefined {
  const first = choices[0]?.members[0];
  return first === undefined
    ? undefined
    : "choice" in first
      ? firstProvider([first.choice])
      : (first as Target).provider;
}
