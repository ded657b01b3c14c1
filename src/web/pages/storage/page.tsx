import { useQuery } from "@tanstack/react-query";
import { get } from "../../api.ts";
import { ChartCard } from "../../charts/chart-card.tsx";
import { serviceNow } from "../../clock.ts";
import { BUCKET_MS, bucketTimes } from "../../metrics/range.ts";
import { useOpenRequests } from "../../metrics/use-open-requests.ts";
import { formatBytes, formatCompact } from "../../parts/format.ts";
import { Page } from "../../parts/page.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { Tile } from "../../parts/tile.tsx";
import { Bytes, Count, Counted } from "../../parts/values.tsx";
import { Parts } from "./parts.tsx";
import { Retention } from "./retention.tsx";
import { STORAGE, type StorageView } from "./shapes.ts";

/** Days that the API reports. */
const DAYS = 30;

export function StoragePage() {
  const { data, error, refetch } = useQuery({
    queryKey: STORAGE,
    queryFn: ({ signal }) => get<StorageView>("/v1/storage", signal),
    refetchInterval: 15_000,
  });
  return (
    <Page title="Storage" about="What is stored, how much space it takes, and how long it is kept.">
      {data === undefined && error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Tiles view={data} />
          {data === undefined ? <Loading rows={4} /> : <Parts view={data} />}
          <PerDay rows={data?.per_day} />
          <Retention inForce={data?.retention} lastRun={data?.last_run} />
        </>
      )}
    </Page>
  );
}

/** On the first days the database files have a size of their own, beside which few bytes were sent. */
const RATIO_MAX = 10;
/** Longer forecasts are not useful. */
const DAYS_LEFT_MAX = 3_650;

function Tiles({ view }: { readonly view: StorageView | undefined }) {
  const { ratio, days_left: daysLeft } = view ?? {};
  const uncounted = view?.records_uncounted ?? 0;
  return (
    <dl className="tiles" aria-busy={view === undefined}>
      <Tile
        label="Sent"
        value={<Bytes of={view?.sent_bytes} />}
        note={
          uncounted > 0 ? (
            <>
              <Count of={uncounted} short /> records are still counted
            </>
          ) : (
            <>
              bodies of <Counted of={view?.records} one="record" short />
            </>
          )
        }
      />
      <Tile
        label="Stored"
        value={<Bytes of={view?.stored_bytes} />}
        note={
          ratio == null || ratio > RATIO_MAX
            ? "database files"
            : `database files; ${formatRatio(ratio)} for each byte sent`
        }
      />
      <Tile
        label="Growth a day"
        value={<Bytes of={view?.growth_bytes_per_day} />}
        note="on average of seven days, before retention"
      />
      <Tile
        label="Disk"
        value={
          daysLeft == null ? (
            <Bytes of={view?.disk_free_bytes} />
          ) : daysLeft > DAYS_LEFT_MAX ? (
            "over 10 years"
          ) : (
            <Counted of={daysLeft} one="day" short />
          )
        }
        note={
          daysLeft == null ? (
            "free"
          ) : (
            <>
              left at this rate; <Bytes of={view?.disk_free_bytes} /> free
            </>
          )
        }
      />
    </dl>
  );
}

/** `0.024`, or `3.7`: two digits are enough. */
const formatRatio = (ratio: number) => Number(ratio.toPrecision(2)).toString();

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
