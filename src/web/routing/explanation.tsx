import type { ExplainedTarget, RouteExplanation } from "../../threads/gateway.ts";
import { Badge, type Tone } from "../parts/badge.tsx";
import { Code } from "../parts/code.tsx";
import { Money, Time } from "../parts/values.tsx";

/** The targets of a request, in the order in which they would be called. */
export function Explanation({ of: { resolved_by, targets } }: { readonly of: RouteExplanation }) {
  return (
    <section aria-label="Explanation" className="explanation">
      <p className="muted">
        Resolved by {resolved_by}.{" "}
        {targets.length === 1 ? "There is one target." : `${targets.length} targets, in order.`}
      </p>
      <ol className="targets">
        {targets.map((target, at) => (
          <Target key={at} target={target} place={at + 1} />
        ))}
      </ol>
    </section>
  );
}

function Target({ target, place }: { readonly target: ExplainedTarget; readonly place: number }) {
  const { provider, model, credential, shape, same_shape, url, estimated_cost, state, skipped, reason } = target;
  const facts: readonly (readonly [string, string | null])[] = [
    ["Credential", credential],
    ["Sent as", shape === null ? null : `${shape}, ${same_shape ? "unchanged" : "translated"}`],
    ["Address", url],
    ["Chosen by", reason],
    ["Dropped", target.dropped.join(", ")],
    ["Approximated", target.approximated.join(", ")],
    ["Refused", target.refused.join(", ")],
  ];
  return (
    <li className="panel target" data-skipped={skipped !== null}>
      <header className="target-head">
        <span className="target-place">{place}</span>
        <strong>
          {provider} <code>{model}</code>
        </strong>
        <State of={state} />
        {skipped === null ? null : <Badge tone="plain">skipped</Badge>}
        <span className="target-cost" title="Estimated cost">
          <Money of={estimated_cost} />
        </span>
      </header>
      {skipped === null ? null : <p className="target-why">Skipped: {skipped}</p>}
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== null && value !== "")
          .map(([label, value]) => (
            <div key={label} className="fact">
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {target.request === null ? null : (
        <details>
          <summary>The provider's request</summary>
          <Code label="Body" text={JSON.stringify(target.request, undefined, 2)} />
        </details>
      )}
    </li>
  );
}

const RESTING = "resting until ";
const TONES: Readonly<Record<string, Tone>> = { ready: "good", locked: "bad" };

/** `ready`, `resting until <time>`, `limit spent` or `locked`; an unknown state is shown unchanged. */
function State({ of }: { readonly of: string }) {
  const until = of.startsWith(RESTING) ? of.slice(RESTING.length) : undefined;
  return (
    <Badge tone={TONES[of] ?? "warn"}>
      {until === undefined ? (
        of
      ) : (
        <>
          resting until <Time of={until} />
        </>
      )}
    </Badge>
  );
}
