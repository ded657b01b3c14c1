import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { and, type FilterTree } from "../../filter/tree.ts";
import { formatPercent } from "../../metrics/format.ts";
import { groupName } from "../../metrics/links.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount, formatDuration, formatMoney } from "../../parts/format.ts";
import { withoutMarks } from "../../parts/plain-text.ts";
import { scoreName } from "../../parts/score-name.ts";
import { Failed, Loading } from "../../parts/states.tsx";
import { Duration, Money, Time } from "../../parts/values.tsx";
import { Diff } from "../request/diff.tsx";
import { costEach } from "./page.tsx";
import { type Example, examplesQuery, ofVersion, type PromptRow, promptText } from "./queries.ts";
import type { PromptSearch } from "./search.ts";
import { shownMean } from "./shown-mean.ts";

interface CompareVersionsProps {
  readonly prompt: string;
  /** The versions, most used first. */
  readonly rows: readonly PromptRow[];
  readonly tree: FilterTree;
  readonly search: PromptSearch;
  readonly scores: readonly string[];
  readonly onChange: (search: Partial<PromptSearch>) => void;
}

const nameOf = (row: PromptRow): string => groupName("prompt_version", { value: row.prompt_version ?? null });

/** Two versions side by side: their metrics, the difference of the prompts, and example responses. */
export function CompareVersions({ prompt, rows, tree, search, scores, onChange }: CompareVersionsProps) {
  const right = rows.find((row) => nameOf(row) === search.right) ?? rows[0]!;
  const left = rows.find((row) => nameOf(row) === search.left) ?? rows.find((row) => row !== right) ?? right;
  const ask = (row: PromptRow) => examplesQuery(and(tree, ofVersion(prompt, row.prompt_version ?? null)));
  const [before, after] = [useQuery(ask(left)), useQuery(ask(right))];
  const error = before.error ?? after.error;
  const choice = (label: string, side: "left" | "right", chosen: PromptRow) => (
    <select aria-label={label} value={nameOf(chosen)} onChange={({ target }) => onChange({ [side]: target.value })}>
      {rows.map((row) => (
        <option key={nameOf(row)}>{nameOf(row)}</option>
      ))}
    </select>
  );
  return (
    <section className="run-items" aria-label="Two versions">
      <div className="run-progress">
        <h2>Compare</h2>
        {choice("First version", "left", left)} with {choice("Second version", "right", right)}
      </div>
      <StatsBeside left={left} right={right} scores={scores} />
      {error !== null ? (
        <Failed error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />
      ) : before.data === undefined || after.data === undefined ? (
        <Loading rows={6} />
      ) : (
        <>
          <PromptDiff
            before={before.data.newest && promptText(before.data.newest)}
            after={after.data.newest && promptText(after.data.newest)}
          />
          <div className="answers">
            <Examples of={nameOf(left)} rows={before.data.rows} />
            <Examples of={nameOf(right)} rows={after.data.rows} />
          </div>
        </>
      )}
    </section>
  );
}

interface Beside {
  readonly name: string;
  readonly left: string;
  readonly right: string;
}

function StatsBeside({
  left,
  right,
  scores,
}: { readonly left: PromptRow; readonly right: PromptRow } & Pick<CompareVersionsProps, "scores">) {
  const stats: readonly (readonly [string, (row: PromptRow) => string])[] = [
    ["Requests", ({ requests }) => formatCount(requests)],
    ["Error rate", ({ error_rate }) => formatPercent(error_rate)],
    ["Cost each", (row) => formatMoney(costEach(row))],
    ["Latency, median", ({ latency_p50 }) => formatDuration(latency_p50)],
    ["First token, median", (row) => formatDuration(row.time_to_first_token_p50)],
    ["Input tokens, each", (row) => formatCount(each(row, row.prompt_tokens))],
    ["Output tokens, each", (row) => formatCount(each(row, row.completion_tokens))],
    ...scores.map((name) => [scoreName(name), (row: PromptRow) => shownMean(row.scores?.[name])] as const),
  ];
  const columns: readonly Column<Beside>[] = [
    { id: "name", header: "Metric", cell: ({ name }) => name },
    { id: "left", header: nameOf(left), align: "end", cell: (row) => row.left },
    { id: "right", header: nameOf(right), align: "end", cell: (row) => row.right },
  ];
  const rows = stats.map(([name, of]) => ({ name, left: of(left), right: of(right) }));
  return <DataTable label="Metrics of both versions" rows={rows} columns={columns} rowKey={({ name }) => name} />;
}

const each = ({ requests }: PromptRow, sum: number | null): number | null =>
  sum === null || requests === 0 ? null : Math.round(sum / requests);

function PromptDiff({ before, after }: { readonly before: string | undefined; readonly after: string | undefined }) {
  if (before === undefined || after === undefined)
    return <p className="muted">The text of one of them is not recorded, or you may not see it.</p>;
  if (before === after) return <p className="muted">The prompt is the same in the newest request of both.</p>;
  return (
    <>
      <h3>How the prompt changed</h3>
      <Diff before={before} after={after} label="How the prompt changed" />
    </>
  );
}

function Examples({ of, rows }: { readonly of: string; readonly rows: readonly Example[] }) {
  return (
    <section className="panel answer" aria-label={`Examples of ${of}`}>
      <h3>Newest responses of {of}</h3>
      {rows.map(({ request_id, request_created_at, model, input, output, cost, delay_ms }) => (
        <article key={request_id}>
          <p className="muted">
            <Link to="/requests/$id" params={{ id: request_id }}>
              <Time of={request_created_at} />
            </Link>{" "}
            · {model} · <Money of={cost} /> · <Duration of={delay_ms} />
          </p>
          {input === null || input === undefined ? null : <p className="text muted">{withoutMarks(input)}</p>}
          <p className="text">{withoutMarks(output ?? "(no text)")}</p>
        </article>
      ))}
    </section>
  );
}
