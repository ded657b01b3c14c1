import { Elysia } from "elysia";
import { GatewayError } from "../../errors.ts";
import { isoTime } from "../../record/iso-time.ts";
import { storable } from "../../record/storable.ts";
import { uuidv7 } from "../../runtime/uuid.ts";
import { findView, listViews, putView, removeView, type SavedView, type ViewTerms } from "../../store/saved-views.ts";
import { type Caller, require } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { type Owner, ownerOf } from "../access/owner.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { readTerms, VIEW_BODY, VIEW_CHANGES } from "./view-body.ts";

const TAG = "Views";
const CHANGING = "Its owner can change it; a shared one, callers with `admin` as well. To share it needs `write`.";

/** A view as the API shows it. */
export interface ShownView extends ViewTerms {
  readonly id: string;
  readonly name: string;
  readonly shared: boolean;
  readonly owner: string;
  /** Whether it is the caller's own. */
  readonly own: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Views of the list of requests: the caller's own, or shared in the organization. `figures` suffices for one's own: they
 * change nothing for others.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of endpoints, one statement each
export function viewEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.current;
  const asking = (request: Request) => {
    const caller = callers.of(request);
    return { caller, owner: ownerOf(caller), organizationId: caller.organizationId };
  };
  const visible = async (organizationId: string, owner: Owner) =>
    (await listViews(records, organizationId)).filter((view) => isVisible(view, owner));
  const find = async (request: Request, id: string) => {
    const { caller, owner, organizationId } = asking(request);
    const view = await findView(records, id, organizationId);
    if (view === undefined || !isVisible(view, owner))
      throw new GatewayError("not_found", "there is no view with this id");
    return { view, caller, owner };
  };
  /** @throws GatewayError `duplicate_name` if the owner has another view with this name. */
  const refuseTaken = async ({ id, organization_id, owner_id, name }: SavedView) => {
    const views = await listViews(records, organization_id);
    if (!views.some((view) => view.id !== id && view.owner_id === owner_id && view.name === name)) return;
    throw new GatewayError("duplicate_name", `name: you have a view ${JSON.stringify(name)} already`, { path: "name" });
  };
  const put = async (view: SavedView, caller: Caller) => {
    await refuseTaken(view);
    await putView((await context.writer()).records, view, caller);
    return success(shownView(view, ownerOf(caller)));
  };

  return new Elysia()
    .get(
      "/v1/views",
      async ({ request }) => {
        const { owner, organizationId } = asking(request);
        const views = (await visible(organizationId, owner)).map((view) => shownView(view, owner));
        return success(views.sort((a, b) => a.name.localeCompare(b.name, "en")));
      },
      endpoint(TAG, "List views", "One's own, and those that are shared in the organization; by name."),
    )
    .get(
      "/v1/views/:id",
      async ({ params, request }) => {
        const { view, owner } = await find(request, params.id);
        return success(shownView(view, owner));
      },
      endpoint(TAG, "Read one view"),
    )
    .post(
      "/v1/views",
      async ({ body, request }) => {
        const { caller, owner, organizationId } = asking(request);
        const { name, shared, ...terms } = body;
        refuseSharing(caller, shared === true);
        const now = Date.now();
        const view: SavedView = {
          ...{ id: uuidv7(), organization_id: organizationId, owner_id: owner.id, owner_name: owner.name },
          ...{ name: storable(name.trim()), shared: shared === true, terms: readTerms(terms) },
          ...{ created_at: now, updated_at: now },
        };
        return put(view, caller);
      },
      { body: VIEW_BODY, ...endpoint(TAG, "Save a view", "To share it needs `write`.") },
    )
    .patch(
      "/v1/views/:id",
      async ({ params, body, request }) => {
        const { view, caller, owner } = await find(request, params.id);
        refuseOthers(view, caller, owner);
        const { name = view.name, shared, ...terms } = body;
        const isShared = shared ?? view.shared;
        refuseSharing(caller, isShared && !view.shared);
        const next: SavedView = {
          ...view,
          ...{ name: storable(name.trim()), shared: isShared, updated_at: Date.now() },
          terms: readTerms({ ...view.terms, ...withoutOtherTime(terms) }),
        };
        return put(next, caller);
      },
      { body: VIEW_CHANGES, ...endpoint(TAG, "Change parts of a view", `${CHANGING} null resets a member.`) },
    )
    .delete(
      "/v1/views/:id",
      async ({ params, request }) => {
        const { view, caller, owner } = await find(request, params.id);
        refuseOthers(view, caller, owner);
        await removeView((await context.writer()).records, view.id);
        return success(shownView(view, owner));
      },
      endpoint(TAG, "Remove a view", CHANGING),
    );
}

const isVisible = (view: SavedView, owner: Owner) => view.shared || view.owner_id === owner.id;

function shownView({ id, name, shared, owner_id, owner_name, terms, ...times }: SavedView, owner: Owner): ShownView {
  return {
    ...{ id, name, shared, owner: owner_name, own: owner_id === owner.id },
    ...terms,
    ...{ created_at: isoTime(times.created_at), updated_at: isoTime(times.updated_at) },
  };
}

/** A range replaces the moments of a view, and moments replace its range. */
function withoutOtherTime<Terms extends { readonly range?: unknown; readonly from?: unknown; readonly to?: unknown }>(
  terms: Terms,
) {
  if (terms.range) return { from: null, to: null, ...terms };
  return terms.from || terms.to ? { range: null, ...terms } : terms;
}

function refuseSharing(caller: Caller, isShared: boolean): void {
  if (isShared) require(caller, "write", "shared");
}

function refuseOthers(view: SavedView, caller: Caller, owner: Owner): void {
  if (view.owner_id !== owner.id) require(caller, "admin");
}
