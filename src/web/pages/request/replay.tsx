import { useQuery } from "@tanstack/react-query";
import { Code } from "../../parts/code.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { useSession } from "../../session.ts";
import { Media } from "./media.tsx";
import { bodyAddress, headersQuery, type RequestRecord, rawBodyQuery } from "./record.ts";
import { replayText, sentBody } from "./replay-text.ts";

/** The request as a command, and what is needed to run it. */
export function Replay({ record }: { readonly record: RequestRecord }) {
  const { gateway_url: gateway } = useSession();
  const id = record.request_id;
  const { data: headers, isPending } = useQuery(headersQuery(id));
  const sent = useQuery({ ...rawBodyQuery(id, "request"), enabled: record.request_body !== null });
  if (sent.error !== null) return <Failed error={sent.error} onRetry={() => void sent.refetch()} />;
  if (isPending || sent.isLoading) return <Loading rows={6} />;
  const body = sent.data && sentBody(id, sent.data);
  return (
    <div className="replay">
      <p className="muted">
        Sends the same request again. Set <code>WEIR_API_KEY</code> to a service key and <code>PROVIDER_API_KEY</code>{" "}
        to the provider's: neither is recorded.
      </p>
      <MissingFiles record={record} />
      {body === undefined || "text" in body ? null : (
        <div className="notes">
          <p>
            The body is no text, or too long for a command:{" "}
            <a href={bodyAddress(id, "request")} download={body.file}>
              download it
            </a>{" "}
            as <code>{body.file}</code> to where you run this.
          </p>
        </div>
      )}
      <Code label="curl" text={replayText(record, { headers, body }, gateway)} />
    </div>
  );
}

/** The files that were removed from the body that is sent again. */
function MissingFiles({ record }: { readonly record: RequestRecord }) {
  const body = JSON.stringify(record.request_body) ?? "";
  const missing = record.assets.map((id) => `weir-asset:${id}`).filter((reference) => body.includes(reference));
  if (missing.length === 0) return null;
  return (
    <div className="notes">
      <p>
        Not as it was sent: files in the body are kept beside it. Put each back as base64, behind{" "}
        <code>data:…;base64,</code> where it was an address, in place of its <code>weir-asset:</code>.
      </p>
      <ul>
        {missing.map((reference) => (
          <li key={reference}>
            <Media requestId={record.request_id} source={reference} kind="file" name={reference} />
          </li>
        ))}
      </ul>
    </div>
  );
}
