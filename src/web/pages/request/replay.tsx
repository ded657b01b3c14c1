import { useQuery } from "@tanstack/react-query";
import { Code } from "../../parts/code.tsx";
import { Loading } from "../../parts/states.tsx";
import { useSession } from "../../session.ts";
import { Media } from "./media.tsx";
import { bodyAddress, headersQuery, type RequestRecord } from "./record.ts";
import { bodyFile, replayText } from "./replay-text.ts";

/** The request as a command, and what it takes to run it. */
export function Replay({ record }: { readonly record: RequestRecord }) {
  const { gateway_url: gateway } = useSession();
  const { data: headers, isPending } = useQuery(headersQuery(record.request_id));
  if (isPending) return <Loading rows={6} />;
  const file = bodyFile(record);
  return (
    <div className="replay">
      <p className="muted">
        Sends the same request again. Set <code>WEIR_API_KEY</code> to a service key and <code>PROVIDER_API_KEY</code>{" "}
        to the provider's: neither was recorded.
      </p>
      <MissingFiles record={record} />
      {file === undefined ? null : (
        <div className="notes">
          <p>
            The body is too long for a command:{" "}
            <a href={bodyAddress(record.request_id, "request")} download={file}>
              download it
            </a>{" "}
            as <code>{file}</code> to where you run this.
          </p>
        </div>
      )}
      <Code label="curl" text={replayText(record, headers, gateway)} />
    </div>
  );
}

/** Which files were taken out of the body that is sent again. */
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
