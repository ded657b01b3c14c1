import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "../../../api.ts";
import { Trouble } from "../../../parts/confirm-button.tsx";
import { DialogForm, useSave } from "../../../parts/dialog-form.tsx";
import { Field } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Count, Money } from "../../../parts/values.tsx";
import type { Dataset } from "../shapes.ts";
import { runsPath, type ShownRun, type TargetEstimate } from "./shapes.ts";
import { newTarget, type TargetDraft, TargetFields, targetBody } from "./target-fields.tsx";

const TARGETS_MAX = 8;

interface RunDialogProps {
  readonly dataset: Dataset;
  readonly version: number | undefined;
  readonly onClose: () => void;
}

/** Starts a run: targets, estimated cost, limits. */
export function RunDialog({ dataset, version, onClose }: RunDialogProps) {
  const navigate = useNavigate();
  const [targets, setTargets] = useState<readonly TargetDraft[]>([newTarget(0)]);
  const work = useSave<ShownRun>({
    ...{ method: "POST", path: runsPath(dataset.id) },
    onSaved: ({ id: run }) => void navigate({ to: "/datasets/$id/runs/$run", params: { id: dataset.id, run } }),
  });
  const estimate = useMutation({
    mutationFn: (body: object) => post<readonly TargetEstimate[]>(`${runsPath(dataset.id)}/estimate`, body),
    meta: { changes: [] },
  });
  const choice = () => ({ targets: targets.map(targetBody), ...(version !== undefined && { version }) });
  const change = (next: readonly TargetDraft[]) => {
    setTargets(next);
    estimate.reset(); // it was for other targets
  };
  return (
    <DialogForm
      title={`Run “${dataset.name}”`}
      action="Start run"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => {
        const [name, maxCost, concurrency] = [text("name"), text("max_cost"), text("concurrency")];
        work.mutate({
          ...choice(),
          ...(name !== "" && { name }),
          ...(maxCost !== "" && { max_cost: Number(maxCost) }),
          ...(concurrency !== "" && { concurrency: Number(concurrency) }),
        });
      }}
      wide
    >
      {(errorAt) => (
        <>
          <p className="muted">
            Each example is sent to each target at the unified address. The calls are requests of yours: they cost money
            and are recorded.
          </p>
          {targets.map((draft, at) => (
            <TargetFields
              key={draft.key}
              {...{ at, draft, errorAt }}
              onChange={(next) => change(targets.with(at, next))}
              onRemove={targets.length === 1 ? undefined : () => change(targets.toSpliced(at, 1))}
            />
          ))}
          {targets.length >= TARGETS_MAX ? null : (
            <button
              type="button"
              className="small"
              onClick={() =>
                change([...targets, newTarget(Math.max(...targets.map(({ key }) => key)) + 1, targets.at(-1))])
              }
            >
              <Icon name="plus" /> Add target
            </button>
          )}
          <div className="fields">
            <Field label="Cost limit" hint="US dollars. Empty: no limit." error={errorAt("max_cost")}>
              {(ids) => <input {...ids} name="max_cost" type="number" min="0.000001" step="any" />}
            </Field>
            <Field label="Calls in parallel" error={errorAt("concurrency")}>
              {(ids) => <input {...ids} name="concurrency" type="number" min={1} max={16} placeholder="4" />}
            </Field>
            <Field label="Name of the run" error={errorAt("name")}>
              {(ids) => <input {...ids} name="name" maxLength={200} placeholder="its targets" />}
            </Field>
          </div>
          <div>
            <button
              type="button"
              disabled={estimate.isPending || targets.some(({ model }) => model.trim() === "")}
              onClick={() => estimate.mutate(choice())}
            >
              Estimate the cost
            </button>
          </div>
          <Trouble error={estimate.error} />
          <div role="status">{estimate.data === undefined ? null : <Estimates rows={estimate.data} />}</div>
        </>
      )}
    </DialogForm>
  );
}

function Estimates({ rows }: { readonly rows: readonly TargetEstimate[] }) {
  return (
    <dl className="facts">
      {rows.map(({ name, cost, calls, prompt_tokens, provider, model, notes }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Money of={cost} /> for <Count of={calls} /> {calls === 1 ? "call" : "calls"} with{" "}
            <Count of={prompt_tokens} short /> tokens in
            {provider === null ? null : `, by ${provider} ${model}`}
            {notes.map((note) => (
              <p key={note} className="muted">
                {note}
              </p>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
