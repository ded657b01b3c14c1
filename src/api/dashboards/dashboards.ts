import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { storable } from "../../record/storable.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import {
  type DashboardTerms,
  findDashboard,
  listDashboards,
  putDashboard,
  removeDashboard,
  type StoredDashboard,
} from "../../store/dashboards.ts";
import { type Caller, require } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { type Owner, ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { DASHBOARD_BODY, type DashboardBody } from "./dashboard-body.ts";
import { readDashboard } from "./read-dashboard.ts";
import { SHIPPED } from "./shipped.ts";

const TAG = "Dashboards";
const CHANGING =
  "Its owner can change it; a shared one, callers with `admin` as well. Copy a built-in one to change it.";

/** Members of a dashboard in the API, besides its contents. */
interface Shown {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  /** Whether it comes with Weir. */
  readonly shipped: boolean;
  readonly owner: string | null;
  /** Whether it is the caller's own. */
  readonly own: boolean;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}
export type ShownDashboard = Shown & DashboardTerms;

/** One dashboard in the list. */
export interface ListedDashboard extends Shown {
  readonly description: string;
  /** The number of panels. */
  readonly panels: number;
}

/**
 * Dashboards: the caller's own, shared in the organization, or shipped. `figures` suffices for one's own: they show only
 * what the caller may query elsewhere.
 */
export function dashboardEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.current;
  const visible = async ({ organizationId }: Caller, owner: Owner) =>
    (await listDashboards(records, organizationId)).filter((each) => isVisible(each, owner));
  const find = async (caller: Caller, id: string) => {
    const found = await findDashboard(records, id, caller.organizationId);
    if (found === undefined || !isVisible(found, ownerOf(caller)))
      throw new GatewayError("not_found", "there is no dashboard with this id");
    return found;
  };
  /** @throws GatewayError if it belongs to someone else, or is shipped. */
  const findToChange = async (caller: Caller, id: string) => {
    if (Object.hasOwn(SHIPPED, id)) {
      const message = `"${id}" is built in and cannot be changed: create a copy with POST /v1/dashboards`;
      throw new GatewayError("invalid_body", message);
    }
    const found = await find(caller, id);
    if (found.owner_id !== ownerOf(caller).id) require(caller, "admin");
    return found;
  };
  const put = async (dashboard: StoredDashboard, caller: Caller, previous?: StoredDashboard) => {
    if (dashboard.shared && previous?.shared !== true) require(caller, "write", "shared");
    refuseTaken(dashboard, await listDashboards(records, dashboard.organization_id));
    await putDashboard((await context.writer()).records, dashboard, caller, previous);
    return success(shown(dashboard, ownerOf(caller)));
  };

  return new Elysia()
    .get(
      "/v1/dashboards",
      async ({ request }) => {
        const caller = callers.of(request);
        const owner = ownerOf(caller);
        const own = (await visible(caller, owner)).map((each) => listed(shown(each, owner)));
        const all = own.sort((a, b) => a.name.localeCompare(b.name, "en"));
        return success([...all, ...SHIPPED_SHOWN.map(listed)]);
      },
      endpoint(TAG, "List dashboards", "One's own and those that are shared, by name; then those that Weir ships."),
    )
    .get(
      "/v1/dashboards/:id",
      async ({ params, request }) => {
        const shipped = SHIPPED_SHOWN.find(({ id }) => id === params.id);
        if (shipped !== undefined) return success(shipped);
        const caller = callers.of(request);
        return success(shown(await find(caller, params.id), ownerOf(caller)));
      },
      endpoint(TAG, "Read one dashboard"),
    )
    .post(
      "/v1/dashboards",
      async ({ body, request }) => {
        const caller = callers.of(request);
        const owner = ownerOf(caller);
        const now = Date.now();
        const dashboard: StoredDashboard = {
          ...{ id: uuidv7(), organization_id: caller.organizationId, owner_id: owner.id, owner_name: owner.name },
          ...contentOf(body),
          ...{ created_at: now, updated_at: now },
        };
        return put(dashboard, caller);
      },
      { body: DASHBOARD_BODY, ...endpoint(TAG, "Create a dashboard", "To share it needs `write`.") },
    )
    .put(
      "/v1/dashboards/:id",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const previous = await findToChange(caller, params.id);
        return put({ ...previous, ...contentOf(body), updated_at: Date.now() }, caller, previous);
      },
      { body: DASHBOARD_BODY, ...endpoint(TAG, "Replace a dashboard", CHANGING) },
    )
    .delete(
      "/v1/dashboards/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const dashboard = await findToChange(caller, params.id);
        await removeDashboard((await context.writer()).records, dashboard, caller, []);
        return success(shown(dashboard, ownerOf(caller)));
      },
      endpoint(TAG, "Remove a dashboard", CHANGING),
    );
}

const isVisible = (dashboard: StoredDashboard, owner: Owner) => dashboard.shared || dashboard.owner_id === owner.id;

function contentOf(body: DashboardBody): Pick<StoredDashboard, "name" | "shared" | "terms"> {
  return { name: storable(body.name.trim()), shared: body.shared === true, terms: readDashboard(body) };
}

/** @throws GatewayError `duplicate_name` if the owner has another dashboard with this name. */
function refuseTaken({ id, owner_id, name }: StoredDashboard, all: readonly StoredDashboard[]): void {
  if (!all.some((each) => each.id !== id && each.owner_id === owner_id && each.name === name)) return;
  const message = `name: its owner has a dashboard ${JSON.stringify(name)} already: give it another name`;
  throw new GatewayError("duplicate_name", message, { path: "name" });
}

function shown(dashboard: StoredDashboard, owner: Owner): ShownDashboard {
  const { id, name, shared, owner_id, owner_name, terms, created_at, updated_at } = dashboard;
  return {
    ...{ id, name, shared, shipped: false, owner: owner_name, own: owner_id === owner.id },
    ...terms,
    ...{ created_at: isoTime(created_at), updated_at: isoTime(updated_at) },
  };
}

const SHIPPED_SHOWN = Object.entries(SHIPPED).map(([id, body]): ShownDashboard => {
  return {
    ...{ id, name: body.name, shared: true, shipped: true, owner: null, own: false },
    ...readDashboard(body),
    ...{ created_at: null, updated_at: null },
  };
});

function listed(dashboard: ShownDashboard): ListedDashboard {
  const { id, name, shared, shipped, owner, own, description, panels, created_at, updated_at } = dashboard;
  const about = { id, name, shared, shipped, owner, own, description };
  return { ...about, panels: panels.length, created_at, updated_at };
}
