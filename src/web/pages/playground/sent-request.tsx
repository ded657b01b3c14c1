import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Code } from "../../parts/code.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { partQuery, type RequestRecord } from "../request/record.ts";

/** The exact request that the provider got, loaded when the user opens it. */
export function SentRequest({ record }: { readonly record: RequestRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="more sent-request" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Sent to the provider</summary>
      {isOpen ? <Sent record={record} /> : null}
    </details>
  );
}

function Sent({ record }: { readonly record: RequestRecord }) {
  const { data, error, refetch } = useQuery(partQuery(record.request_id, "provider_request"));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={3} />;
  const isSame = data === null;
  return (
    <>
      <p className="muted">
        {record.target_url === null || record.target_url === "" ? "It reached no provider." : record.target_url}
        {isSame && record.target_url ? " Sent as it was written." : ""}
      </p>
      <Code label="Body" text={JSON.stringify(isSame ? record.request_body : data, undefined, 2)} />
    </>
  );
}
