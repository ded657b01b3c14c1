import { useState } from "react";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { readFile } from "./file.ts";
import { DASHBOARDS, type Dashboard } from "./shapes.ts";

interface ImportDialogProps {
  readonly onClose: () => void;
  readonly onSaved: (saved: Dashboard) => void;
}

/** Creates a dashboard from an exported file. */
export function ImportDialog({ onClose, onSaved }: ImportDialogProps) {
  const [text, setText] = useState("");
  const [broken, setBroken] = useState<Error | null>(null);
  const work = useSave<Dashboard>({ method: "POST", path: "/v1/dashboards", changes: [DASHBOARDS], onSaved });
  return (
    <DialogForm
      title="Import a dashboard"
      action="Import dashboard"
      work={{ error: broken ?? work.error, isPending: work.isPending }}
      onClose={onClose}
      onSubmit={({ text: textOf }) => {
        try {
          const file = readFile(text);
          setBroken(null);
          const name = textOf("name");
          work.mutate(name === "" ? file : { ...file, name });
        } catch (error) {
          setBroken(error as Error);
        }
      }}
    >
      {(errorAt) => (
        <>
          <Field label="File">
            {(ids) => (
              <input
                {...ids}
                type="file"
                accept=".json,application/json"
                onChange={async ({ target }) => setText((await target.files?.[0]?.text()) ?? text)}
              />
            )}
          </Field>
          <Field label="Or its text" hint="The text of a file that “Export” saved.">
            {(ids) => (
              <textarea {...ids} rows={8} required value={text} onChange={({ target }) => setText(target.value)} />
            )}
          </Field>
          <Field label="Name" hint="Empty: the name in the file." error={errorAt("name")}>
            {(ids) => <input {...ids} name="name" maxLength={100} />}
          </Field>
        </>
      )}
    </DialogForm>
  );
}
