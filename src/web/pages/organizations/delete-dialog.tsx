import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ShownOrganization } from "../../../store/people/organizations.ts";
import { call } from "../../api.ts";
import { DialogForm } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";

interface Step {
  readonly removed: number;
  readonly remaining: number;
  readonly done: boolean;
  readonly exported: string | null;
}

const PAUSE_MS = 1_000;

interface DeleteDialogProps {
  readonly organization: ShownOrganization;
  readonly onClose: () => void;
}

/** Deletes an organization, step by step; closing the dialog stops after the current step. */
export function DeleteDialog({ organization, onClose }: DeleteDialogProps) {
  const { id, name } = organization;
  const [removed, setRemoved] = useState(0);
  const [remaining, setRemaining] = useState<number>();
  const [stop] = useState(() => new AbortController());
  const work = useMutation({
    mutationFn: async (body: { readonly name: string; readonly export: boolean }) => {
      for (;;) {
        const { signal } = stop;
        const { data } = await call<Step>("DELETE", `/v1/organizations/${id}`, { body, signal });
        setRemoved((before) => before + data.removed);
        setRemaining(data.remaining);
        if (data.done) return;
        // The remaining requests are in flight and end by themselves.
        if (data.removed === 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    },
    onSuccess: onClose,
  });
  const close = () => {
    stop.abort();
    onClose();
  };
  return (
    <DialogForm
      title={`Delete ${name}?`}
      action="Delete organization"
      work={work}
      onClose={close}
      onSubmit={({ text, isOn }) => work.mutate({ name: text("name"), export: isOn("export") })}
    >
      {(errorAt) => (
        <>
          <p>
            Its keys stop at once. All its records, members and settings are deleted permanently; entries of the audit
            log stay.
          </p>
          <label className="check">
            <input type="checkbox" name="export" />
            Export its records first, to <code>exports/{id}.jsonl</code> in the data directory
          </label>
          <Field label={`Type ${name} to confirm`} error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" required autoComplete="off" />}
          </Field>
          {remaining === undefined ? null : (
            <p role="status">
              {removed} records are deleted, {remaining} remain.
            </p>
          )}
        </>
      )}
    </DialogForm>
  );
}
