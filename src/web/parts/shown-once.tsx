import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

interface ShownOnceProps {
  readonly title: string;
  /** What only this dialog shows. */
  readonly secret: string;
  /** Names the button that copies it. */
  readonly copy: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with a secret that is never shown again. */
export function ShownOnce({ title, secret, copy, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <p className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label={copy} />
      </p>
      <div className="form-actions">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
