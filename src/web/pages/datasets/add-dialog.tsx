import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { get, post } from "../../api.ts";
import { Field } from "../../parts/field.tsx";
import { formatCount } from "../../parts/format.ts";
import { changeMany, type Target } from "../requests/bulk/change-many.ts";
import { StepsDialog, useSteps } from "../requests/bulk/steps-dialog.tsx";
import { DATASETS, type Dataset } from "./shapes.ts";

interface AddDialogProps {
  readonly target: Target;
  /** @param isDone - whether anything was added. */
  readonly onClose: (isDone: boolean) => void;
}

const NEW = "new";

/** Adds requests to an existing or a new dataset, a step at a time. */
export function AddToDataset({ target, onClose }: AddDialogProps) {
  const [into, setInto] = useState<string>();
  const [name, setName] = useState("");
  const [labels, setLabels] = useState("");
  const { data } = useQuery({
    queryKey: DATASETS,
    queryFn: ({ signal }) => get<readonly Dataset[]>("/v1/datasets", signal),
  });
  const chosen = into ?? data?.[0]?.id ?? NEW;
  const steps = useSteps(
    async (reports) => {
      const id = chosen === NEW ? (await post<Dataset>("/v1/datasets", { name: name.trim() })).id : chosen;
      setInto(id);
      const words = labels.split(",").map((label) => label.trim());
      const body = { ...(words.some(Boolean) && { labels: words.filter(Boolean) }) };
      const path = `/v1/datasets/${id}/items`;
      const counted = (response: unknown) => (response as { readonly ids: readonly string[] }).ids.length;
      await changeMany({ target, work: { method: "POST", path, body, counted }, ...reports });
      return id;
    },
    [DATASETS],
  );
  const { work, done } = steps;
  return (
    <StepsDialog
      title="Add to dataset"
      steps={steps}
      isOver={work.isSuccess}
      action={{ label: "Add" }}
      progress={{ label: "Examples added" }}
      status={
        <>
          {formatCount(done)} added
          {work.isSuccess ? (
            <>
              . Requests without a conversation, or that are in it already, are left out.{" "}
              <Link to="/datasets/$id" params={{ id: work.data }}>
                Open the dataset
              </Link>
            </>
          ) : null}
        </>
      }
      onClose={() => onClose(work.isSuccess)}
    >
      <Field label="Dataset">
        {(field) => (
          <select {...field} value={chosen} onChange={(event) => setInto(event.target.value)}>
            {(data ?? []).map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
            <option value={NEW}>A new dataset…</option>
          </select>
        )}
      </Field>
      {chosen === NEW ? (
        <Field label="Name">
          {(field) => (
            <input {...field} required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
          )}
        </Field>
      ) : null}
      <Field label="Labels" hint="Separated by commas.">
        {(field) => <input {...field} value={labels} onChange={(event) => setLabels(event.target.value)} />}
      </Field>
    </StepsDialog>
  );
}
