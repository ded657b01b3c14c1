import type { ReactNode } from "react";
import { sentBytes } from "../../parts/sent-bytes.ts";
import { Bytes, Time } from "../../parts/values.tsx";
import type { RequestRecord } from "./record.ts";
import { MAPPINGS } from "./routing.tsx";

/** All other recorded members; unknown ones are left out. */
export function Details({ record }: { readonly record: RequestRecord }) {
  const rows: readonly (readonly [string, ReactNode])[] = [
    ["Request id", <code key="id">{record.request_id}</code>],
    ["Received", <Time key="received" of={record.request_created_at} exact />],
    ["Responded", <Time key="answered" of={record.response_created_at} exact />],
    ["Last change", <Time key="changed" of={record.updated_at} exact />],
    ["Method and path", <code key="path">{`${record.request_method} ${record.request_path ?? ""}`}</code>],
    ["Target", record.target_url],
    ["Provider", record.provider],
    ["Route", record.route],
    ["Why this target", record.route_reason],
    ["Credential", record.credential],
    ["Translated from", MAPPINGS[record.ai_gateway_body_mapping]],
    ["Warnings", record.gateway_warnings.join(", ")],
    ["Requested model", record.request_model],
    ["Model sent to the provider", record.routed_model === record.request_model ? null : record.routed_model],
    ["Responding model", record.response_model],
    ["Model override", record.model_override],
    ["Response id", record.response_id],
    ["Outcome", record.outcome],
    ["Finish reason", record.finish_reason],
    ["Streamed", record.streamed ? "yes" : "no"],
    ["Sent", <Bytes key="sent" of={sentBytes(record)} />],
    ["Stored", record.stored_bytes === null ? null : <Bytes key="stored" of={record.stored_bytes} />],
    ["Service key", record.gateway_user],
    ["User", record.request_user_id],
    ["Country", record.country_code],
    ["Referrer", record.request_referrer],
    ["Session", record.session_id],
    ["Session path", record.session_path],
    ["Prompt", record.prompt_id],
    ["Prompt version", record.prompt_version],
    ["Experiment", record.experiment_id],
    ["Node", record.node_id],
    ["Job", record.job_id],
    ["Bodies in", record.storage_location],
    ["Threat", record.threat === null ? null : record.threat ? "yes" : "no"],
    ...Object.entries(record.prompt_inputs ?? {}).map(([name, value]) => [`Input ${name}`, value] as const),
  ];
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([label, value]) => (
          <div key={label} className="fact">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
