import type { ReactNode } from "react";
import { ApiFailure } from "../api.ts";

/** An empty state, with its meaning or what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children === undefined ? null : <div className="state-text">{children}</div>}
    </div>
  );
}

/** Reserves the space of the content, so that nothing moves. */
export function Loading({ rows = 6, label = "Loading" }: { readonly rows?: number; readonly label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="loading-bar" />
      ))}
    </div>
  );
}

/** The API's error message, with a retry button. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const status = error instanceof ApiFailure && error.status !== 0 ? ` (${error.status})` : "";
  const path = error instanceof ApiFailure ? error.path : undefined;
  return (
    <div className="state state-failed" role="alert">
      <p className="state-title">This could not be loaded{status}</p>
      <p className="state-text">
        {error instanceof Error ? error.message : String(error)}
        {path === undefined ? null : (
          <>
            {" "}
            At <code>{path}</code>.
          </>
        )}
      </p>
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
