import type { ReactNode } from "react";
import { call } from "../api.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { GatedButton } from "./gated-button.tsx";

interface SettingActionsProps {
  /** The kind of the row, such as `route`. */
  readonly kind: string;
  readonly name: string;
  /** Its path in the API. */
  readonly path: string;
  /** Whether it is defined in `weir.toml`, and can only be changed there. */
  readonly isInFile: boolean;
  readonly onEdit: () => void;
  /** Additional actions. */
  readonly more?: ReactNode;
  /** The consequences of deleting it. */
  readonly children: ReactNode;
}

/** The actions of a row of settings. */
export function SettingActions({ kind, name, path, isInFile, onEdit, more, children }: SettingActionsProps) {
  return (
    <span className="row-actions">
      {more}
      {isInFile ? (
        <span className="muted">in the configuration file</span>
      ) : (
        <>
          <GatedButton scope="admin" className="small" onClick={onEdit}>
            Edit<span className="unseen"> {name}</span>
          </GatedButton>
          <ConfirmButton
            scope="admin"
            label="Delete"
            of={name}
            danger
            title={`Delete the ${kind} “${name}”?`}
            action={`Delete ${kind}`}
            run={() => call("DELETE", path)}
          >
            {children}
          </ConfirmButton>
        </>
      )}
    </span>
  );
}
