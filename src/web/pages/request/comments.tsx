import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import type { ShownComment } from "../../../api/notes/comments.ts";
import { call, get } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Time } from "../../parts/values.tsx";
import type { RequestRecord } from "./record.ts";

/** Users' comments on a request. */
export function Comments({ record }: { readonly record: RequestRecord }) {
  const path = `/v1/request/${encodeURIComponent(record.request_id)}/comments`;
  const key = ["comments", record.request_id];
  const form = useRef<HTMLFormElement>(null);
  const { data = [], error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get<readonly ShownComment[]>(path, signal),
  });
  const meta = { changes: [key] };
  const add = useMutation({
    mutationFn: async (text: string) => {
      await call("POST", path, { body: { text } });
      form.current?.reset();
    },
    meta,
  });
  const remove = useMutation({ mutationFn: (id: string) => call("DELETE", `${path}/${id}`), meta });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    add.mutate(String(new FormData(event.currentTarget).get("text")));
  };
  return (
    <section className="panel" aria-label="Comments">
      <header className="panel-head">
        <h2>Comments</h2>
      </header>
      {data.length === 0 ? <p className="panel-none">None yet.</p> : null}
      <ol className="notes-list">
        {data.map(({ id, author, own, text, created_at }) => (
          <li key={id}>
            <p className="muted">
              {author} · <Time of={created_at} />
              {own ? (
                <GatedButton
                  scope="write"
                  className="small quiet"
                  aria-label="Remove this comment"
                  onClick={() => remove.mutate(id)}
                >
                  <Icon name="close" size={12} />
                </GatedButton>
              ) : null}
            </p>
            <p className="text">{text}</p>
          </li>
        ))}
      </ol>
      <form ref={form} className="notes-form" onSubmit={submit}>
        <textarea name="text" aria-label="Comment" placeholder="Comment" rows={2} maxLength={10_000} required />
        <GatedButton scope="write" type="submit" className="small" disabled={add.isPending}>
          Add comment
        </GatedButton>
      </form>
      <Trouble error={error ?? add.error ?? remove.error} />
    </section>
  );
}
