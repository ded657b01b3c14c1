import type { NewDelivery } from "../store/deliveries/deliveries.ts";
import { deliverTests } from "../store/deliveries/test-deliveries.ts";
import type { Database } from "../store/store.ts";
import type { Invocation } from "./command.ts";
import { printJson } from "./print.ts";
import { CommandError } from "./usage-error.ts";

/** How long a test waits for the service. */
const TEST_MS = 20_000;

interface EndpointTests {
  readonly source: { readonly id: string; readonly organization_id: string };
  readonly tests: readonly Pick<NewDelivery, "endpoint_id" | "payload">[];
  /** The printed name of an endpoint. */
  readonly addressOf: (endpointId: string) => string;
}

/**
 * Lets the running service send tests, and prints the results.
 *
 * @returns the command's status: 1 if an endpoint did not accept its test.
 */
export async function testEndpoints(
  { options, terminal }: Invocation,
  records: Database,
  { source, tests, addressOf }: EndpointTests,
): Promise<number> {
  const tried = await deliverTests({ reader: records, writer: records }, source, tests, TEST_MS);
  if (tried.some(({ attempts }) => attempts === 0)) {
    throw new CommandError("no running service sent it in time; it is sent once one runs");
  }
  const rows = tried.map(({ id, endpoint_id, state, last_status, last_error }) => {
    return { id, to: addressOf(endpoint_id), state, last_status, last_error };
  });
  if (options["json"]) printJson(terminal, rows);
  else for (const { to, state, last_error } of rows) terminal.out(`${to}: ${last_error ?? state}\n`);
  return rows.every(({ state }) => state === "delivered") ? 0 : 1;
}
