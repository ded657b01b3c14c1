import type { RequestUsage } from "../plugin-host/contract.ts";
import { within } from "../runtime/within.ts";
import type { Region } from "./region.ts";

/** How long a request waits for the check that its id is free. */
const CLAIM_MS = 3_000;

type Recorders = readonly Pick<Region, "recorder">[];

/** Claims an id that a client chose in every region of this process, so that an id names one request. @returns whether it is free. */
export function claimInAllRegions(regions: Recorders): (id: string) => Promise<boolean> {
  const askers = regions.map(({ recorder }) => recorder.forward(["claimId"]).claimId);
  return async (id) => {
    // A database that does not respond must not block the request.
    const results = await Promise.allSettled(askers.map((ask) => within(ask(id), CLAIM_MS, noResult)));
    if (results.some((result) => result.status === "fulfilled" && !result.value)) return false;
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return true;
  };
}

function noResult(): never {
  throw new Error(`no response within ${CLAIM_MS} ms`);
}

/** The usage of requests in any region: limits count all regions together. */
export function usageInAll(regions: Recorders): (requestIds: readonly string[]) => Promise<readonly RequestUsage[]> {
  const askers = regions.map(({ recorder }) => recorder.forward(["usageOf"]).usageOf);
  return async (requestIds) => {
    const results = await Promise.allSettled(askers.map((ask) => ask(requestIds)));
    const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const failed = results.find((result) => result.status === "rejected");
    // A missing request may be in the other region, which does not respond now.
    if (failed !== undefined && found.length < requestIds.length) throw failed.reason;
    return found;
  };
}
