import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";
import { keepFocus } from "./keep-focus.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** For contents that need more space than a few fields. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A modal dialog: the browser traps the focus, closes it on Escape and restores the focus. Shown while it is rendered. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect: the browser restores the focus only while the dialog is still in the page.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    // The focus starts in the form, not on the close button.
    dialog.querySelector<HTMLElement>("form :is(input, select, textarea):not([readonly])")?.focus();
    return () => {
      dialog.close();
      // The element that opened it may be gone as well, such as a deleted row.
      requestAnimationFrame(keepFocus);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      data-wide={wide}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
