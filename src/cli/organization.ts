import type { Config } from "../config.ts";
import { FIRST_ORGANIZATION, organizationNamed } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { Invocation } from "./command.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage.ts";
import { withRecords, withStore } from "./with-store.ts";

/** Works with the databases of the region asked for, for the organization asked for; beside a running service as well. */
export async function withOrganization<T>(
  invocation: Pick<Invocation, "config" | "options">,
  work: (store: Store, organizationId: string) => Promise<T>,
): Promise<T> {
  const id = await organizationId(invocation.config, invocation.options["org"]?.toString() ?? FIRST_ORGANIZATION);
  return withStore(regionConfig(invocation), (store) => work(store, id));
}

/** @throws CommandError where there is no organization of that name. */
export async function organizationId(config: Config, name: string): Promise<string> {
  const id = await withRecords(config, (records) => organizationNamed(records, name));
  if (id === undefined) throw new CommandError(`there is no organization ${name}; \`weir keys list\` shows them`);
  return id;
}
