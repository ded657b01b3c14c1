import { call } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { DOMAINS, type DomainRow } from "./page.tsx";

/** What an admin can do with a domain in its state; each step asks first. */
export function Decide({
  row,
  className = "small",
}: {
  readonly row: Pick<DomainRow, "domain" | "state">;
  readonly className?: string;
}) {
  const { domain, state } = row;
  const step = (action: string) => () =>
    call("POST", `/v1/domains/${encodeURIComponent(domain)}/${action}`, action === "approve" ? { body: {} } : {});
  const refresh = [DOMAINS];
  return (
    <span className="row-actions">
      {state === "approved" ? null : (
        <ConfirmButton
          scope="admin"
          label="Approve"
          of={domain}
          className={className}
          title={`Approve ${domain}?`}
          action="Approve domain"
          run={step("approve")}
          refresh={refresh}
        >
          Every organization may send requests there without a limit.
        </ConfirmButton>
      )}
      {state !== "approved" ? null : (
        <ConfirmButton
          scope="admin"
          label="Revoke"
          of={domain}
          className={className}
          title={`Take the approval of ${domain} back?`}
          action="Revoke approval"
          danger
          run={step("revoke")}
          refresh={refresh}
        >
          From now on it takes one request a second and 10,000 a day.
        </ConfirmButton>
      )}
      {state === "denied" ? null : (
        <ConfirmButton
          scope="admin"
          label="Deny"
          of={domain}
          className={className}
          title={`Deny ${domain}?`}
          action="Deny domain"
          danger
          run={step("deny")}
          refresh={refresh}
        >
          Requests to it are refused with 403, of every organization.
        </ConfirmButton>
      )}
    </span>
  );
}
