import { FIRST_ORGANIZATION } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import type { Invocation } from "./commands.ts";
import { regionConfig } from "./region.ts";
import { CommandError } from "./usage.ts";
import { withRecords, withStore } from "./with-store.ts";

/** Works with the databases of the region asked for, for the organization asked for; beside a running service as well. */
export async function withOrganization<T>(
  invocation: Pick<Invocation, "config" | "options">,
  work: (store: Store, organizationId: string) => Promise<T>,
): Promise<T> {
  const name = invocation.options["org"]?.toString() ?? FIRST_ORGANIZATION;
  const [found] = await withRecords(invocation.config, (records) =>
    records.query<{ id: string }>({ sql: "select id from organizations where name = ?", args: [name] }),
  );
  if (found === undefined) throw new CommandError(`there is no organization ${name}`);
  return withStore(regionConfig(invocation), (store) => work(store, found.id));
}
