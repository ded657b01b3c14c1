import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../api.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { GatedButton } from "./gated-button.tsx";

interface SettingActionsProps {
  /** What a row is, such as `route`. */
  readonly kind: string;
  readonly name: string;
  /** Where the API has it. */
  readonly path: string;
  readonly list: QueryKey;
  /** Of `weir.toml`, which alone changes it. */
  readonly isInFile: boolean;
  readonly onEdit: () => void;
  /** What can be done with it besides. */
  readonly more?: ReactNode;
  /** What deleting it means. */
  readonly children: ReactNode;
}

/** What can be done with a row of settings. */
export function SettingActions({ kind, name, path, list, isInFile, onEdit, more, children }: SettingActionsProps) {
  return (
    <span className="row-actions">
      {more}
      {isInFile ? (
        <span className="muted">in weir.toml</span>
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
            refresh={[list]}
          >
            {children}
          </ConfirmButton>
        </>
      )}
    </span>
  );
}
