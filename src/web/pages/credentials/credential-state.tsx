import { useQuery } from "@tanstack/react-query";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { type HealthRow, healthQuery } from "../../routing/health.ts";
import { HealthBadge } from "../../routing/health-badge.tsx";
import type { CredentialRow } from "./shapes.ts";

const TONES: Readonly<Record<CredentialRow["state"], Tone>> = { ready: "good", disabled: "plain", locked: "bad" };

/** Whether requests can use a credential now, and if not, why and until when. */
export function CredentialState({ row }: { readonly row: CredentialRow }) {
  const { data } = useQuery(healthQuery);
  const failing = data?.filter((each) => each.credential === row.name && each.provider === row.provider) ?? [];
  const isPassedOver = failing.some((each) => each.model === null && each.state !== "ready");
  return (
    <div className="stacked">
      <span>
        {isPassedOver && row.state === "ready" ? null : <Badge tone={TONES[row.state]}>{row.state}</Badge>}{" "}
        {row.shared ? <Badge>{row.source === "shared" ? "the operator's" : "shared"}</Badge> : null}
      </span>
      {row.state === "locked" ? (
        <span className="muted">no key of this node opens it: set it again, or restore WEIR_CREDENTIALS_KEY</span>
      ) : null}
      {failing.map((each, at) => (
        <Failing key={at} row={each} />
      ))}
    </div>
  );
}

/** Recent failures of one model or of the complete credential. */
function Failing({ row }: { readonly row: HealthRow }) {
  if (row.failures === 0) return <HealthBadge {...row} />;
  const failures = row.failures === 1 ? "one failure" : `${row.failures} failures in a row`;
  return (
    <span>
      {row.state === "ready" ? null : <HealthBadge {...row} />}{" "}
      <span className="muted">
        {row.model === null ? "" : `${row.model}: `}
        {row.last_error ?? failures}
        {row.last_error !== null && row.failures > 1 ? `, ${failures}` : ""}
      </span>
    </span>
  );
}
