import type { RequestUsage } from "../plugin-host/contract.ts";
import type { Database } from "./store.ts";

const IDS_PER_QUERY = 200;

/** What these exchanges used, of those that have ended. */
export async function usageOf(records: Database, requestIds: readonly string[]): Promise<RequestUsage[]> {
  const found: RequestUsage[] = [];
  for (let from = 0; from < requestIds.length; from += IDS_PER_QUERY) {
    const ids = requestIds.slice(from, from + IDS_PER_QUERY);
    found.push(
      ...(await records.query<RequestUsage>({
        // One text whatever the number of ids: statements are kept by their text.
        sql: `select request_id as requestId, cost, total_tokens as totalTokens from requests
          where request_id in (select value from json_each(?)) and response_status is not null`,
        args: [JSON.stringify(ids)],
      })),
    );
  }
  return found;
}
