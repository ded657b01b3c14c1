import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { indented } from "../../../json-text/indented.ts";
import { Code } from "../../parts/code.tsx";
import { formatBytes } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Segments } from "../../parts/segments.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { bodyMedia } from "./media.tsx";
import {
  type AnyPart,
  type BodySide,
  bodyAddress,
  bodyOf,
  headersQuery,
  type ProviderPart,
  partQuery,
  type RequestRecord,
  rawBodyQuery,
} from "./record.ts";

const FORMS = { formatted: "Formatted", raw: "As sent" } as const;

interface BodyViewProps {
  readonly record: RequestRecord;
  readonly part: BodySide;
}

/** One half of the exchange, on the client's side and, if that differs, on the provider's. */
export function BodyView({ record, part }: BodyViewProps) {
  const [side, choose] = useState<"client" | "provider">("client");
  // Waits for the headers, so that nothing moves when they arrive.
  const { data, isPending } = useQuery(headersQuery(record.request_id));
  if (isPending) return <Loading rows={8} />;
  const sides =
    part === "request"
      ? { client: "Sent by the client", provider: "Sent to the provider" }
      : { client: "Sent to the client", provider: "Sent by the provider" };
  const hasOther = data !== undefined && data[`provider_${part}`] !== null;
  return (
    <div className="body-view">
      {hasOther ? <Segments label="Whose side" options={sides} value={side} onChange={choose} /> : null}
      {hasOther && side === "provider" ? (
        <ProviderSide key={part} record={record} part={`provider_${part}`} />
      ) : (
        <Side record={record} part={part} body={bodyOf(record, part)} />
      )}
    </div>
  );
}

function ProviderSide({ record, part }: { readonly record: RequestRecord; readonly part: ProviderPart }) {
  const { data, error, refetch } = useQuery(partQuery(record.request_id, part));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={8} />;
  return <Side record={record} part={part} body={data} />;
}

interface SideProps {
  readonly record: RequestRecord;
  readonly part: AnyPart;
  /** As JSON; null if none is stored. */
  readonly body: unknown;
}

/** Headers, and the body as JSON or as the original bytes. */
function Side({ record, part, body }: SideProps) {
  const [form, choose] = useState<keyof typeof FORMS>("formatted");
  const isClients = part === "request" || part === "response";
  return (
    <>
      <Headers record={record} part={part} />
      {body === null ? (
        <Empty title={isClients ? `No ${part} body was recorded` : "No body of its own was recorded"}>
          {record.response_status === null
            ? "The request is in flight."
            : isClients
              ? "There was none, the client omitted it, or it was deleted."
              : "It was the client's, there was none, the client omitted it, or it was deleted."}
        </Empty>
      ) : (
        <>
          <div className="body-actions">
            <Segments label="How the body is shown" options={FORMS} value={form} onChange={choose} />
            <a
              className="button"
              href={bodyAddress(record.request_id, part)}
              download={`${record.request_id}-${part.replace("_", "-")}`}
            >
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
              {isClients ? bodyMedia(record, part) : undefined}
              <FormattedBody record={record} part={part} body={body} />
            </>
          )}
        </>
      )}
    </>
  );
}

/** More digits than a JavaScript number can hold. */
const LONG_NUMBER = /[\d.]{16}/;

/** Whether a number was too large for JavaScript, which prints it as `null`. */
function isInfinite(value: unknown): boolean {
  let isFound = false;
  JSON.stringify(value, (_name, each) => {
    isFound ||= Math.abs(each) === Number.POSITIVE_INFINITY;
    return each;
  });
  return isFound;
}

/** JSON with a line for each member. If numbers were rounded or lost, the text is made from the original bytes. */
function FormattedBody({ record, part, body }: SideProps) {
  const text = typeof body === "string" ? body : JSON.stringify(body, undefined, 2);
  const isRounded = typeof body !== "string" && (LONG_NUMBER.test(text) || (text.includes("null") && isInfinite(body)));
  const { data, isLoading } = useQuery({ ...rawBodyQuery(record.request_id, part), enabled: isRounded });
  if (isLoading) return <Loading rows={8} />;
  const written = data && asWritten(data);
  // A tree has JavaScript numbers: if some are rounded, the text is shown instead.
  const value = written === undefined && typeof body === "object" && body !== null ? { value: body } : {};
  return <Code label={labelOf(part)} text={written ?? text} {...value} />;
}

const labelOf = (part: AnyPart) => `${part.replace("provider_", "provider's ")} body`;

/** Undefined for bytes that are not JSON, such as a stream. */
function asWritten(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    JSON.parse(text);
    return indented(text);
  } catch {
    return undefined;
  }
}

/** The bytes as text, if they are text. */
function RawBody({ record, part }: Omit<SideProps, "body">) {
  const { data, error, refetch } = useQuery(rawBodyQuery(record.request_id, part));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={4} />;
  return <Code label={`${labelOf(part)} as sent, ${formatBytes(data.byteLength)}`} text={bytesText(data)} />;
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

function Headers({ record, part }: Omit<SideProps, "body">) {
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
