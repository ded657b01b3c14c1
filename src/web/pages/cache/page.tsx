import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CacheStatistics } from "../../../engine/aggregates.ts";
import { get } from "../../api.ts";
import { CacheCharts } from "../../charts/cache-charts.tsx";
import { within } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { cacheSeriesQuery } from "../../metrics/queries.ts";
import { bucketOf, bucketTimes, isoSpan, type Span } from "../../metrics/range.ts";
import { useOpenRequests } from "../../metrics/use-open-requests.ts";
import { useSpan } from "../../metrics/use-span.ts";
import { formatBytes } from "../../parts/format.ts";
import { Meter } from "../../parts/meter.tsx";
import { Page } from "../../parts/page.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { Tile } from "../../parts/tile.tsx";
import { TimeRangeMenu } from "../../parts/time-range-menu.tsx";
import { Bytes, Count, Counted, Money } from "../../parts/values.tsx";
import { Entries } from "./entries.tsx";
import { PurgeButton } from "./purge-button.tsx";
import { CACHE } from "./shapes.ts";

const FALLBACK = "7d";

interface CacheView extends CacheStatistics {
  readonly hit_rate: number | null;
  readonly entries: number;
  readonly bytes: number;
  readonly max_bytes: number;
}

export function CachePage() {
  const search = useSearch({ from: "/cache" });
  const navigate = useNavigate({ from: "/cache" });
  const { page, q: _q, sort: _sort, ...time } = search;
  const span = useSpan(time, FALLBACK);
  const { data, error, refetch } = useQuery({
    queryKey: [...CACHE, "now"],
    queryFn: ({ signal }) => get<CacheView>("/v1/cache", signal),
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Cache"
      about="Responses that are repeated without a call to the provider, for requests that ask for it."
      actions={
        <>
          <TimeRangeMenu value={time} fallback={FALLBACK} onChange={(next) => void navigate({ search: next })} />
          <PurgeButton />
        </>
      }
    >
      {data === undefined && error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <Stats view={data} />
      )}
      {span === undefined ? (
        <Loading />
      ) : (
        <Series span={span} onZoom={(part) => void navigate({ search: isoSpan(part) })} />
      )}
      <Entries page={page ?? 1} onPage={(next) => void navigate({ search: { ...search, page: next } })} />
    </Page>
  );
}

function Stats({ view }: { readonly view: CacheView | undefined }) {
  const room = view === undefined ? "" : `${formatBytes(view.bytes)} of ${formatBytes(view.max_bytes)}`;
  return (
    <dl className="tiles" aria-busy={view === undefined}>
      <Tile
        label="Hit rate, of all time"
        value={formatPercent(view?.hit_rate)}
        note={
          <>
            <Counted of={view?.hits} one="hit" short />, <Counted of={view?.misses} one="miss" many="misses" short />
          </>
        }
      />
      <Tile
        label="Saved, of all time"
        value={<Money of={view?.saved_cost} />}
        note={<Counted of={view?.saved_tokens} one="token" short />}
      />
      <Tile label="Cached responses" value={<Count of={view?.entries} />} />
      <Tile
        label="Disk used"
        value={<Bytes of={view?.bytes} />}
        note={
          view === undefined ? null : <Meter label="Disk used" value={view.bytes} max={view.max_bytes} text={room} />
        }
      />
    </dl>
  );
}

function Series({ span, onZoom }: { readonly span: Span; readonly onZoom: (part: Span) => void }) {
  const bucket = bucketOf(span);
  const times = bucketTimes(span, bucket);
  const { data, error, refetch } = useQuery(cacheSeriesQuery(within(span), bucket, `all ${span.to - span.from}`));
  const { openBucket } = useOpenRequests(span, times, bucket);
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <div className="chart-grid">
      <CacheCharts times={times} bucket={bucket} rows={data} openOf={openBucket} onZoom={onZoom} />
    </div>
  );
}
