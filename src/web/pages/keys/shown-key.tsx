import type { ReactNode } from "react";
import { ShownOnce } from "../../parts/shown-once.tsx";

interface ShownKeyProps {
  readonly secret: string;
  readonly onClose: () => void;
  /** What to do next. */
  readonly children?: ReactNode;
}

/** A key's secret, which only this dialog shows. */
export function ShownKey({ secret, onClose, children }: ShownKeyProps) {
  return (
    <ShownOnce title="This is the key" secret={secret} copy="Copy key" onClose={onClose}>
      It is shown here and never again: copy it to where it is needed. {children}
    </ShownOnce>
  );
}
