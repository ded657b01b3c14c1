import type { Deadline } from "../../../store/database/deadline.ts";
import type { DaySum, StorageSums } from "../../../store/sizes/sums.ts";
import type { ReaderOptions } from "../records.ts";

const DAY_MS = 86_400_000;

/** Stored records and bytes by day, for all organizations. A request that ends at this moment may be counted twice. */
export async function storageSums(
  { client, hasOpenRows }: Pick<ReaderOptions, "client" | "hasOpenRows">,
  deadline: Deadline,
): Promise<StorageSums> {
  const rows = [
    "select organization_id, request_created_at, size_bytes from requests",
    ...(hasOpenRows ? ["select organization_id, request_created_at, 0 from open final where is_ended = 0"] : []),
  ];
  const days = await client.query<DaySum>(
    `select intDiv(request_created_at, ${DAY_MS}) as day, organization_id, toInt64(count()) as records,
      sum(size_bytes) as bytes from (${rows.join(" union all ")}) group by day, organization_id`,
    deadline.rest(),
  );
  return { days, uncounted: 0 };
}
