import { Badge } from "../parts/badge.tsx";
import { Time } from "../parts/values.tsx";
import type { HealthRow } from "./health.ts";

/** Whether a credential can be used now, and if not, until when. */
export function HealthBadge({ state, until }: Pick<HealthRow, "state" | "until">) {
  if (state === "ready") return <Badge tone="good">ready</Badge>;
  if (state === "trying") return <Badge tone="accent">one request tries it</Badge>;
  return (
    <Badge tone="warn">
      {state} until <Time of={until} />
    </Badge>
  );
}
