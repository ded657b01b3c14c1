import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiFailure, post } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { DOMAINS, type DomainRow } from "./page.tsx";

interface AskDialogProps {
  readonly onClose: () => void;
  readonly onAsked: (domain: string) => void;
}

/** Asks that a domain be approved: for a company, by an admin; for oneself, by a DNS record. */
export function AskDialog({ onClose, onAsked }: AskDialogProps) {
  const [isPersonal, setPersonal] = useState(false);
  const client = useQueryClient();
  const work = useMutation({
    mutationFn: (body: unknown) => post<DomainRow>("/v1/domains/approval-requests", body),
    onSuccess: async ({ domain }) => {
      await client.invalidateQueries({ queryKey: DOMAINS });
      onClose();
      onAsked(domain);
    },
  });
  const failedAt = work.error instanceof ApiFailure ? work.error.path : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "").trim();
    work.mutate({ domain: text("domain"), ...(isPersonal ? { personal: true } : { company: text("company") }) });
  };
  return (
    <Dialog title="Ask for approval of a domain" onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <Field
          label="Domain"
          hint="A host name without scheme, port and path."
          error={failedAt === "domain" ? work.error?.message : undefined}
        >
          {(ids) => <input {...ids} name="domain" required maxLength={300} placeholder="llm.example.com" />}
        </Field>
        <fieldset className="choices">
          <legend>For whom</legend>
          <label className="check">
            <input type="radio" name="kind" checked={!isPersonal} onChange={() => setPersonal(false)} />A company, which
            an admin approves
          </label>
          <label className="check">
            <input type="radio" name="kind" checked={isPersonal} onChange={() => setPersonal(true)} />
            Myself: I own the domain and prove it by a DNS record
          </label>
        </fieldset>
        {isPersonal ? null : (
          <Field label="Company" error={failedAt === "company" ? work.error?.message : undefined}>
            {(ids) => <input {...ids} name="company" required maxLength={300} />}
          </Field>
        )}
        <Trouble error={failedAt === "domain" || failedAt === "company" ? null : work.error} />
        <div className="form-actions">
          <button type="submit" className="primary" disabled={work.isPending}>
            Ask for approval
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
