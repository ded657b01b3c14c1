import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FileView } from "../../../plugin-host/view.ts";
import { get } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { isTyping } from "../../parts/list-search.ts";
import { ListStates } from "../../parts/list-states.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { PluginsSearch } from "./search.ts";

type FileRow = FileView;

interface PluginRow extends FileRow {
  readonly hooks: readonly string[];
  readonly routes: readonly string[];
  readonly failures: readonly { readonly thread: string; readonly hook: string; readonly count: number }[];
}

interface ProviderRow extends FileRow {
  readonly aliases: readonly string[];
  readonly hosts: readonly string[];
  readonly target: string | null;
  readonly dedicated_domain: string | null;
  readonly extends: string | null;
}

/** Polling interval: a drop-in is loaded within seconds of its change. */
const LOOK_MS = 3_000;

export function PluginsPage() {
  const search = useSearch({ from: "/plugins" });
  const navigate = useNavigate({ from: "/plugins" });
  const change = (next: PluginsSearch) => void navigate({ search: next, replace: isTyping(search, next) });
  const { tab = "plugins", q } = search;
  const plugins = useQuery({
    queryKey: ["plugins"],
    queryFn: ({ signal }) => get<readonly PluginRow[]>("/v1/plugins", signal),
    refetchInterval: LOOK_MS,
  });
  const providers = useQuery({
    queryKey: ["providers"],
    queryFn: ({ signal }) => get<readonly ProviderRow[]>("/v1/providers", signal),
    refetchInterval: LOOK_MS,
  });
  const shown = tab === "plugins" ? plugins : providers;
  const found = (row: FileRow) => q === undefined || textOf(row).includes(q.toLowerCase());
  return (
    <Page
      title="Plugins"
      about="What is loaded and from where. Files in the drop-in folders are loaded when they change, without a restart."
      actions={
        <SearchBox
          label="Search by name, host or file"
          value={q ?? ""}
          onSearch={(text) => change({ ...search, q: text || undefined })}
        />
      }
    >
      <Troubles rows={[...(plugins.data ?? []), ...(providers.data ?? [])]} />
      <Tabs
        label="Kinds"
        tabs={{ plugins: countedTab("Plugins", plugins.data), providers: countedTab("Providers", providers.data) }}
        value={tab}
        onChange={(next) => change(next === "plugins" ? {} : { tab: next })}
      />
      {tab === "plugins" ? (
        <ListStates
          rows={plugins.data?.filter(found)}
          error={shown.error}
          onRetry={() => void shown.refetch()}
          empty="No plugin with this name"
        >
          {(rows) => <DataTable label="Plugins" rows={rows} columns={PLUGIN_COLUMNS} rowKey={({ file }) => file} />}
        </ListStates>
      ) : (
        <ListStates
          rows={providers.data?.filter(found)}
          error={shown.error}
          onRetry={() => void shown.refetch()}
          empty="No provider with this name"
        >
          {(rows) => <DataTable label="Providers" rows={rows} columns={PROVIDER_COLUMNS} rowKey={({ file }) => file} />}
        </ListStates>
      )}
    </Page>
  );
}

const countedTab = (label: string, rows: readonly unknown[] | undefined) =>
  rows === undefined ? label : `${label} (${formatCount(rows.length)})`;

const textOf = (row: FileRow) => JSON.stringify(Object.values(row)).toLowerCase();

/** Problems of files in all tabs. */
function Troubles({ rows }: { readonly rows: readonly FileRow[] }) {
  const wrong = rows.filter(({ reason }) => reason !== null);
  if (wrong.length === 0) return null;
  return (
    <section className="panel notice" aria-label="Not loaded as they are now">
      {wrong.map(({ file, name, state, reason }) => (
        <div key={file} className="notice-row">
          <Badge tone="bad">{state === "failed" ? "failed" : "older version in use"}</Badge>
          <div>
            <p>
              <strong>{name ?? shortName(file)}</strong> <code>{file}</code>
            </p>
            <p className="notice-text">{reason}</p>
          </div>
        </div>
      ))}
    </section>
  );
}

const shortName = (file: string) => file.replace(/^.*[\\/]/, "");

/** The folder and the name: the tooltip has the full path. */
const endOf = (file: string) => file.split(/[\\/]/).slice(-2).join("/");

const FILE_COLUMNS = <T extends FileRow>(): readonly Column<T>[] => [
  {
    id: "name",
    header: "Name",
    value: (row) => row.name ?? row.file,
    cell: (row) => <strong>{row.name ?? shortName(row.file)}</strong>,
  },
  {
    id: "state",
    header: "State",
    value: (row) => row.state,
    cell: (row) => (
      <Badge
        tone={row.state === "failed" ? "bad" : row.reason !== null ? "warn" : row.state === "loaded" ? "good" : "plain"}
      >
        {row.state}
      </Badge>
    ),
  },
  { id: "source", header: "From", value: (row) => row.source, cell: (row) => row.source },
];

const FILE: Column<FileRow> = {
  id: "file",
  header: "File",
  value: (row) => row.file,
  cell: (row) => <code title={row.file}>{endOf(row.file)}</code>,
};

const PLUGIN_COLUMNS: readonly Column<PluginRow>[] = [
  ...FILE_COLUMNS<PluginRow>(),
  { id: "hooks", header: "Hooks", cell: (row) => row.hooks.join(", ") || <span className="muted">none</span> },
  {
    id: "routes",
    header: "Endpoints",
    align: "end",
    value: (row) => row.routes.length,
    cell: (row) => <span title={row.routes.join("\n")}>{row.routes.length}</span>,
  },
  {
    id: "failures",
    header: "Failed calls",
    align: "end",
    value: (row) => row.failures.reduce((sum, { count }) => sum + count, 0),
    cell: (row) =>
      row.failures.length === 0 ? (
        "0"
      ) : (
        <span className="failures">
          {row.failures.map(({ thread, hook, count }) => (
            <span key={`${thread} ${hook}`} title={`in the ${thread}'s thread, since the start`}>
              {hook} {formatCount(count)}
            </span>
          ))}
        </span>
      ),
  },
  FILE,
];

const PROVIDER_COLUMNS: readonly Column<ProviderRow>[] = [
  ...FILE_COLUMNS<ProviderRow>(),
  {
    id: "hosts",
    header: "Hosts",
    cell: (row) => (
      <span title={row.hosts.join("\n")}>{row.hosts.join(", ") || <span className="muted">none</span>}</span>
    ),
  },
  {
    id: "dedicated_domain",
    header: "Own gateway address",
    value: (row) => row.dedicated_domain,
    cell: (row) =>
      row.dedicated_domain === null ? <span className="muted">none</span> : <code>{row.dedicated_domain}</code>,
  },
  {
    id: "extends",
    header: "Read as",
    value: (row) => row.extends,
    cell: (row) => row.extends ?? <span className="muted">itself</span>,
  },
  FILE,
];
