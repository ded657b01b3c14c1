import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../../api.ts";
import { Badge } from "../../../parts/badge.tsx";
import { ListStates } from "../../../parts/list-states.tsx";
import { scoreName } from "../../../parts/score-name.ts";
import { Empty } from "../../../parts/states.tsx";
import { Count, Duration, Money } from "../../../parts/values.tsx";
import { Diff } from "../../request/diff.tsx";
import { messageText } from "../shapes.ts";
import { type ComparedItem, type RunWithTotals, runsKey, type ShownResult } from "./shapes.ts";
import { shownScore } from "./totals-table.tsx";

/** Item by item: the original response, and each target's response. */
export function RunItems({ run, path }: { readonly run: RunWithTotals; readonly path: string }) {
  const [onlyErrors, setOnlyErrors] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    // New results are fetched whenever the run's progress changes.
    queryKey: [...runsKey(run.dataset_id), run.id, "items", onlyErrors, run.done],
    queryFn: ({ signal, pageParam }) =>
      call<readonly ComparedItem[]>("GET", `${path}?limit=25${onlyErrors ? "&errors=true" : ""}${pageParam}`, {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => (next_cursor ? `&cursor=${next_cursor}` : undefined),
    placeholderData: (shown, query) => (query?.queryKey[5] === onlyErrors ? shown : undefined),
  });
  const rows = data?.pages.flatMap((page) => page.data);
  return (
    <section aria-label="Comparison" className="run-items">
      <label className="check">
        <input type="checkbox" checked={onlyErrors} onChange={(event) => setOnlyErrors(event.target.checked)} />
        Only what failed
      </label>
      <ListStates
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        empty={<Empty title={onlyErrors ? "Nothing failed" : "No examples"}>There is nothing to compare here.</Empty>}
      >
        {(all) => all.map((item) => <Item key={item.item_id} item={item} />)}
      </ListStates>
      {hasNextPage ? (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </button>
      ) : null}
    </section>
  );
}

function Item({ item }: { readonly item: ComparedItem }) {
  const { input, output, original, request_id, results } = item;
  const question = messageText(input.messages.at(-1)) || "(empty)";
  return (
    <article className="panel run-item">
      <h3 className="clipped" title={question}>
        {question}
      </h3>
      <div className="answers">
        <section className="answer" aria-label="Original">
          <header className="answer-head">
            <strong>Original</strong>
            {request_id === null ? null : (
              <Link to="/requests/$id" params={{ id: request_id }}>
                Record
              </Link>
            )}
          </header>
          {original === null ? null : <Stats of={original} />}
          <p className="text">{output === null ? "(open)" : messageText(output)}</p>
        </section>
        {results.map((result) => (
          <Result key={result.target} result={result} before={output === null ? undefined : messageText(output)} />
        ))}
      </div>
    </article>
  );
}

function Result({ result, before }: { readonly result: ShownResult; readonly before: string | undefined }) {
  const { target, ok, same, output, error, request_id } = result;
  const text = output === null ? "" : messageText(output);
  return (
    <section className="answer" aria-label={target}>
      <header className="answer-head">
        <strong className="clipped" title={target}>
          {target}
        </strong>
        {ok ? same === true ? <Badge tone="good">same</Badge> : null : <Badge tone="bad">failed</Badge>}
        <Link to="/requests/$id" params={{ id: request_id }}>
          Record
        </Link>
      </header>
      <Stats of={result} />
      {error === null ? null : <p className="trouble">{error}</p>}
      {text === "" ? null : <p className="text">{text}</p>}
      {same === false && before !== undefined && text !== "" ? (
        <details>
          <summary>What differs</summary>
          <Diff before={before} after={text} label={`${target} against the original`} />
        </details>
      ) : null}
    </section>
  );
}

type Figured = Pick<
  ShownResult,
  "cost" | "latency" | "first_token" | "prompt_tokens" | "completion_tokens" | "scores"
> &
  Partial<Pick<ShownResult, "cost_change" | "latency_change">>;

function Stats({ of }: { readonly of: Figured }) {
  const scores = Object.entries(of.scores);
  return (
    <p className="muted run-figures">
      <Money of={of.cost} />
      <Change of={of.cost_change} shown={(value) => <Money of={value} />} /> · <Duration of={of.latency} />
      <Change of={of.latency_change} shown={(value) => <Duration of={value} />} />
      {of.first_token === null ? null : (
        <>
          {" "}
          · first after <Duration of={of.first_token} />
        </>
      )}{" "}
      · <Count of={of.prompt_tokens} /> in, <Count of={of.completion_tokens} /> out
      {scores.map(([name, value]) => ` · ${scoreName(name)} ${shownScore(value)}`)}
    </p>
  );
}

interface ChangeProps {
  readonly of: number | null | undefined;
  readonly shown: (value: number) => React.ReactNode;
}

function Change({ of, shown }: ChangeProps) {
  if (of === null || of === undefined || of === 0) return null;
  return (
    <>
      {" "}
      ({of < 0 ? "−" : "+"}
      {shown(Math.abs(of))})
    </>
  );
}
