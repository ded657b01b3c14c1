import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ApiFailure } from "../../api.ts";
import { Icon } from "../../parts/icon.tsx";
import { KeyHelp } from "../../parts/key-help.tsx";
import { Page } from "../../parts/page.tsx";
import { useKeys } from "../../parts/shortcuts.ts";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { REQUEST_KEYS } from "../requests/key-list.ts";
import { useNeighbours } from "../requests/neighbours.ts";
import { lastQuestion, lastSearch, rememberActive } from "../requests/place.ts";
import { StepButtons } from "../requests/step-buttons.tsx";
import type { Compared } from "./compare.tsx";
import { DatasetButton } from "./dataset-button.tsx";
import { DeleteButton } from "./delete-button.tsx";
import { recordQuery } from "./record.ts";
import { RequestView, Subtitle, tabBeside } from "./request-view.tsx";
import type { RequestTab } from "./search.ts";

const route = getRouteApi("/requests/$id");

/** The first part is the default, which the address leaves out. */
const searchOf = (tab: RequestTab) => (tab === "conversation" ? {} : { tab });

/** The other request of a comparison, kept in the address. */
function useCompared(id: string): Compared {
  const { with: chosen } = route.useSearch();
  const navigate = useNavigate();
  const choose = (other: string | undefined) =>
    void navigate({
      ...{ to: "/requests/$id", params: { id }, search: { tab: "compare", with: other } },
      ...{ replace: true, resetScroll: false },
    });
  return { chosen, choose };
}

export function RequestPage() {
  const { id } = route.useParams();
  const { tab = "conversation" } = route.useSearch();
  const compared = useCompared(id);
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(recordQuery(id));
  const back = () => void navigate({ to: "/requests", search: lastSearch() });
  const open = (by: number) =>
    void navigate({
      to: "/requests/$id",
      params: { id },
      search: searchOf(tabBeside(tab, by)),
      replace: true,
      resetScroll: false,
    });
  const question = useMemo(lastQuestion, []);
  const neighbours = useNeighbours(id, data?.request_created_at, question);
  const step = (to: string | undefined) => {
    if (to === undefined) return;
    rememberActive(to);
    void navigate({ to: "/requests/$id", params: { id: to }, search: searchOf(tab), replace: true });
  };
  const [isHelping, setHelping] = useState(false);
  useKeys({
    Escape: back,
    "[": () => open(-1),
    "]": () => open(1),
    j: () => step(neighbours.next),
    k: () => step(neighbours.previous),
    "?": () => setHelping(true),
  });
  const backLink = (
    <>
      <StepButtons {...neighbours} onStep={step} />
      <Link to="/requests" search={lastSearch()} className="button quiet">
        <Icon name="list" /> All requests
      </Link>
    </>
  );
  if (data === undefined) {
    const isGone = error instanceof ApiFailure && error.status === 404;
    return (
      <Page title="Request" actions={backLink}>
        {isGone ? (
          <Empty title="There is no request with this id">It was deleted, or belongs to another organization.</Empty>
        ) : error === null ? (
          <Loading rows={12} />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={data.model ?? data.request_path ?? "Request"}
      about={<Subtitle record={data} />}
      actions={
        <>
          {backLink}
          <Link to="/playground" search={{ from: id }} className="button">
            <Icon name="play" /> Try again with…
          </Link>
          <DatasetButton id={id} />
          <DeleteButton id={id} onDone={back} />
          <button type="button" className="quiet" aria-label="Keys" onClick={() => setHelping(true)}>
            <Icon name="help" />
          </button>
        </>
      }
    >
      <RequestView
        key={id}
        record={data}
        tab={tab}
        compared={compared}
        tabControl={(name, label) => (
          <Link
            key={name}
            to="/requests/$id"
            params={{ id }}
            search={searchOf(name)}
            replace
            resetScroll={false}
            activeOptions={{ exact: true }}
          >
            {label}
          </Link>
        )}
      />
      {isHelping ? <KeyHelp keys={REQUEST_KEYS} onClose={() => setHelping(false)} /> : null}
    </Page>
  );
}
