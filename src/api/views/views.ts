import { Elysia, type Static } from "elysia";
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
export function viewEndpoints(context: ApiContext, callers: Callers) {
  return new Elysia()
    .get(
      "/v1/views",
      async ({ request }) => success(await visibleViews(context, callers.of(request))),
      endpoint(TAG, "List views", "One's own, and those that are shared in the organization; by name."),
    )
    .get(
      "/v1/views/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        return success(shownView(await visibleView(context, caller, params.id), ownerOf(caller)));
      },
      endpoint(TAG, "Read one view"),
    )
    .post(
      "/v1/views",
      async ({ body, request }) => {
        const caller = callers.of(request);
        return success(await saved(context, caller, newView(caller, body)));
      },
      { body: VIEW_BODY, ...endpoint(TAG, "Save a view", "To share it needs `write`.") },
    )
    .patch(
      "/v1/views/:id",
      async ({ params, body, request }) => {
        const caller = callers.of(request);
        const view = await visibleView(context, caller, params.id);
        return success(await saved(context, caller, changedView(view, caller, body)));
      },
      { body: VIEW_CHANGES, ...endpoint(TAG, "Change parts of a view", `${CHANGING} null resets a member.`) },
    )
    .delete(
      "/v1/views/:id",
      async ({ params, request }) => {
        const caller = callers.of(request);
        const view = await visibleView(context, caller, params.id);
        refuseOthers(view, caller);
        await removeView((await context.writer()).records, view.id);
        return success(shownView(view, ownerOf(caller)));
      },
      endpoint(TAG, "Remove a view", CHANGING),
    );
}

async function visibleViews(context: ApiContext, caller: Caller): Promise<ShownView[]> {
  const owner = ownerOf(caller);
  const views = await listViews(context.current.records, caller.organizationId);
  const shown = views.filter((view) => isVisible(view, owner)).map((view) => shownView(view, owner));
  return shown.sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** @throws GatewayError `not_found`. */
async function visibleView(context: ApiContext, caller: Caller, id: string): Promise<SavedView> {
  const view = await findView(context.current.records, id, caller.organizationId);
  if (view !== undefined && isVisible(view, ownerOf(caller))) return view;
  throw new GatewayError("not_found", "there is no view with this id");
}

function newView(caller: Caller, { name, shared, ...terms }: Static<typeof VIEW_BODY>): SavedView {
  refuseSharing(caller, shared === true);
  const owner = ownerOf(caller);
  const now = Date.now();
  return {
    ...{ id: uuidv7(), organization_id: caller.organizationId, owner_id: owner.id, owner_name: owner.name },
    ...{ name: storable(name.trim()), shared: shared === true, terms: readTerms(terms) },
    ...{ created_at: now, updated_at: now },
  };
}

function changedView(view: SavedView, caller: Caller, changes: Static<typeof VIEW_CHANGES>): SavedView {
  refuseOthers(view, caller);
  const { name = view.name, shared, ...terms } = changes;
  const isShared = shared ?? view.shared;
  refuseSharing(caller, isShared && !view.shared);
  return {
    ...view,
    ...{ name: storable(name.trim()), shared: isShared, updated_at: Date.now() },
    terms: readTerms({ ...view.terms, ...withoutOtherTime(terms) }),
  };
}

/** @throws GatewayError `duplicate_name` if the owner has another view with this name. */
async function saved(context: ApiContext, caller: Caller, view: SavedView): Promise<ShownView> {
  const { id, organization_id, owner_id, name } = view;
  const views = await listViews(context.current.records, organization_id);
  if (views.some((other) => other.id !== id && other.owner_id === owner_id && other.name === name)) {
    const message = `name: you have a view ${JSON.stringify(name)} already`;
    throw new GatewayError("duplicate_name", message, { path: "name" });
  }
  await putView((await context.writer()).records, view, caller);
  return shownView(view, ownerOf(caller));
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

function refuseOthers(view: SavedView, caller: Caller): void {
  if (view.owner_id !== ownerOf(caller).id) require(caller, "admin");
}
