import { GatewayError } from "../../../errors.ts";
import { within } from "../../../runtime/within.ts";
import type { RecorderFunctions } from "../../../threads.ts";

/** The gateway's queries of the records: the recorder's thread reads them, including those of exchanges that have just ended. */
export type Recorded = Pick<RecorderFunctions, "responseOf" | "turnsBefore" | "itemsOf" | "callStates">;

/** For a gateway without a recorder: nothing is recorded. */
export const NOTHING_RECORDED: Recorded = {
  responseOf: async () => undefined,
  turnsBefore: async () => undefined,
  itemsOf: async () => undefined,
  callStates: async () => ({}),
};

/** How long a request waits for data that only the records hold. */
const WAIT_MS = 5_000;

/** @throws GatewayError `database_unavailable` if the records cannot be read now. */
export async function inTime<T>(call: Promise<T>, limitMs = WAIT_MS): Promise<T> {
  const late = () => {
    throw new GatewayError("database_unavailable");
  };
  try {
    return await within<T, never>(call, limitMs, late);
  } catch (error) {
    throw error instanceof GatewayError ? error : new GatewayError("database_unavailable", undefined, { cause: error });
  }
}
