import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";

/** Deletes a request permanently, after a confirmation. */
export function DeleteButton({ id, onDone }: { readonly id: string; readonly onDone: () => void }) {
  const client = useQueryClient();
  return (
    <ConfirmButton
      scope="write"
      label="Delete"
      className=""
      title="Delete this request?"
      action="Delete permanently"
      danger
      run={() => call("DELETE", "/v1/request", { body: { requestIds: [id] } })}
      changes={[["requests-count"]]}
      onDone={() => {
        onDone();
        // Cached lists still contain it.
        void client.resetQueries({ queryKey: ["requests"] });
      }}
    >
      The record and its bodies are removed. This cannot be undone.
    </ConfirmButton>
  );
}
