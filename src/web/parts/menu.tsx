import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface MenuProps {
  readonly label: string;
  readonly icon?: IconName;
  /** Only its icon is visible. */
  readonly isSmall?: boolean;
  /** Its content; `close` closes the menu after an action. */
  readonly children: (close: () => void) => ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus to the next or previous control of an open menu. @returns whether the key was used, and not left to a field. */
function moveBy(container: HTMLElement, step: number): boolean {
  const from = document.activeElement;
  if (from instanceof HTMLInputElement && from.type !== "checkbox") return false;
  const all = [...container.querySelectorAll<HTMLElement>(":is(button, input, a[href]):not(:disabled)")];
  all[(all.indexOf(from as HTMLElement) + step + all.length) % all.length]?.focus();
  return true;
}

/** A button that opens a small panel below itself. Arrow keys move through it; Escape, or moving the focus elsewhere, closes it. */
export function Menu({ label, icon, isSmall = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: PointerEvent) => {
      if (!container.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only handles keys and blur events of the controls inside
    <div
      className="menu"
      ref={container}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
        } else if (event.key in STEPS && moveBy(container.current!, STEPS[event.key]!)) event.preventDefault();
      }}
      onBlur={({ relatedTarget }) => {
        // If the window loses the focus, or the user clicks something that cannot get it, there is no related target.
        if (relatedTarget !== null && !container.current?.contains(relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        ref={button}
        className={isSmall ? "quiet small" : undefined}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {icon === undefined ? null : <Icon name={icon} />}
        <span className={isSmall ? "unseen" : undefined}>{label}</span>
        {isSmall ? null : <Icon name="down" size={12} />}
      </button>
      {isOpen ? (
        <div className="menu-panel" id={id}>
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}
