import type { RequestUsage } from "../../../plugin-host/contract.ts";
import type { Database } from "../../../store/store.ts";

const IDS_PER_QUERY = 200;

/** Cost and tokens of these exchanges; those in flight are left out. */
export async function usageOf(records: Database, requestIds: readonly string[]): Promise<RequestUsage[]> {
  const found: RequestUsage[] = [];
  for (let from = 0; from < requestIds.length; from += IDS_PER_QUERY) {
    const ids = requestIds.slice(from, from + IDS_PER_QUERY);
    found.push(
      ...(await records.query<RequestUsage>({
        // The SQL text is the same for any number of ids, because statements are cached by text.
        sql: `select request_id as requestId, cost, total_tokens as totalTokens from requests
          where request_id in (select value from json_each(?)) and response_status is not null`,
        args: [JSON.stringify(ids)],
      })),
    );
  }
  return found;
}
