import { useMutation, useQuery } from "@tanstack/react-query";
import { call, get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Trouble } from "../../parts/confirm-button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { Count, Time } from "../../parts/values.tsx";
import { Decide } from "./decide.tsx";
import type { DomainState } from "./search.ts";
import { DOMAINS, type DomainRow, TONES } from "./shapes.ts";

interface DomainView extends DomainRow {
  readonly company: string | null;
  readonly requested_at?: string | null;
  /** Set while the owner must still prove ownership. */
  readonly txt_name?: string;
  readonly txt_value?: string;
  readonly history: readonly {
    readonly at: string;
    readonly from: DomainState;
    readonly to: DomainState;
    readonly by: string;
  }[];
}

/** One domain: its state, who requested it, how to prove ownership, and the decisions so far. */
export function DomainDialog({ domain, onClose }: { readonly domain: string; readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...DOMAINS, domain],
    queryFn: ({ signal }) => get<DomainView>(`/v1/domains/${encodeURIComponent(domain)}`, signal),
  });
  return (
    <Dialog title={domain} onClose={onClose}>
      {data === undefined ? (
        error === null ? (
          <Loading rows={4} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <>
          <dl className="facts">
            <dt>State</dt>
            <dd>
              <Badge tone={TONES[data.state]}>{data.state}</Badge>
            </dd>
            <dt>Requests today</dt>
            <dd>
              <Count of={data.requests_today} />
              {data.remaining_today === null ? null : (
                <>
                  {" "}
                  (<Count of={data.remaining_today} /> left until <Time of={data.resets_at} />)
                </>
              )}
            </dd>
            {data.company === null ? null : (
              <>
                <dt>Company</dt>
                <dd>{data.company}</dd>
              </>
            )}
          </dl>
          {data.txt_name === undefined || data.txt_value === undefined ? null : (
            <Proof domain={domain} name={data.txt_name} value={data.txt_value} />
          )}
          <History history={data.history} />
          <Decide row={data} className="" />
        </>
      )}
    </Dialog>
  );
}

interface ProofProps {
  readonly domain: string;
  readonly name: string;
  readonly value: string;
}

function Proof({ domain, name, value }: ProofProps) {
  const work = useMutation({ mutationFn: () => call("POST", `/v1/domains/${encodeURIComponent(domain)}/verify`) });
  return (
    <section className="proof" aria-label="Prove that the domain is yours">
      <h3>Prove that the domain is yours</h3>
      <p className="muted">Set this TXT record, then verify it.</p>
      <dl className="facts">
        <dt>Name</dt>
        <dd>
          <code>{name}</code> <CopyButton text={name} label="Copy name" />
        </dd>
        <dt>Value</dt>
        <dd>
          <code>{value}</code> <CopyButton text={value} label="Copy value" />
        </dd>
      </dl>
      <Trouble error={work.error} />
      <div className="form-actions">
        <GatedButton scope="write" className="primary" disabled={work.isPending} onClick={() => work.mutate()}>
          {work.isPending ? "Looking it up…" : "Verify"}
        </GatedButton>
      </div>
    </section>
  );
}

function History({ history }: Pick<DomainView, "history">) {
  if (history.length === 0) return <p className="muted">No decision yet.</p>;
  return (
    <ol className="history" aria-label="History">
      {history.toReversed().map(({ at, from, to, by }) => (
        <li key={`${at} ${to}`}>
          <Time of={at} /> <Badge tone={TONES[from]}>{from}</Badge> → <Badge tone={TONES[to]}>{to}</Badge>{" "}
          <span className="muted">by {by}</span>
        </li>
      ))}
    </ol>
  );
}
