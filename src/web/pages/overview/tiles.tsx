import { formatPercent } from "../../metrics/format.ts";
import type { CacheRow } from "../../metrics/queries.ts";
import { change, isComparable, type MetricsRow, share } from "../../metrics/series.ts";
import { Tile } from "../../parts/tile.tsx";
import { Count, Counted, Duration, Money } from "../../parts/values.tsx";
import { changesInWords } from "./changes.ts";

interface TilesProps {
  readonly totals: MetricsRow | undefined;
  /** Of the span of the same length before. */
  readonly before: MetricsRow | undefined;
  readonly cache: readonly CacheRow[] | undefined;
}

/** The metrics of the complete span, and their changes against the span before. */
export function Tiles({ totals, before: earlier, cache }: TilesProps) {
  const before = totals && earlier && isComparable(totals, earlier) ? earlier : undefined;
  const errorRate = totals?.error_rate ?? null;
  const errorsBefore = before?.error_rate ?? null;
  const hits = cache?.reduce((sum, row) => sum + row.hits, 0);
  const lookups = cache?.reduce((sum, row) => sum + row.hits + row.misses, 0);
  const saved = cache?.reduce((sum, row) => sum + row.saved_cost, 0);
  return (
    <dl className="tiles" aria-busy={totals === undefined}>
      <Tile
        label="Cost"
        value={<Money of={totals?.cost} />}
        delta={<Delta now={totals?.cost} before={before?.cost} />}
      />
      <Tile
        label="Requests"
        value={<Count of={totals?.requests} short />}
        delta={<Delta now={totals?.requests} before={before?.requests} />}
      />
      <Tile
        label="Tokens"
        value={<Count of={totals?.total_tokens} short />}
        note={
          totals && (
            <>
              <Count of={totals.prompt_tokens} short /> in, <Count of={totals.completion_tokens} short /> out
            </>
          )
        }
      />
      <Tile
        label="Latency, p95"
        value={<Duration of={totals?.latency_p95} />}
        delta={<Delta now={totals?.latency_p95} before={before?.latency_p95} worse="up" />}
        note={
          totals && (
            <>
              median <Duration of={totals.latency_p50} />
            </>
          )
        }
      />
      <Tile
        label="Error rate"
        value={formatPercent(errorRate)}
        delta={<Delta now={errorRate} before={errorsBefore} worse="up" />}
        note={
          totals && (
            <>
              <Counted of={totals.errors} one="error" />
              {totals.refused === 0 ? null : (
                <>
                  , <Count of={totals.refused} short /> refused
                </>
              )}
            </>
          )
        }
      />
      <Tile
        label="Saved by the cache"
        value={<Money of={saved} />}
        note={
          lookups === undefined || hits === undefined ? null : lookups === 0 ? (
            "not used"
          ) : (
            <>
              <Counted of={hits} one="hit" short />, {formatPercent(share(hits, lookups))}
            </>
          )
        }
      />
    </dl>
  );
}

/** The changes in words, if there are any. */
export function Changes({ totals, before }: Pick<TilesProps, "totals" | "before">) {
  if (totals === undefined || before === undefined) return null;
  return (
    <p className="changes">
      <strong>Compared with the period before:</strong> {changesInWords(totals, before).join(" ")}
    </p>
  );
}

interface DeltaProps {
  readonly now: number | null | undefined;
  readonly before: number | null | undefined;
  /** The bad direction of a change, if there is one. */
  readonly worse?: "up";
}

function Delta({ now, before, worse }: DeltaProps) {
  const by = change(now ?? null, before ?? null);
  if (by === null) return null;
  const isUp = by > 0;
  const isFlat = Math.abs(by) < 0.005;
  const tone = isFlat || worse === undefined ? "plain" : isUp ? "bad" : "good";
  return (
    <span className={`delta delta-${tone}`} title="compared with the period of the same length before">
      {isFlat ? "unchanged" : `${isUp ? "+" : "−"}${formatPercent(Math.round(Math.abs(by) * 1_000) / 1_000)}`}
      <span className="unseen"> compared with the period before</span>{" "}
    </span>
  );
}
