import type { KeySnapshot } from "../../keys.ts";
import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { readModelString } from "../../routing/model-string.ts";
import { allows } from "../../routing/pattern.ts";
import { type Choice, resolve, type Scope, type Target } from "../../routing/resolve.ts";
import type { RoutingParts } from "../gateway-parts.ts";
import { providerNamed } from "./provider-named.ts";
import type { UnifiedAdmission } from "./unified-admission.ts";

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

/**
 * Resolves the names of a request, including its fallbacks.
 *
 * @throws GatewayError `model_not_found`, `no_credential`, `model_forbidden`.
 */
export function choicesOf(
  scope: Scope,
  model: string,
  more: readonly string[],
  fallbacks: UnifiedAdmission["fallbacks"],
): readonly Choice[] {
  const named = resolve(readModelString(model, more), scope);
  const further = fallbacks.flatMap(({ model: name, body, on }): Choice[] =>
    resolve(readModelString(name), scope).map((choice) => ({
      ...choice,
      members: choice.members.map((member) => ({
        ...member,
        settings: {
          model: name,
          weight: 1,
          when: undefined,
          timeoutSeconds: undefined,
          ...member.settings,
          body: { ...member.settings?.body, ...body },
          on: on ?? member.settings?.on,
        },
      })),
    })),
  );
  return [...named, ...further];
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
