import { useMutation, useQuery } from "@tanstack/react-query";
import type { ShownLink } from "../../api/notes/links.ts";
import { call, get, post } from "../api.ts";
import { Trouble } from "./confirm-button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { GatedButton } from "./gated-button.tsx";
import { Time } from "./values.tsx";

interface ShareProps {
  readonly kind: ShownLink["kind"];
  /** Id of the request or the session. */
  readonly subject: string;
}

const LINKS = ["shared-links"];

/** Links for people without an account to this subject, and nothing else. */
export function Share({ kind, subject }: ShareProps) {
  const { data = [], error } = useQuery({
    queryKey: LINKS,
    queryFn: ({ signal }) => get<readonly ShownLink[]>("/v1/shared-links", signal),
  });
  const make = useMutation({
    mutationFn: () =>
      post<ShownLink & { readonly url: string }>("/v1/shared-links", {
        [kind === "request" ? "request_id" : "session_id"]: subject,
      }),
    meta: { changes: [LINKS] },
  });
  const revoke = useMutation({
    mutationFn: (id: string) => call("DELETE", `/v1/shared-links/${id}`),
    meta: { changes: [LINKS] },
  });
  const links = data.filter((link) => link.kind === kind && link.subject === subject);
  const made = links.some(({ id }) => id === make.data?.id) ? make.data : undefined;
  return (
    <section className="panel" aria-label="Shared links">
      <header className="panel-head">
        <h2>Shared links</h2>
        <GatedButton scope="write" className="small quiet" disabled={make.isPending} onClick={() => make.mutate()}>
          Share for 7 days
        </GatedButton>
      </header>
      {links.length === 0 ? <p className="panel-none">Only people with an account see this {kind}.</p> : null}
      <ol className="notes-list">
        {links.map(({ id, owner, expires_at }) => (
          <li key={id}>
            {made?.id === id ? (
              <p role="status">
                <code className="shared-url">{made.url}</code> <CopyButton text={made.url} label="Copy link" />
                <span className="muted">
                  {" "}
                  Shown once. Anyone with the link can read this {kind} without logging in.
                </span>
              </p>
            ) : null}
            <p className="muted">
              by {owner}, until <Time of={expires_at} />{" "}
              <GatedButton scope="write" className="small" onClick={() => revoke.mutate(id)}>
                Revoke
              </GatedButton>
            </p>
          </li>
        ))}
      </ol>
      <Trouble error={error ?? make.error ?? revoke.error} />
    </section>
  );
}
