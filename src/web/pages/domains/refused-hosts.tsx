import { useQuery } from "@tanstack/react-query";
import { post } from "../../api.ts";
import { and, during, leaf } from "../../filter/tree.ts";
import type { MetricsRow } from "../../metrics/series.ts";
import { formatCount } from "../../parts/format.ts";
import { ApproveHost, useDomains } from "./approve-here.tsx";
import { type RefusedRow, unapprovedHosts } from "./unapproved.ts";

const HOUR_MS = 3_600_000;
const EVERY_MS = 15_000;
/** Refused requests that are checked individually. */
const ROWS_MAX = 200;

interface RefusedHostsProps {
  /** Leaves out hosts that the list of domains has: a private target is refused before it is counted. */
  readonly isPrivateOnly?: boolean;
  readonly hostsMax?: number;
}

/** Shows the hosts for which requests were refused in the last hour, and lets an admin approve them. */
export function RefusedHosts({ isPrivateOnly = false, hostsMax = 3 }: RefusedHostsProps) {
  const refused = useRefused();
  const domains = useDomains(refused !== undefined && refused.length > 0);
  if (refused === undefined || domains === undefined) return null;
  const hosts = unapprovedHosts(refused, domains)
    .filter(({ isPrivate }) => isPrivate || !isPrivateOnly)
    .slice(0, hostsMax);
  if (hosts.length === 0) return null;
  const least = refused.length === ROWS_MAX ? "At least " : "";
  return (
    <section className="panel notice" aria-label="Refused for their domain">
      {hosts.map((host) => (
        <div key={host.host} className="notice-row">
          <p role="status">
            {least}
            {formatCount(host.requests)} {host.requests === 1 ? "request was" : "requests were"} refused in the last
            hour: <strong>{host.host}</strong> is not approved.
          </p>
          <ApproveHost {...host} />
        </div>
      ))}
    </section>
  );
}

/** The newest refused requests of the last hour. Counts come first, because they are fast for any number of records. */
function useRefused(): readonly RefusedRow[] | undefined {
  return useQuery({
    queryKey: ["refused"],
    refetchInterval: EVERY_MS,
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - HOUR_MS).toISOString();
      const filter = and(during({ from }), leaf("outcome", { equals: "refused" }));
      const [total] = await post<readonly MetricsRow[]>("/v1/metrics/query", { filter }, signal);
      if (total === undefined || total.requests === 0) return [];
      return post<readonly RefusedRow[]>("/v1/request/query-fast", { filter, limit: ROWS_MAX }, signal);
    },
  }).data;
}
