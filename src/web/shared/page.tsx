import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get } from "../api.ts";
import { Conversation } from "../pages/request/conversation.tsx";
import { AssetsAt } from "../pages/request/media.tsx";
import type { RequestRecord } from "../pages/request/record.ts";
import { Code } from "../parts/code.tsx";
import { formatCount } from "../parts/format.ts";
import { Page } from "../parts/page.tsx";
import { Empty, Failed, Loading } from "../parts/states.tsx";
import { Stats } from "../parts/stats.tsx";
import { Count, Duration, Money, Status, Time } from "../parts/values.tsx";

type SharedRequest = Pick<
  RequestRecord,
  | "request_id"
  | "model"
  | "provider"
  | "response_status"
  | "request_created_at"
  | "delay_ms"
  | "total_tokens"
  | "cost"
  | "finish_reason"
>;

interface Shared {
  readonly kind: "request" | "session";
  readonly expires_at: string;
  readonly requests: readonly SharedRequest[];
  /** The session has requests after these. */
  readonly more: boolean;
}

/** The page of a shared link. It is outside the dashboard and needs no log-in. */
export default function SharedPage({ token }: { readonly token: string }) {
  const path = `/v1/shared/${encodeURIComponent(token)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ["shared"],
    queryFn: ({ signal }) => get<Shared>(path, signal),
    retry: false,
  });
  const [chosen, choose] = useState<string>();
  if (error !== null && !error.message.startsWith("there is nothing"))
    return <Frame title="Shared">{<Failed error={error} onRetry={() => void refetch()} />}</Frame>;
  if (error !== null)
    return (
      <Frame title="Shared">
        <Empty title="This link does not work">It is wrong, has expired or was revoked. Ask for a new one.</Empty>
      </Frame>
    );
  if (data === undefined) return <Frame title="Shared">{<Loading />}</Frame>;
  const shown = data.requests.find(({ request_id }) => request_id === chosen) ?? data.requests[0]!;
  return (
    <Frame
      title={data.kind === "session" ? "Shared session" : (shown.model ?? "Shared request")}
      about={
        <>
          This link works until <Time of={data.expires_at} exact />.
        </>
      }
    >
      {data.kind === "session" ? (
        <label className="inline-field">
          Request
          <select value={shown.request_id} onChange={(event) => choose(event.target.value)}>
            {data.requests.map(({ request_id, model, response_status }, at) => (
              <option key={request_id} value={request_id}>
                {at + 1}: {model ?? "no model"}, {response_status ?? "in flight"}
              </option>
            ))}
          </select>
          {data.more ? (
            <span className="muted">
              The session's first {formatCount(data.requests.length)}; it has more, which this link does not show.
            </span>
          ) : null}
        </label>
      ) : null}
      <One key={shown.request_id} path={`${path}/request/${shown.request_id}`} />
    </Frame>
  );
}

function Frame({ children, ...page }: React.ComponentProps<typeof Page>) {
  return (
    <main className="shared">
      <Page {...page}>{children}</Page>
    </main>
  );
}

function One({ path }: { readonly path: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["shared", path],
    queryFn: ({ signal }) => get<RequestRecord>(path, signal),
  });
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <p className="muted">
        Received <Time of={data.request_created_at} exact />
      </p>
      <Stats
        className="figures"
        stats={[
          ["Provider", data.provider],
          ["Status", <Status key="status" of={data.response_status} />],
          ["Latency", <Duration key="latency" of={data.delay_ms} />],
          ["Tokens", <Count key="tokens" of={data.total_tokens} />],
          ["Cost", <Money key="cost" of={data.cost} />],
          ["Finish reason", data.finish_reason ?? "–"],
        ]}
      />
      <section className="panel request-part" aria-label="Conversation">
        {data.llmSchema === null ? (
          [data.request_body, data.response_body].map((body, at) => (
            <Code key={at} label={at === 0 ? "Request" : "Response"} text={JSON.stringify(body, undefined, 2)} />
          ))
        ) : (
          <AssetsAt value={path}>
            <Conversation record={data} />
          </AssetsAt>
        )}
      </section>
    </>
  );
}
