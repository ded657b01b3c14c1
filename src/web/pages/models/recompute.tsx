import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { get, post } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatCount, formatCounted, formatMoney } from "../../parts/format.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { readAgain } from "../../read-again.ts";

interface State {
  readonly done: boolean;
  readonly seen: number;
  readonly changed: number;
  /** US dollars of the records processed so far. */
  readonly before: number;
  readonly after: number;
  readonly total: number;
  readonly failed?: string;
}

const LOOK_MS = 1_000;
const PATH = "/v1/models/prices/recompute";

/** Recomputes the costs of existing records, with progress. */
export function RecomputeButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton scope="admin" onClick={() => setOpen(true)}>
        Recompute costs
      </GatedButton>
      {isOpen ? <RecomputeDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function RecomputeDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const order = useMutation({
    mutationFn: (isTrial: boolean) => {
      const fields = new FormData(form.current!);
      const model = String(fields.get("model")).trim();
      const since = String(fields.get("since"));
      return post<{ readonly id: string }>(PATH, { since: since || null, model: model || null, dry_run: isTrial });
    },
    meta: { changes: [] }, // its end changes records
  });
  const id = order.data?.id;
  const { data: state, error } = useQuery({
    queryKey: ["recompute", id],
    queryFn: ({ signal }) => get<State>(`${PATH}/${id}`, signal),
    enabled: id !== undefined,
    refetchInterval: ({ state: { data } }) => (data?.done === true ? false : LOOK_MS),
  });
  const isRunning = order.isPending || (id !== undefined && state?.done !== true);
  useEffect(() => {
    if (state?.done === true && order.variables === false) void readAgain(client);
  }, [state?.done]);
  return (
    <Dialog title="Recompute costs" onClose={onClose}>
      <form
        className="form"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          order.mutate(false);
        }}
      >
        <p>
          Recorded usage of all organizations is priced again, by the prices in force now. Costs that a provider stated
          stay. It runs in the background, also when this window is closed.
        </p>
        <fieldset disabled={isRunning} className="fields">
          <label className="field">
            <span>Model</span>
            <input name="model" placeholder="all models" maxLength={300} />
          </label>
          <label className="field">
            <span>Since</span>
            <input name="since" type="date" />
          </label>
        </fieldset>
        {isRunning ? (
          <progress
            aria-label="Records seen"
            {...(state && state.total > 0 ? { max: state.total, value: state.seen } : {})}
          />
        ) : null}
        <p role="status">
          {id === undefined ? "" : state === undefined ? "Waiting…" : textOf(state, order.variables === true)}
        </p>
        <Trouble error={order.error ?? error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={isRunning}>
            Recompute
          </button>
          <button type="button" disabled={isRunning} onClick={() => order.mutate(true)}>
            Try without changing
          </button>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function textOf({ done, seen, changed, before, after, total, failed }: State, isTrial: boolean): string {
  if (failed !== undefined) return `Stopped: ${failed}`;
  if (!done) return `${formatCount(seen)} of ${formatCounted(total, "record")}`;
  const sums = `${formatMoney(before)} before, ${formatMoney(after)} now`;
  return `${formatCount(changed)} of ${formatCounted(seen, "record")} ${isTrial ? "would change" : "changed"}: ${sums}.`;
}
