import { useQuery } from "@tanstack/react-query";
import type { ShownScore } from "../../../api/scores/scores.ts";
import { get } from "../../api.ts";
import { scoreName } from "../../parts/score-name.ts";
import { Time } from "../../parts/values.tsx";
import { type RequestRecord, recordQuery } from "./record.ts";

/** Who gave which score, when and why; empty if unknown. */
export function Ratings({ record }: { readonly record: RequestRecord }) {
  const id = record.request_id;
  const { data } = useQuery({
    queryKey: [...recordQuery(id).queryKey, "scores", record.scores],
    queryFn: ({ signal }) => get<readonly ShownScore[]>(`/v1/request/${encodeURIComponent(id)}/scores`, signal),
    enabled: Object.keys(record.scores).length > 0,
  });
  const rated = (data ?? []).filter(({ ratings }) => ratings.length > 0);
  if (rated.length === 0) return null;
  return (
    <section className="panel" aria-label="Who scored">
      <header className="panel-head">
        <h2>Who scored</h2>
      </header>
      <ul className="ratings">
        {rated.flatMap(({ name, ratings }) =>
          ratings.map(({ source, author, value, label, reason, created_at }) => (
            <li key={`${name} ${source}`}>
              <strong>{scoreName(name)}</strong> {label ?? value}{" "}
              <span className="muted">
                by {author}, <Time of={created_at} relative />
              </span>
              {reason === null ? null : <p>{reason}</p>}
            </li>
          )),
        )}
      </ul>
    </section>
  );
}
