import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { post } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatCounted } from "../../parts/format.ts";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Loading } from "../../parts/states.tsx";
import type { CredentialRow, CredentialTest } from "./shapes.ts";

/** Tests a credential from its row in the list. */
export function TestButton({ credential }: { readonly credential: CredentialRow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton scope="admin" className="small" onClick={() => setOpen(true)}>
        Test<span className="unseen"> {credential.name}</span>
      </GatedButton>
      {isOpen ? <TestDialog credential={credential} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface TestDialogProps {
  readonly credential: CredentialRow;
  readonly onClose: () => void;
}

/** Calls the provider to test a credential, and shows its response. */
function TestDialog({ credential, onClose }: TestDialogProps) {
  const { name, provider } = credential;
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => post<CredentialTest>(`/v1/credentials/${encodeURIComponent(name)}/test`, {}),
    meta: { changes: [] },
  });
  useEffect(() => mutate(), [mutate]);
  return (
    <Dialog title={`Test of “${name}”`} onClose={onClose}>
      {data === undefined ? (
        error === null ? (
          <Loading rows={2} label={`Asking ${provider}`} />
        ) : null
      ) : (
        <>
          <p>
            <Badge tone={data.ok ? "good" : "bad"}>{data.ok ? "works" : "does not work"}</Badge> {provider}:{" "}
            {data.message}
          </p>
          {data.models.length === 0 ? null : (
            <details>
              <summary>{formatCounted(data.models.length, "model")}</summary>
              <ul>
                {data.models.map((model) => (
                  <li key={model}>
                    <code>{model}</code>
                  </li>
                ))}
              </ul>
            </details>
          )}
        </>
      )}
      <Trouble error={error} />
      <div className="form-actions">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
        <button type="button" disabled={isPending} onClick={() => mutate()}>
          Test again
        </button>
      </div>
    </Dialog>
  );
}
