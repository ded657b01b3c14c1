import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Code } from "../../parts/code.tsx";
import { formatBytes } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Segments } from "../../parts/segments.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { indented } from "./indented.ts";
import { bodyMedia } from "./media.tsx";
import { bodyAddress, bodyOf, headersQuery, type RequestRecord, rawBodyQuery } from "./record.ts";

const FORMS = { formatted: "Formatted", raw: "As sent" } as const;

interface BodyViewProps {
  readonly record: RequestRecord;
  readonly part: "request" | "response";
}

/** One side of the exchange: its headers, and its body as JSON or as the very bytes. */
export function BodyView({ record, part }: BodyViewProps) {
  const [form, choose] = useState<keyof typeof FORMS>("formatted");
  // Everything comes at once, so that nothing moves when the headers do.
  const { isPending } = useQuery(headersQuery(record.request_id));
  const body = bodyOf(record, part);
  const address = bodyAddress(record.request_id, part);
  if (isPending) return <Loading rows={8} />;
  return (
    <div className="body-view">
      <Headers record={record} part={part} />
      {body === null ? (
        <Empty title={`No ${part} body was recorded`}>
          {record.response_status === null
            ? "The request is in flight."
            : "There was none, the client asked to leave it out, or it was deleted."}
        </Empty>
      ) : (
        <>
          <div className="body-actions">
            <Segments label="How the body is shown" options={FORMS} value={form} onChange={choose} />
            <a className="button" href={address} download={`${record.request_id}-${part}`}>
              <Icon name="download" /> Download the bytes
            </a>
          </div>
          {record.assets.length === 0 ? null : (
            <p className="muted">
              Files are stored once, beside the bodies: <code>weir-asset:</code> stands where each was.
            </p>
          )}
          {form === "raw" ? (
            <RawBody record={record} part={part} />
          ) : (
            <>
              {bodyMedia(record, part)}
              <FormattedBody record={record} part={part} />
            </>
          )}
        </>
      )}
    </div>
  );
}

/** Figures beyond what a number of JavaScript holds. */
const LONG_NUMBER = /[\d.]{16}/;

/** JSON with a line for each member. Where numbers are so long that they were rounded, it is made from the bytes. */
function FormattedBody({ record, part }: BodyViewProps) {
  const body = bodyOf(record, part);
  const text = typeof body === "string" ? body : JSON.stringify(body, undefined, 2);
  const isRounded = typeof body !== "string" && LONG_NUMBER.test(text);
  const { data, isLoading } = useQuery({ ...rawBodyQuery(record.request_id, part), enabled: isRounded });
  if (isLoading) return <Loading rows={8} />;
  return <Code label={`${part} body`} text={(data && asWritten(data)) ?? text} />;
}

/** Undefined of bytes that are no JSON, as those of a stream. */
function asWritten(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    JSON.parse(text);
    return indented(text);
  } catch {
    return undefined;
  }
}

/** The bytes as text where they are text. */
function RawBody({ record, part }: BodyViewProps) {
  const { data, error, refetch } = useQuery(rawBodyQuery(record.request_id, part));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={4} />;
  return <Code label={`${part} body as sent, ${formatBytes(data.byteLength)}`} text={bytesText(data)} />;
}

function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return hexDump(bytes.subarray(0, 4_096)) + (bytes.byteLength > 4_096 ? "\n…" : "");
  }
}

function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${text}`);
  }
  return lines.join("\n");
}

function Headers({ record, part }: BodyViewProps) {
  const { data } = useQuery(headersQuery(record.request_id));
  const headers = data?.[part] ?? [];
  return (
    <details className="headers" open={headers.length > 0 && headers.length <= 12}>
      <summary>
        {data === undefined ? "Headers" : headers.length === 1 ? "1 header" : `${headers.length} headers`}
        <span className="muted"> · credentials and cookies are not recorded</span>
      </summary>
      <dl className="facts mono">
        {headers.map(([name, value], at) => (
          <div key={at} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
