import { useQuery } from "@tanstack/react-query";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { Bytes, Counted, Time } from "../../parts/values.tsx";
import { useMissing } from "../../session.ts";
import { daysText } from "./removal.ts";
import { RetentionForm } from "./retention-form.tsx";
import { type Kept, type LastRun, RETENTION, type RetentionView } from "./shapes.ts";

interface RetentionProps {
  readonly inForce: Kept | undefined;
  readonly lastRun: LastRun | null | undefined;
}

/** How long records and bodies are kept; only admins can read and change the rules. */
export function Retention({ inForce, lastRun }: RetentionProps) {
  const missing = useMissing("admin");
  const { data, error, refetch } = useQuery({
    queryKey: RETENTION,
    queryFn: ({ signal }) => get<RetentionView>("/v1/retention", signal),
    enabled: missing === undefined,
  });
  return (
    <section className="panel" aria-label="Retention">
      <header className="panel-head">
        <h2>Retention</h2>
        <ConfirmButton
          scope="admin"
          label="Run retention now"
          title="Run retention now?"
          action="Remove"
          danger
          run={() => call("POST", "/v1/retention/run")}
        >
          Everything older than the days below is removed permanently, in small steps that do not disturb traffic. This
          also happens every night.
        </ConfirmButton>
      </header>
      <div className="panel-body stack">
        {inForce === undefined ? (
          <Loading rows={2} />
        ) : (
          <dl className="facts">
            <dt>Records are kept</dt>
            <dd>{daysText(inForce.days)}</dd>
            <dt>Bodies are kept</dt>
            <dd>{daysText(inForce.body_days)}</dd>
            <dt>Last run</dt>
            <dd>{lastRun == null ? <span className="muted">none yet</span> : <Run run={lastRun} />}</dd>
          </dl>
        )}
        {missing !== undefined ? (
          <p className="muted">{missing}</p>
        ) : error !== null ? (
          <Failed error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading rows={3} />
        ) : (
          <RetentionForm key={JSON.stringify(data.properties)} view={data} />
        )}
      </div>
    </section>
  );
}

function Run({ run }: { readonly run: LastRun }) {
  return (
    <>
      <Time of={run.started_at} />: <Counted of={run.records_removed} one="record" /> and{" "}
      <Counted of={run.bodies_removed} one="body" many="bodies" /> removed, <Bytes of={run.bytes_freed} /> freed
      {run.error === null ? null : <span className="trouble"> {run.error}</span>}
    </>
  );
}
