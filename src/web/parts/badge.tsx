import type { ReactNode } from "react";

export type Tone = "good" | "warn" | "bad" | "accent" | "plain";

/** A state as one word. */
export function Badge({ tone = "plain", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
