import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";

/** Deletes a request for good, once asked whether that is meant. */
export function DeleteButton({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const client = useQueryClient();
  const [isAsking, ask] = useState(false);
  const remove = useMutation({
    mutationFn: () => call("DELETE", "/v1/request", { body: { requestIds: [id] } }),
    onSuccess: () => {
      onDone();
      void client.resetQueries({ queryKey: ["requests"] });
      void client.invalidateQueries({ queryKey: ["requests-count"] });
    },
  });
  return (
    <>
      <GatedButton scope="write" className="danger" onClick={() => ask(true)}>
        Delete
      </GatedButton>
      {isAsking ? (
        <Dialog title="Delete this request?" onClose={() => ask(false)}>
          <p>The record and its bodies are removed. There is no way back.</p>
          {remove.error === null ? null : (
            <p className="field-error" role="alert">
              {remove.error.message}
            </p>
          )}
          <div className="form-actions">
            <button type="button" className="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              Delete for good
            </button>
            <button type="button" onClick={() => ask(false)}>
              Keep it
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
