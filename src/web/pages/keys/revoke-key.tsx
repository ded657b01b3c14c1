import type { ReactNode } from "react";
import { call } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import type { KeyRow } from "./keys-query.ts";

interface RevokeButtonProps {
  readonly row: KeyRow;
  readonly scope: "read" | "admin";
  /** A further warning. */
  readonly children?: ReactNode;
}

export function RevokeButton({ row, scope, children }: RevokeButtonProps) {
  return (
    <ConfirmButton
      scope={scope}
      label="Revoke"
      of={row.name}
      title={`Revoke the key “${row.name}”?`}
      action="Revoke key"
      danger
      run={() => call("DELETE", `/v1/keys/${row.id}`)}
    >
      Requests with it are refused within a second. This cannot be undone. Its records stay.
      {children}
    </ConfirmButton>
  );
}
