import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { get } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Alerts } from "./alerts.tsx";
import type { AlertsSearch } from "./search.ts";
import { ALERTS, type AlertRow } from "./shapes.ts";
import { Webhooks } from "./webhooks.tsx";

export function AlertsPage() {
  const search = useSearch({ from: "/alerts" });
  const navigate = useNavigate({ from: "/alerts" });
  const change = (next: AlertsSearch) => void navigate({ search: next });
  const { tab = "alerts", id, draft } = search;
  const alerts = useQuery({
    queryKey: ALERTS,
    queryFn: ({ signal }) => get<readonly AlertRow[]>("/v1/alerts", signal),
    refetchInterval: 10_000,
  });
  const firing = alerts.data?.filter(({ state }) => state === "firing").length ?? 0;
  const onShow = (next: string | undefined) => change({ ...search, id: next });
  return (
    <Page
      title="Alerts"
      about="Notifications when a metric passes a threshold, and webhooks that receive every request."
    >
      <Tabs
        label="Kinds"
        tabs={{ alerts: firing === 0 ? "Alerts" : `Alerts (${firing} firing)`, webhooks: "Webhooks" }}
        value={tab}
        onChange={(next) => change(next === "webhooks" ? { tab: next } : {})}
      />
      {tab === "alerts" ? (
        <Alerts
          rows={alerts.data}
          error={alerts.error}
          onRetry={() => void alerts.refetch()}
          shown={id}
          onShow={onShow}
          draft={draft}
          onDraftDone={() => change({})}
        />
      ) : (
        <Webhooks shown={id} onShow={onShow} />
      )}
    </Page>
  );
}
