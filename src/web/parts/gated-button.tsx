import type { ComponentProps } from "react";
import { useMissing } from "../session.ts";

interface GatedButtonProps extends ComponentProps<"button"> {
  /** The scope that the key needs. */
  readonly scope: "gateway" | "figures" | "read" | "write" | "admin";
}

/** A button that explains why it is disabled if the key lacks the scope. It stays focusable, so that everyone can read the reason. */
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
