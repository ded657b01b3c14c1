import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { useMissing } from "../../session.ts";
import { DraftError } from "./draft.ts";
import { PromptForm } from "./prompt-form.tsx";
import { RunView } from "./run-view.tsx";
import { usePlayground } from "./store.ts";
import { takeOver } from "./take-over.ts";

const ABOUT =
  "Send a prompt to one model, or compare several. Requests are recorded, priced and limited like any other of your key.";

export function PlaygroundPage() {
  const missing = useMissing("gateway");
  const { from, model } = useSearch({ from: "/playground" });
  const { playground, state } = usePlayground();
  const navigate = useNavigate({ from: "/playground" });
  useEffect(() => {
    if (from !== undefined || model === undefined) return;
    playground.edit({ models: [model] });
    void navigate({ search: {}, replace: true });
  }, [from, model, playground, navigate]);
  const taken = useTakenOver(from);
  const [wrong, setWrong] = useState<DraftError>();
  const results = useRef<HTMLElement>(null);
  const send = () => {
    try {
      playground.send();
      setWrong(undefined);
      requestAnimationFrame(() => showBelow(results.current)); // once they are rendered
    } catch (error) {
      if (!(error instanceof DraftError)) throw error;
      setWrong(error);
    }
  };
  if (missing !== undefined) {
    return (
      <Page title="Playground" about={ABOUT}>
        <div className="panel">
          <Empty title="This key cannot send requests">{missing} Log out, and in with another one.</Empty>
        </div>
      </Page>
    );
  }
  return (
    <Page title="Playground" about={ABOUT}>
      <div className="playground">
        <div className="playground-prompt">
          {taken.error !== null ? (
            <Failed error={taken.error} onRetry={() => void taken.refetch()} />
          ) : taken.isFetching ? (
            <Loading rows={6} label="Reading the recorded request" />
          ) : (
            <PromptForm draft={state.draft} wrong={wrong} onEdit={(change) => playground.edit(change)} onSend={send} />
          )}
        </div>
        <section ref={results} className="playground-runs" aria-label="Responses">
          {state.runs.length === 0 ? (
            <div className="panel">
              <Empty title="No responses yet">
                Name a model, write a message and press Send. With several models their responses stand side by side,
                with tokens, cost and times.
              </Empty>
            </div>
          ) : (
            state.runs.map((run) => (
              <RunView
                key={run.id}
                run={run}
                onStop={(attempt) => playground.stop(attempt)}
                onReuse={() => playground.edit(run.draft)}
                onRemove={() => playground.removeRun(run.id)}
              />
            ))
          )}
        </section>
      </div>
    </Page>
  );
}

/** On a narrow screen the responses are below the prompt. */
function showBelow(results: HTMLElement | null): void {
  const isBelow = (results?.getBoundingClientRect().top ?? 0) > window.innerHeight / 2;
  if (isBelow) results?.scrollIntoView({ block: "start" });
}

/** Loads the recorded request named in the address, once. */
function useTakenOver(id: string | undefined) {
  const { playground, state } = usePlayground();
  const navigate = useNavigate({ from: "/playground" });
  const query = useQuery({
    queryKey: ["take-over", id],
    queryFn: ({ signal }) => takeOver(id!, signal),
    enabled: id !== undefined && state.from !== id,
    gcTime: 0,
    staleTime: 0,
    retry: false,
    structuralSharing: false,
  });
  const { data } = query;
  useEffect(() => {
    if (data === undefined || id === undefined) return;
    playground.begin(id, data.draft, data.recorded);
    // From here on, edits differ from the request in the address.
    void navigate({ search: {}, replace: true });
  }, [data, id, playground, navigate]);
  return query;
}
