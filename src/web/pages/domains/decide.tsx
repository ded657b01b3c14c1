import { useState } from "react";
import { call } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import type { DomainRow } from "./shapes.ts";

/** The actions that an admin can take on a domain in its state, each with a confirmation. */
export function Decide({
  row,
  className = "small",
}: {
  readonly row: Pick<DomainRow, "domain" | "state">;
  readonly className?: string;
}) {
  const { domain, state } = row;
  const [isPrivate, setPrivate] = useState(false);
  const step = (action: string, body?: unknown) => () =>
    call("POST", `/v1/domains/${encodeURIComponent(domain)}/${action}`, body === undefined ? {} : { body });
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
          run={step("approve", isPrivate ? { private: true } : {})}
        >
          <p>Every organization may send requests there without a limit.</p>
          <label className="check">
            <input type="checkbox" checked={isPrivate} onChange={() => setPrivate(!isPrivate)} />
            It is a private or loopback address, which this opens
          </label>
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
        >
          From now on it is limited to one request a second and 10,000 a day.
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
        >
          Requests to it are refused with 403, of every organization.
        </ConfirmButton>
      )}
    </span>
  );
}
