import type { Config } from "../config.ts";
import { FIRST_ORGANIZATION, organizationNamed } from "../store/people/organization-names.ts";
import type { Store } from "../store/store.ts";
import type { Invocation } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage-error.ts";
import { withRecords, withStore } from "./with-store.ts";

/** Runs with the databases of the selected region and organization; also beside a running service. */
export async function withOrganization<T>(
  invocation: Pick<Invocation, "config" | "options">,
  work: (store: Store, organizationId: string) => Promise<T>,
): Promise<T> {
  const id = await organizationId(invocation.config, invocation.options["org"]?.toString() ?? FIRST_ORGANIZATION);
  return withStore(regionConfig(invocation), (store) => work(store, id));
}

/** @throws CommandError if there is no organization with that name. */
export async function organizationId(config: Config, name: string): Promise<string> {
  const id = await withRecords(config, (records) => organizationNamed(records, name));
  if (id === undefined)
    throw new CommandError(`there is no organization ${name}; \`weir organizations list\` shows them`);
  return id;
}
