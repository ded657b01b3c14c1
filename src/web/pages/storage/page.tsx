import { useQuery } from "@tanstack/react-query";
import { get } from "../../api.ts";
import { ChartCard } from "../../charts/chart-card.tsx";
import { serviceNow } from "../../clock.ts";
import { BUCKET_MS, bucketTimes } from "../../metrics/range.ts";
import { useOpenRequests } from "../../metrics/use-open-requests.ts";
import { formatBytes, formatCompact } from "../../parts/format.ts";
import { Page } from "../../parts/page.tsx";
import { Failed } from "../../parts/states.tsx";
import { Tile } from "../../parts/tile.tsx";
import { Bytes, Count } from "../../parts/values.tsx";
import { Retention } from "./retention.tsx";
import { type Kept, type LastRun, STORAGE } from "./shapes.ts";

interface StorageView {
  readonly database_bytes: number | null;
  readonly bodies_bytes: number | null;
  /** A part of the bodies. */
  readonly search_bytes: number;
  readonly spool_bytes: number;
  readonly cache_bytes: number;
  readonly per_day: readonly { readonly day: string; readonly records: number; readonly bytes: number | null }[];
  /** Days in force. */
  readonly retention: Kept;
  readonly last_run: LastRun | null;
}

/** Days that the API tells of. */
const DAYS = 30;

export function StoragePage() {
  const { data, error, refetch } = useQuery({
    queryKey: STORAGE,
    queryFn: ({ signal }) => get<StorageView>("/v1/storage", signal),
    refetchInterval: 15_000,
  });
  return (
    <Page title="Storage" about="What is stored, how much room it takes, and how long it is kept.">
      {data === undefined && error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <dl className="tiles" aria-busy={data === undefined}>
            <Tile label="Records" value={<Bytes of={data?.database_bytes} />} note="database file" />
            <Tile
              label="Bodies"
              value={<Bytes of={data?.bodies_bytes} />}
              note={data?.bodies_bytes === null ? "part of the database" : "compressed, each once"}
            />
            <Tile label="Search index" value={<Bytes of={data?.search_bytes} />} note="part of the bodies" />
            <Tile label="Spool" value={<Bytes of={data?.spool_bytes} />} note="what is on its way into the database" />
            <Tile label="Cache" value={<Bytes of={data?.cache_bytes} />} note="kept answers" />
          </dl>
          <PerDay rows={data?.per_day} />
          <Retention inForce={data?.retention} lastRun={data?.last_run} />
        </>
      )}
    </Page>
  );
}

function PerDay({ rows }: { readonly rows: StorageView["per_day"] | undefined }) {
  const now = serviceNow();
  const span = { from: now - (DAYS - 1) * BUCKET_MS.day, to: now };
  const times = bucketTimes(span, "day");
  const { openBucket } = useOpenRequests({ from: times[0]!, to: now }, times, "day");
  const byDay = new Map(rows?.map((row) => [Date.parse(row.day), row]));
  const plot = (name: string, pick: (row: StorageView["per_day"][number]) => number | null) =>
    rows && [{ name, values: times.map((time) => (byDay.has(time) ? pick(byDay.get(time)!) : 0)) }];
  const bytes = plot("Bytes", (row) => row.bytes);
  const records = plot("Records", (row) => row.records);
  const shared = { times, bucket: "day", kind: "bars" } as const;
  return (
    <div className="chart-grid">
      <ChartCard
        title="Size per day"
        figure={<Bytes of={rows?.reduce((sum, row) => sum + (row.bytes ?? 0), 0)} />}
        plotted={bytes && { ...shared, format: formatBytes, isWhole: true, series: bytes }}
        onOpen={openBucket("all")}
        note="Bytes that passed with the records of each day, before compression."
      />
      <ChartCard
        title="Records per day"
        figure={<Count of={rows?.reduce((sum, row) => sum + row.records, 0)} />}
        plotted={records && { ...shared, format: formatCompact, isWhole: true, series: records }}
        onOpen={openBucket("all")}
      />
    </div>
  );
}
