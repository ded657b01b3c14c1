import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface MenuProps {
  readonly label: string;
  readonly icon?: IconName;
  /** Only its icon is seen. */
  readonly isSmall?: boolean;
  /** Its content; `close` is for what ends the matter. */
  readonly children: (close: () => void) => ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Goes to the next control of an open menu, or the one before. @returns whether the key was for that, and not for a field. */
function moveBy(room: HTMLElement, step: number): boolean {
  const from = document.activeElement;
  if (from instanceof HTMLInputElement && from.type !== "checkbox") return false;
  const all = [...room.querySelectorAll<HTMLElement>(":is(button, input, a[href]):not(:disabled)")];
  all[(all.indexOf(from as HTMLElement) + step + all.length) % all.length]?.focus();
  return true;
}

/** A button that opens a small panel below itself. Arrows go through it; Escape, and going elsewhere, close it. */
export function Menu({ label, icon, isSmall = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const room = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    const onPointer = (event: PointerEvent) => {
      if (!room.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", onPointer);
    return () => document.removeEventListener("pointerdown", onPointer);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears keys of the controls inside, and that they are left
    <div
      className="menu"
      ref={room}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === "Escape") {
          event.stopPropagation();
          close();
        } else if (event.key in STEPS && moveBy(room.current!, STEPS[event.key]!)) event.preventDefault();
      }}
      onBlur={({ relatedTarget }) => {
        // A window that loses the focus, and a click on what cannot have it, leave nothing behind.
        if (relatedTarget !== null && !room.current?.contains(relatedTarget)) setOpen(false);
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
