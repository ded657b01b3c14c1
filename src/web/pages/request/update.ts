import { useMutation } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { recordQuery } from "./record.ts";

/** Changes one record and shows the result. */
export function useUpdate(id: string) {
  return useMutation({
    mutationFn: ({
      method,
      what,
      body,
    }: {
      method: "PUT" | "POST";
      what: "property" | "score" | "feedback";
      body: unknown;
    }) => call(method, `/v1/request/${encodeURIComponent(id)}/${what}`, { body }),
    meta: { changes: [recordQuery(id).queryKey] },
  });
}
