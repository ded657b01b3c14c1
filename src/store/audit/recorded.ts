import type { Acting } from "../../people/actor.ts";
import { patiently } from "../database/patiently.ts";
import type { Database, Statement } from "../store.ts";
import type { Action } from "./actions.ts";

/** What is noted of a change beside who made it. */
export interface Act {
  readonly action: Action;
  /** Null where it concerns the deployment. */
  readonly organizationId: string | null;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string };
  /** What was and what is, without secrets. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Makes a change. There is no audit log yet: its entry will be a statement of the same transaction. */
export async function recorded(
  records: Database,
  statements: readonly Statement[],
  _by: Acting,
  _act: Act,
): Promise<void> {
  await patiently(() => records.batch(statements));
}

/** What somebody did, or was refused, where nothing else changes. Not kept yet. */
export async function noted(
  _records: Database,
  _by: Acting,
  _act: Act,
  _outcome: "done" | "refused" = "done",
): Promise<void> {}
