import { type ConfiguredCredential, configuredCredentials } from "../../credentials/configured.ts";
import { knownProviders } from "../../credentials/form.ts";
import { shownConfigured, shownCredential, shownLent } from "../../credentials/shown.ts";
import { listCredentials } from "../../store/credentials/credentials.ts";
import type { ApiContext } from "../context.ts";

/** The credentials that an organization may use, as the API shows them: of the configuration, its own, and shared ones. */
export async function listedCredentials(context: ApiContext, organizationId: string) {
  const { records } = context.home.reader;
  const [all, lockedIds] = await Promise.all([listCredentials(records), context.gateway.lockedCredentials()]);
  const locked = new Set(lockedIds);
  const own = all.filter((each) => each.organization_id === organizationId);
  const lent = all.filter((each) => each.organization_id !== organizationId && each.terms.shared);
  return [
    ...(await configured(context)).map(shownConfigured),
    ...own.map((each) => shownCredential(each, locked.has(each.id))),
    ...lent.map((each) => shownLent(each, locked.has(each.id))),
  ];
}

async function configured(context: ApiContext): Promise<readonly ConfiguredCredential[]> {
  const { config } = context.home;
  if (Object.keys(config.credentials).length === 0) return [];
  return configuredCredentials(config, { providers: await providersOf(context), refuseUrl: () => undefined });
}

/** The providers in use, for reading credentials. */
export async function providersOf(context: ApiContext) {
  const files = await context.gateway.providers();
  return knownProviders(files.flatMap(({ name, ...view }) => (name === null ? [] : [{ ...view, name }])));
}
