import { useQuery } from "@tanstack/react-query";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { DOMAINS, type DomainRow } from "./shapes.ts";
import { type RefusedRow, unapprovedHosts } from "./unapproved.ts";

/** The current domains, queried only if they are needed. */
export const useDomains = (isEnabled: boolean) =>
  useQuery({
    queryKey: DOMAINS,
    queryFn: ({ signal }) => get<readonly DomainRow[]>("/v1/domains", signal),
    enabled: isEnabled,
  }).data;

interface ApproveHostProps {
  readonly host: string;
  readonly isPrivate: boolean;
}

/** Approves a host from the page that shows its refusals. */
export function ApproveHost({ host, isPrivate }: ApproveHostProps) {
  return (
    <ConfirmButton
      scope="admin"
      label="Approve this domain"
      of={host}
      title={`Approve ${host}?`}
      action="Approve domain"
      run={() =>
        call("POST", `/v1/domains/${encodeURIComponent(host)}/approve`, { body: isPrivate ? { private: true } : {} })
      }
    >
      Every organization may send requests there without a limit.
      {isPrivate ? " It is a private or loopback address, which this opens." : null}
    </ConfirmButton>
  );
}

/** The same beside one request, if it was refused for its domain, which is still not approved. */
export function ApproveTarget({ record }: { readonly record: RefusedRow & { readonly outcome: string | null } }) {
  const domains = useDomains(record.outcome === "refused");
  const [found] = record.outcome === "refused" && domains !== undefined ? unapprovedHosts([record], domains) : [];
  return found === undefined ? null : <ApproveHost {...found} />;
}
