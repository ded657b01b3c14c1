import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "../../../api.ts";
import { serviceNow } from "../../../clock.ts";
import { ProposingInput } from "../../../filter/proposing-input.tsx";
import { and, during } from "../../../filter/tree.ts";
import { usePropertyNames } from "../../../filter/value-input.tsx";
import { Field } from "../../../parts/field.tsx";
import { formatCount, formatCounted } from "../../../parts/format.ts";
import type { RequestsQuestion } from "../query.ts";
import { changeMany, type Target, type Work } from "./change-many.ts";
import { StepsDialog, useSteps } from "./steps-dialog.tsx";

export type BulkKind = "property" | "score" | "delete";

const TEXTS = {
  property: { title: "Set property", action: "Set on", done: "changed" },
  score: { title: "Add score", action: "Score", done: "scored" },
  delete: { title: "Delete requests", action: "Delete", done: "deleted" },
} as const satisfies Record<BulkKind, object>;

interface BulkDialogProps {
  readonly kind: BulkKind;
  readonly question: RequestsQuestion;
  /** Undefined for all that match. */
  readonly ids: readonly string[] | undefined;
  /** @param hasBegun - whether anything was changed, or is being changed now. */
  readonly onClose: (hasBegun: boolean) => void;
}

/** Shows how many requests it affects, gets the change, applies it a step at a time, and can be stopped. */
export function BulkDialog({ kind, question, ids, onClose }: BulkDialogProps) {
  const { title, action, done } = TEXTS[kind];
  const target = useTarget(question, ids);
  const count = useTargetCount(target);
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [isRemoval, setRemoval] = useState(false);
  const names = usePropertyNames(kind === "property");
  const steps = useSteps((reports) =>
    changeMany({ target, work: workOf(kind, name.trim(), isRemoval ? null : value), ...reports }),
  );
  const { work, done: changed } = steps;
  const many = count === undefined ? "all that match" : formatCounted(count, "request");
  const isOver = work.isSuccess || work.isError;
  return (
    <StepsDialog
      title={title}
      steps={steps}
      isOver={isOver}
      about={
        <p>
          {kind === "delete" ? (
            <>
              This deletes <strong>{many}</strong> with their bodies. It cannot be undone.
            </>
          ) : (
            <>
              This changes <strong>{many}</strong>.
            </>
          )}
        </p>
      }
      action={{
        label: `${action} ${many}`,
        isDanger: kind === "delete",
        isDisabled: kind !== "delete" && name.trim() === "",
      }}
      progress={{ label: `Requests ${done}`, max: count }}
      status={`${formatCount(changed)} ${count === undefined ? "" : `of ${formatCount(count)} `}${done}${isOver && steps.isStopped() ? ". Stopped." : ""}`}
      onClose={() => onClose(!work.isIdle)}
    >
      {kind === "delete" ? null : (
        <>
          {kind === "property" ? (
            <Field label="Name">
              {(field) => (
                <ProposingInput
                  id={field.id}
                  placeholder="such as Reviewed"
                  value={name}
                  proposals={names}
                  onChange={setName}
                />
              )}
            </Field>
          ) : (
            <Field label="Name">
              {(field) => (
                <input
                  {...field}
                  value={name}
                  required
                  maxLength={200}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
          )}
          <Field label="Value" {...(kind === "score" ? { hint: SCORE_HINT } : {})}>
            {(field) => (
              <input
                {...field}
                value={value}
                disabled={isRemoval}
                required={kind === "score"}
                pattern={kind === "score" ? SCORE_PATTERN : undefined}
                title={kind === "score" ? SCORE_HINT : undefined}
                onChange={(event) => setValue(event.target.value)}
              />
            )}
          </Field>
          {kind === "property" ? (
            <label className="check">
              <input type="checkbox" checked={isRemoval} onChange={(event) => setRemoval(event.target.checked)} />
              Remove the property
            </label>
          ) : null}
        </>
      )}
    </StepsDialog>
  );
}

/** Browsers add the title to their own message about the pattern. */
const SCORE_HINT = "A number, true or false.";
const SCORE_PATTERN = "true|false|[\\-+]?[0-9]*\\.?[0-9]+([eE][\\-+]?[0-9]+)?";

function workOf(kind: BulkKind, name: string, value: string | null): Work {
  if (kind === "delete") return { method: "DELETE", path: "/v1/request", body: {} };
  if (kind === "property")
    return { method: "PUT", path: "/v1/request/property", body: { properties: { [name]: value } } };
  const score = value === "true" || value === "false" ? value === "true" : Number(value);
  return { method: "POST", path: "/v1/request/score", body: { scores: { [name]: score } } };
}

/** Fixed when the dialog opens: requests that arrive after the number was shown are not changed. */
function useTarget({ filter, search }: RequestsQuestion, ids: readonly string[] | undefined): Target {
  const [target] = useState<Target>(() => {
    if (ids !== undefined) return { ids };
    const until = during({ to: new Date(serviceNow()).toISOString() });
    return { filter: and(filter, until), search };
  });
  return target;
}

/** Undefined if it is not known in advance: for a search by words. */
function useTargetCount(target: Target): number | undefined {
  const isFilter = !("ids" in target) && target.search === undefined;
  const { data } = useQuery({
    queryKey: ["bulk-count", target],
    queryFn: ({ signal }) =>
      post<number>("/v1/request/count/query", { filter: (target as { readonly filter: unknown }).filter }, signal),
    enabled: isFilter,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return "ids" in target ? target.ids.length : isFilter ? data : undefined;
}
