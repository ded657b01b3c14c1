import { useState } from "react";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import type { DomainRow } from "./shapes.ts";

interface AskDialogProps {
  readonly onClose: () => void;
  readonly onRequested: (domain: string) => void;
}

/** Requests approval of a domain: a company's by an admin, one's own by a DNS record. */
export function AskDialog({ onClose, onRequested }: AskDialogProps) {
  const [isPersonal, setPersonal] = useState(false);
  const work = useSave<DomainRow>({
    method: "POST",
    path: "/v1/domains/approval-requests",
    onSaved: ({ domain }) => {
      onClose();
      onRequested(domain);
    },
  });
  return (
    <DialogForm
      title="Ask for approval of a domain"
      action="Ask for approval"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) =>
        work.mutate({ domain: text("domain"), ...(isPersonal ? { personal: true } : { company: text("company") }) })
      }
    >
      {(errorAt) => (
        <>
          <Field label="Domain" hint="A host name without scheme, port and path." error={errorAt("domain")}>
            {(ids) => <input {...ids} name="domain" required maxLength={300} placeholder="llm.example.com" />}
          </Field>
          <fieldset className="choices">
            <legend>For whom</legend>
            <label className="check">
              <input type="radio" name="kind" checked={!isPersonal} onChange={() => setPersonal(false)} />A company,
              which an admin approves
            </label>
            <label className="check">
              <input type="radio" name="kind" checked={isPersonal} onChange={() => setPersonal(true)} />
              Myself: I own the domain and prove it by a DNS record
            </label>
          </fieldset>
          {isPersonal ? null : (
            <Field label="Company" error={errorAt("company")}>
              {(ids) => <input {...ids} name="company" required maxLength={300} />}
            </Field>
          )}
        </>
      )}
    </DialogForm>
  );
}
