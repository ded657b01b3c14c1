import { useQuery } from "@tanstack/react-query";
import { call, get } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { DOMAINS, type DomainRow } from "./shapes.ts";
import { type RefusedRow, unapprovedHosts } from "./unapproved.ts";

/** The domains as they are now, while there is something to judge by them. */
export const useDomains = (isAsked: boolean) =>
  useQuery({
    queryKey: DOMAINS,
    queryFn: ({ signal }) => get<readonly DomainRow[]>("/v1/domains", signal),
    enabled: isAsked,
  }).data;

interface ApproveHostProps {
  readonly host: string;
  readonly isPrivate: boolean;
}

/** Approves a host where its refusals are seen. */
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
      refresh={[DOMAINS]}
    >
      Every organization may send requests there without a limit.
      {isPrivate ? " It is a private or loopback address, which this opens." : null}
    </ConfirmButton>
  );
}

/** The same beside one request, where it was refused for its domain and that is still not approved. */
export function ApproveTarget({ record }: { readonly record: RefusedRow & { readonly outcome: string | null } }) {
  const domains = useDomains(record.outcome === "refused");
  const [found] = record.outcome === "refused" && domains !== undefined ? unapprovedHosts([record], domains) : [];
  return found === undefined ? null : <ApproveHost {...found} />;
}
