import { useState } from "react";
import { DialogForm, useSave } from "../../parts/dialog-form.tsx";
import { Field } from "../../parts/field.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { useSession } from "../../session.ts";
import type { KeyRow } from "./keys-query.ts";
import { ShownKey } from "./shown-key.tsx";

interface RotateButtonProps {
  readonly row: KeyRow;
  /** Which scope the button needs. */
  readonly scope: "admin" | "read";
}

/** Not for the key of this log-in: its rotation ends the log-in, before the new secret could be read. */
export function RotateButton({ row, scope }: RotateButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const { key } = useSession();
  if (row.id === key.id) return null;
  return (
    <>
      <GatedButton scope={scope} className="small" onClick={() => setOpen(true)}>
        Rotate…<span className="unseen"> {row.name}</span>
      </GatedButton>
      {isOpen ? <RotateKey row={row} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const GRACES: Readonly<Record<string, string>> = {
  "": "At once",
  "1h": "In an hour",
  "24h": "In a day",
  "7d": "In 7 days",
};

/** Gives a key another secret. It is shown here, only once. */
function RotateKey({ row, onClose }: { readonly row: KeyRow; readonly onClose: () => void }) {
  const work = useSave<{ readonly key: string }>({ method: "POST", path: `/v1/keys/${row.id}/rotate` });
  if (work.data !== undefined) return <ShownKey secret={work.data.key} onClose={onClose} />;
  return (
    <DialogForm
      title={`Rotate the key “${row.name}”`}
      action="Rotate key"
      work={work}
      onClose={onClose}
      onSubmit={({ text }) => work.mutate(text("grace") === "" ? {} : { grace: text("grace") })}
    >
      {(errorAt) => (
        <>
          <p>It gets a new secret. Its name, scopes and records stay; log-ins with the old secret end at once.</p>
          <Field label="The old secret stops working" error={errorAt("grace")}>
            {(ids) => (
              <select {...ids} name="grace">
                {Object.entries(GRACES).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
    </DialogForm>
  );
}
