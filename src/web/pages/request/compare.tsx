import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { LlmRequest } from "../../../record/llm-schema.ts";
import { post } from "../../api.ts";
import { and, leaf, ofSession } from "../../filter/tree.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount, formatDuration, formatMoney } from "../../parts/format.ts";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import type { RequestRow } from "../requests/columns.tsx";
import { conversationMarkdown } from "./conversation-text.ts";
import { Diff } from "./diff.tsx";
import { type RequestRecord, recordQuery } from "./record.ts";

export interface Compared {
  /** Id of the other request; undefined means the previous one in the session. */
  readonly chosen: string | undefined;
  readonly choose: (id: string | undefined) => void;
}

/** Differences from another request: given by id, or the previous one in the session. */
export function Compare({ record, chosen, choose }: Compared & { readonly record: RequestRecord }) {
  const { session_id: session, request_id: id, request_created_at: time } = record;
  const before = useQuery({
    queryKey: ["before-in-session", id],
    queryFn: ({ signal }) =>
      post<readonly RequestRow[]>(
        "/v1/request/query",
        {
          filter: and(ofSession("session_session_id", { equals: session! }), leaf("request_created_at", { lt: time })),
          sort: { created_at: "desc" },
          limit: 1,
          includeBody: false,
        },
        signal,
      ),
    enabled: session !== null,
  });
  const previous = before.data?.[0]?.request_id;
  const other = chosen ?? previous;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    choose(String(new FormData(event.currentTarget).get("id")).trim() || undefined);
  };
  return (
    <div className="compare">
      <form className="inline-form" onSubmit={submit}>
        <input
          key={other}
          name="id"
          aria-label="Id of the other request"
          placeholder="Request id"
          defaultValue={other}
        />
        <button type="submit">Compare</button>
        {previous === undefined || previous === other ? null : (
          <button type="button" onClick={() => choose(undefined)}>
            Previous in session
          </button>
        )}
      </form>
      {other === undefined ? (
        before.isLoading ? (
          <Loading rows={5} />
        ) : (
          <Empty title="Compare with another request">
            Enter its id, or select two requests in the list and press Compare. In a session, the previous request is
            the default.
          </Empty>
        )
      ) : (
        <With key={other} record={record} id={other} />
      )}
    </div>
  );
}

function With({ record, id }: { readonly record: RequestRecord; readonly id: string }) {
  const { data, error, refetch } = useQuery(recordQuery(id));
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={8} />;
  const rows = changesOf(data, record);
  const [before, after] = [textOf(data), textOf(record)];
  return (
    <>
      {rows.length === 0 ? null : (
        <DataTable label="What differs" rows={rows} columns={COLUMNS} rowKey={({ name }) => name} />
      )}
      {before === after ? (
        <p className="muted">What was said is the same.</p>
      ) : (
        <Diff before={before} after={after} label="What was said, line by line" said={SAID} />
      )}
    </>
  );
}

const SAID = { "-": "only there: ", "+": "only here: " } as const;

const textOf = ({ llmSchema, request_body, response_body }: RequestRecord) =>
  llmSchema === null
    ? JSON.stringify([request_body, response_body], undefined, 2)
    : conversationMarkdown(llmSchema).trimEnd();

interface Change {
  readonly name: string;
  readonly there: string;
  readonly here: string;
}

const COLUMNS: readonly Column<Change>[] = [
  { id: "name", header: "Differs", cell: ({ name }) => name },
  { id: "there", header: "Other request", cell: ({ there }) => there },
  { id: "here", header: "This request", cell: ({ here }) => here },
];

/** Compared line by line, or shown by the record itself. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(["messages", "instructions", "prompt", "input", "provider", "model"]);

function changesOf(there: RequestRecord, here: RequestRecord): Change[] {
  const facts: readonly (readonly [string, (record: RequestRecord) => string])[] = [
    ["Model", ({ model }) => model ?? "–"],
    ["Provider", ({ provider }) => provider ?? "–"],
    ["Status", ({ response_status: status }) => String(status ?? "in flight")],
    ["Finish reason", ({ finish_reason: reason }) => reason ?? "–"],
    ["Latency", ({ delay_ms: ms }) => formatDuration(ms)],
    ["Input tokens", ({ prompt_tokens: count }) => formatCount(count)],
    ["Output tokens", ({ completion_tokens: count }) => formatCount(count)],
    ["Cost", ({ cost }) => formatMoney(cost)],
  ];
  const settings = ({ llmSchema }: RequestRecord): Partial<LlmRequest> => llmSchema?.request ?? {};
  const names = [...new Set([...Object.keys(settings(there)), ...Object.keys(settings(here))])] as (keyof LlmRequest)[];
  const shown = (record: RequestRecord, name: keyof LlmRequest) => JSON.stringify(settings(record)[name]) ?? "–";
  return [
    ...facts.map(([name, of]) => ({ name, there: of(there), here: of(here) })),
    ...names
      .filter((name) => !NOT_SETTINGS.has(name))
      .map((name) => ({ name: name.replaceAll("_", " "), there: shown(there, name), here: shown(here, name) })),
  ].filter((change) => change.there !== change.here);
}
