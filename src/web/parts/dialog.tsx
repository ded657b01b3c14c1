import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";
import { keepFocus } from "./keep-focus.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** For what needs more room than a few fields do. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A modal window: the browser keeps the focus in it, closes it on Escape and gives the focus back. Shown while it is rendered. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect: the browser gives the focus back only while the window is still in the page.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    // The focus starts in the form, not on the close button.
    dialog.querySelector<HTMLElement>("form :is(input, select, textarea):not([readonly])")?.focus();
    return () => {
      dialog.close();
      // Whatever opened it may be gone as well, as a row is that was deleted.
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
