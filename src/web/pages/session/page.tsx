import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { call, get, post } from "../../api.ts";
import { ofSession } from "../../filter/tree.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { Trouble } from "../../parts/confirm-button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { SessionContent } from "./content.tsx";
import type { SpanPlace } from "./spans.ts";
import type { RecordRow } from "./steps.ts";
import type { WholeSession } from "./tiles.tsx";

/** Requests of a session that are shown: its first or its last ones. */
const STEPS_MAX = 1_000;

export function SessionPage() {
  const { id } = useParams({ from: "/sessions/$id" });
  const { end = false } = useSearch({ from: "/sessions/$id" });
  const filter = ofSession("session_session_id", { equals: id });
  const { data, error, refetch } = useQuery({
    queryKey: ["sessions", "one", id, end],
    queryFn: async ({ signal }) => {
      const sort = { created_at: end ? "desc" : "asc" };
      const shown = { limit: STEPS_MAX, includeBody: false, includeStoredBytes: true };
      const rows = await post<readonly RecordRow[]>("/v1/request/query", { filter, sort, ...shown }, signal);
      return end ? rows.toReversed() : rows;
    },
    refetchInterval: 10_000,
  });
  const { data: whole } = useQuery({
    queryKey: ["sessions", "whole", id],
    queryFn: ({ signal }) =>
      post<readonly WholeSession[]>("/v1/session/query", { filter, limit: 1, includeStoredBytes: true }, signal),
    enabled: data?.length === STEPS_MAX,
    refetchInterval: 10_000,
  });
  const { data: places = [] } = useQuery({
    queryKey: ["sessions", "spans", id],
    queryFn: ({ signal }) => get<readonly SpanPlace[]>(`/v1/session/${encodeURIComponent(id)}/spans`, signal),
    enabled: !/^\.\.?$/.test(id), // such an id would be resolved as a path segment
    refetchInterval: 10_000,
  });
  const name = data?.findLast(({ session_name }) => session_name !== null)?.session_name ?? id;
  return (
    <Page
      title={name}
      about={
        <>
          Session <code>{id}</code> <CopyButton text={id} label="Copy id" />
        </>
      }
      actions={
        <>
          {/^\.\.?$/.test(id) ? null : <TagForm id={id} />}
          <RequestsLink filter={filter}>As a list of requests</RequestsLink>
        </>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : data.length === 0 ? (
        <Empty title="No request belongs to this session">
          It may have been deleted, or belong to another organization.
        </Empty>
      ) : (
        <SessionContent id={id} rows={data} places={places} whole={whole?.[0]} />
      )}
    </Page>
  );
}

/** A session's tag; filters can find it. */
function TagForm({ id }: { readonly id: string }) {
  const path = `/v1/session/${encodeURIComponent(id)}/tag`;
  const key = ["sessions", "tag", id];
  const { data, isPending } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get<{ readonly tag: string | null }>(path, signal),
  });
  const work = useMutation({
    mutationFn: (tag: string | null) => call("PUT", path, { body: { tag } }),
    meta: { changes: [key] },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const tag = String(new FormData(event.currentTarget).get("tag") ?? "").trim();
    work.mutate(tag === "" ? null : tag);
  };
  return (
    <form className="inline-form" onSubmit={submit}>
      <input
        key={data?.tag}
        disabled={isPending} // text typed before the tag has loaded would be lost
        name="tag"
        aria-label="Tag of this session"
        placeholder="No tag"
        maxLength={1_000}
        defaultValue={data?.tag ?? ""}
      />
      <GatedButton scope="write" type="submit" disabled={isPending || work.isPending}>
        Set tag
      </GatedButton>
      <span role="status" className="muted">
        {work.isSuccess ? (work.variables === null ? "Tag removed" : "Tag set") : ""}
      </span>
      <Trouble error={work.error} />
    </form>
  );
}
