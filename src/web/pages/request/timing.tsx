import { formatDuration } from "../../parts/format.ts";
import { Time } from "../../parts/values.tsx";
import type { RequestRecord } from "./record.ts";

interface Span {
  readonly label: string;
  readonly about: string;
  readonly tone: "wait" | "stream" | "whole";
  /** Milliseconds from the request's arrival. */
  readonly from: number;
  readonly to: number;
}

/** Known durations: the wait for the first token, and the stream after it. */
export function Timing({ record }: { readonly record: RequestRecord }) {
  const { delay_ms: whole, time_to_first_token: first, completion_tokens: tokens } = record;
  if (whole === null) return <p className="muted">The request is in flight.</p>;
  const spans = spansOf(whole, first);
  const streamed = first === null ? undefined : whole - first;
  const rate = streamed !== undefined && streamed > 0 && tokens !== null ? (tokens / streamed) * 1_000 : undefined;
  return (
    <div className="timing">
      <dl className="facts">
        <dt>Received</dt>
        <dd>
          <Time of={record.request_created_at} exact />
        </dd>
        <dt>Responded</dt>
        <dd>
          <Time of={record.response_created_at} exact />
        </dd>
        {rate === undefined ? null : (
          <>
            <dt>Speed</dt>
            <dd>{rate.toFixed(1)} tokens a second, after the first</dd>
          </>
        )}
      </dl>
      <ol className="waterfall">
        {spans.map((span) => (
          <li key={span.label}>
            <span className="waterfall-label" title={span.about}>
              {span.label}
            </span>
            <svg
              className="waterfall-bar"
              viewBox="0 0 100 10"
              preserveAspectRatio="none"
              role="img"
              aria-label={span.about}
            >
              <rect
                className={`bar-${span.tone}`}
                x={(span.from / Math.max(whole, 1e-9)) * 100}
                width={Math.max(0.4, ((span.to - span.from) / Math.max(whole, 1e-9)) * 100)}
                y="0"
                height="10"
                rx="0.6"
              />
            </svg>
            <span className="number">{formatDuration(span.to - span.from)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function spansOf(whole: number, first: number | null): Span[] {
  const all: Span = {
    label: "All",
    about: "From the first byte of the request to the last of the response",
    tone: "whole",
    from: 0,
    to: whole,
  };
  if (first === null) return [all];
  return [
    all,
    {
      label: "To first token",
      about: "Until the first byte of the response",
      tone: "wait",
      from: 0,
      to: Math.min(first, whole),
    },
    {
      label: "Stream",
      about: "From the first byte of the response to its last",
      tone: "stream",
      from: Math.min(first, whole),
      to: whole,
    },
  ];
}
