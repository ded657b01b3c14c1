import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { modelsQuery } from "../../name-queries.ts";
import { isTyping } from "../../parts/list-search.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { MappingDialog } from "./mapping-dialog.tsx";
import { ModelsTable } from "./models-table.tsx";
import { Prices } from "./prices.tsx";
import type { ModelsSearch } from "./search.ts";

/** Polling interval for results of the mapper. */
const LOOK_MS = 15_000;

export function ModelsPage() {
  const search = useSearch({ from: "/models" });
  const navigate = useNavigate({ from: "/models" });
  const change = (next: ModelsSearch) => void navigate({ search: next, replace: isTyping(search, next) });
  const { tab = "models", q } = search;
  return (
    <Page
      title="Models"
      about="Every model seen in requests: whether Weir can read its requests, and what it costs."
      actions={
        <SearchBox
          label="Search models"
          value={q ?? ""}
          onSearch={(text) => change({ ...search, q: text || undefined })}
        />
      }
    >
      <Tabs
        label="Models and prices"
        tabs={{ models: "Models and mappings", prices: "Prices" }}
        value={tab}
        onChange={(next) => change(next === "prices" ? { tab: next, q } : { q })}
      />
      {tab === "prices" ? <Prices part={q} /> : <Models search={search} onChange={change} />}
    </Page>
  );
}

interface ModelsProps {
  readonly search: ModelsSearch;
  readonly onChange: (next: ModelsSearch) => void;
}

function Models({ search, onChange }: ModelsProps) {
  const { q, state, model, provider } = search;
  const { data, error, refetch } = useQuery({ ...modelsQuery, refetchInterval: LOOK_MS });
  const part = q?.toLowerCase() ?? "";
  const rows = data?.filter(
    (row) =>
      (state === undefined || row.state === state) && `${row.provider} ${row.model}`.toLowerCase().includes(part),
  );
  const pending = data?.filter((row) => row.state === "pending").length ?? 0;
  return (
    <>
      {pending === 0 ? null : (
        <p className="notice-line">
          {pending === 1 ? "One model is" : `${pending} models are`} pending mapping: requests are stored whole, and are
          read once it is mapped.{" "}
          <button
            type="button"
            className="link"
            onClick={() => onChange({ ...search, state: state === "pending" ? undefined : "pending" })}
          >
            {state === "pending" ? "Show all models" : "Show these alone"}
          </button>
        </p>
      )}
      <ListStates
        rows={rows}
        error={error}
        onRetry={() => void refetch()}
        empty={
          data?.length === 0 ? (
            <Empty title="No model was seen yet">It appears here with its first request.</Empty>
          ) : (
            "No model with this name"
          )
        }
      >
        {(all) => <ModelsTable rows={all} />}
      </ListStates>
      {model === undefined ? null : (
        <MappingDialog
          key={`${provider} ${model}`}
          model={model}
          provider={provider}
          onClose={() => onChange({ ...search, model: undefined, provider: undefined })}
        />
      )}
    </>
  );
}
