import { type QueryKey, useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { GatedButton } from "./gated-button.tsx";

interface ConfirmButtonProps {
  readonly scope: "figures" | "read" | "write" | "admin";
  readonly label: string;
  /** The object of the action, if several buttons have the same label. */
  readonly of?: string;
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** Label of the button that confirms. */
  readonly action: string;
  readonly danger?: boolean;
  readonly className?: string;
  readonly run: () => Promise<unknown>;
  /** Keys of the queries that show the change. Default: all queries. */
  readonly changes?: readonly QueryKey[];
  readonly onDone?: () => void;
}

/** A button that asks for confirmation before an action that cannot easily be undone. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const {
    scope,
    label,
    of,
    title,
    children,
    action,
    danger = false,
    className = "small",
    run,
    changes,
    onDone,
  } = props;
  const [isOpen, setOpen] = useState(false);
  const work = useMutation({
    mutationFn: run,
    meta: { changes },
    onSuccess: () => {
      setOpen(false);
      onDone?.();
    },
  });
  return (
    <>
      <GatedButton
        scope={scope}
        className={danger ? `danger ${className}` : className}
        onClick={() => {
          work.reset();
          setOpen(true);
        }}
      >
        {label}
        {of === undefined ? null : <span className="unseen"> {of}</span>}
      </GatedButton>
      {isOpen ? (
        <Confirm {...{ title, action, danger, work }} onConfirm={() => work.mutate()} onClose={() => setOpen(false)}>
          {children}
        </Confirm>
      ) : null}
    </>
  );
}

interface ConfirmProps extends Pick<ConfirmButtonProps, "title" | "children" | "action" | "danger"> {
  readonly work: { readonly error: Error | null; readonly isPending: boolean };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** The confirmation dialog. */
export function Confirm({ title, children, action, danger = false, work, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <Trouble error={work.error} />
      <div className="form-actions">
        <button type="button" className={danger ? "danger" : "primary"} disabled={work.isPending} onClick={onConfirm}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Why an action failed. */
export function Trouble({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p className="trouble" role="alert">
      {error instanceof Error ? error.message : String(error)}
    </p>
  );
}
