import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ApiFailure, call, get, post } from "../../../api.ts";
import { leaf } from "../../../filter/tree.ts";
import { RequestsLink } from "../../../metrics/links.tsx";
import { Badge } from "../../../parts/badge.tsx";
import { ConfirmButton, Trouble } from "../../../parts/confirm-button.tsx";
import { formatCount, formatCounted } from "../../../parts/format.ts";
import { GatedButton } from "../../../parts/gated-button.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { Page } from "../../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../../parts/states.tsx";
import { Money } from "../../../parts/values.tsx";
import { RunItems } from "./run-items.tsx";
import { LOOK_MS, type RunWithTotals, runsKey, runsPath, STATES } from "./shapes.ts";
import { TotalsTable } from "./totals-table.tsx";

const route = getRouteApi("/datasets/$id/runs/$run");

export function RunPage() {
  const { id, run } = route.useParams();
  const path = `${runsPath(id)}/${encodeURIComponent(run)}`;
  const { data, error, refetch } = useQuery({
    queryKey: [...runsKey(id), run],
    queryFn: ({ signal }) => get<RunWithTotals>(path, signal),
    // Totals are computed from every call, so a large run is polled less often: an interval of one millisecond per call.
    refetchInterval: ({ state: { data } }) => (data?.state === "running" ? Math.max(LOOK_MS, data.calls) : false),
  });
  if (data === undefined) {
    const isGone = error instanceof ApiFailure && error.status === 404;
    return (
      <Page title="Run" actions={<ToDataset id={id} />}>
        {isGone ? (
          <Empty title="There is no run with this id">It was deleted, or belongs to another dataset.</Empty>
        ) : error === null ? (
          <Loading />
        ) : (
          <Failed error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={data.name}
      about={`A run over version ${data.version} of the dataset.`}
      actions={<Actions run={data} path={path} />}
    >
      <Progress run={data} />
      <TotalsTable run={data} />
      <RunItems run={data} path={`${path}/items`} />
    </Page>
  );
}

function ToDataset({ id }: { readonly id: string }) {
  return (
    <Link to="/datasets/$id" params={{ id }} className="button quiet">
      <Icon name="left" /> Dataset
    </Link>
  );
}

function Progress({ run }: { readonly run: RunWithTotals }) {
  const { state, reason, done, calls, errors, cost, unknown_costs, max_cost } = run;
  const [tone, word] = STATES[state];
  return (
    <div className="run-progress" role="status">
      <Badge tone={tone}>{word}</Badge>
      <Meter label="Calls made" value={done} max={calls} text={`${formatCount(done)} of ${formatCount(calls)}`} />
      <span>
        {formatCount(done)} of {formatCounted(calls, "call")}, {formatCount(errors)} failed, <Money of={cost} />
        {max_cost === null ? null : (
          <>
            {" "}
            of <Money of={max_cost} />
          </>
        )}
        {unknown_costs > 0 ? `; the price of ${formatCount(unknown_costs)} is not known` : ""}
      </span>
      {reason === null ? null : <p className="trouble">{reason}</p>}
    </div>
  );
}

function Actions({ run, path }: { readonly run: RunWithTotals; readonly path: string }) {
  const { id, dataset_id, state, done, calls, errors } = run;
  const navigate = useNavigate();
  const act = useMutation({
    mutationFn: ({ what, body }: { readonly what: "cancel" | "resume"; readonly body?: object }) =>
      post(`${path}/${what}`, body ?? {}),
  });
  const isRunning = state === "running";
  return (
    <>
      <Trouble error={act.error} />
      <ToDataset id={dataset_id} />
      <RequestsLink filter={leaf("properties", { "Dataset-Run": { equals: id } })}>Its requests</RequestsLink>
      {isRunning ? (
        <GatedButton scope="gateway" disabled={act.isPending} onClick={() => act.mutate({ what: "cancel" })}>
          Cancel run
        </GatedButton>
      ) : null}
      {!isRunning && done < calls ? (
        <GatedButton
          scope="gateway"
          disabled={act.isPending}
          // The cost limit at which it stopped would stop it again.
          onClick={() => act.mutate({ what: "resume", body: state === "stopped" ? { max_cost: null } : {} })}
        >
          {run.max_cost !== null && state === "stopped" ? "Go on without a limit" : "Go on"}
        </GatedButton>
      ) : null}
      {!isRunning && errors > 0 ? (
        <GatedButton
          scope="gateway"
          disabled={act.isPending}
          onClick={() => act.mutate({ what: "resume", body: { errors: true } })}
        >
          Send what failed again
        </GatedButton>
      ) : null}
      <Menu label="Download" icon="download">
        {(close) =>
          (["csv", "jsonl"] as const).map((format) => (
            <a key={format} className="button quiet" href={`${path}/export?format=${format}`} download onClick={close}>
              {format.toUpperCase()}
            </a>
          ))
        }
      </Menu>
      <ConfirmButton
        scope="write"
        label="Delete"
        title={`Delete the run “${run.name}”?`}
        action="Delete run"
        danger
        className=""
        run={async () => {
          await call("DELETE", path);
          await navigate({ to: "/datasets/$id", params: { id: dataset_id } });
        }}
      >
        Its comparison is deleted. Its requests stay.
      </ConfirmButton>
    </>
  );
}
