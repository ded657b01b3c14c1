import type { ComponentProps } from "react";
import { useMissing } from "../session.ts";

interface GatedButtonProps extends ComponentProps<"button"> {
  /** What the key needs for this. */
  readonly scope: "gateway" | "figures" | "read" | "write" | "admin";
}

/** A button that says why it does nothing where the key may not do this. It stays reachable, so that everybody can learn why. */
export function GatedButton({ scope, onClick, children, ...rest }: GatedButtonProps) {
  const missing = useMissing(scope);
  if (missing === undefined) {
    return (
      <button type="button" {...rest} onClick={onClick}>
        {children}
      </button>
    );
  }
  return (
    <button type="button" {...rest} aria-disabled="true" title={missing} onClick={(event) => event.preventDefault()}>
      {children}
      <span className="unseen"> ({missing})</span>
    </button>
  );
}
