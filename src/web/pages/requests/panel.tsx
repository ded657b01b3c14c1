import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ApiFailure } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { recordQuery } from "../request/record.ts";
import { RequestView, Subtitle, tabBeside } from "../request/request-view.tsx";
import type { RequestTab } from "../request/search.ts";
import { type Neighbours, useNeighbours } from "./neighbours.ts";
import type { RequestsQuestion } from "./query.ts";
import { StepButtons } from "./step-buttons.tsx";

interface RequestPanelProps {
  readonly id: string;
  readonly neighbours: Neighbours;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

type ListPanelProps = Omit<RequestPanelProps, "neighbours"> & { readonly question: RequestsQuestion };

/** The delay before the next request is prefetched. */
const SETTLED_MS = 250;

/** A request in a panel beside its list. */
export function ListPanel({ question, ...rest }: ListPanelProps) {
  const { data } = useQuery(recordQuery(rest.id));
  return <RequestPanel neighbours={useNeighbours(rest.id, data?.request_created_at, question)} {...rest} />;
}

/** A request in a side panel. It gets the focus when it opens; the selected part stays the same from request to request. */
export function RequestPanel({ id, neighbours, onOpen, onClose }: RequestPanelProps) {
  const [tab, setTab] = useState<RequestTab>("conversation");
  const [chosen, choose] = useState<string>();
  const { data, error, refetch } = useQuery(recordQuery(id));
  const panel = useRef<HTMLElement>(null);
  const step = (to: string | undefined) => to !== undefined && onOpen(to);
  useKeys({
    Escape: onClose,
    j: () => step(neighbours.next),
    k: () => step(neighbours.previous),
    "[": () => setTab(tabBeside(tab, -1)),
    "]": () => setTab(tabBeside(tab, 1)),
  });
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (panel.current !== null) panel.current.scrollTop = 0;
  }, [id]);
  const { next } = neighbours;
  const client = useQueryClient();
  useEffect(() => {
    if (next === undefined || data === undefined) return;
    const timer = setTimeout(() => void client.prefetchQuery(recordQuery(next)), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [client, next, data]);
  const isGone = error instanceof ApiFailure && error.status === 404;
  return (
    <section className="request-panel panel" ref={panel} tabIndex={-1} aria-label="Request">
      <header className="request-panel-head">
        <StepButtons {...neighbours} onStep={step} />
        <h2>{data?.model ?? data?.request_path ?? "Request"}</h2>
        <Link to="/requests/$id" params={{ id }} className="button quiet" title="Open the request's own page">
          Open page
        </Link>
        <button type="button" className="quiet" aria-label="Close (Esc)" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {data === undefined ? (
        isGone ? (
          <Empty title="There is no request with this id">It was deleted, or belongs to another organization.</Empty>
        ) : error === null ? (
          <Loading rows={10} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="request-panel-body">
          <p className="page-about">
            <Subtitle record={data} />
          </p>
          <RequestView
            key={id}
            record={data}
            tab={tab}
            compared={{ chosen, choose }}
            tabControl={(name, label) => (
              <button
                key={name}
                type="button"
                aria-current={name === tab ? "page" : undefined}
                onClick={() => setTab(name)}
              >
                {label}
              </button>
            )}
          />
        </div>
      )}
    </section>
  );
}
