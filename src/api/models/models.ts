import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { faultOf, type Mapping } from "../../mapping/mapping.ts";
import { isoTime } from "../../record/iso-time.ts";
import { within } from "../../runtime/within.ts";
import { approveNewest, putMapping, rollBack, shownMapping, shownVersion } from "../../store/models/mapping-steps.ts";
import { type ModelName, mappingHistory, type StoredMapping } from "../../store/models/mappings.ts";
import { listModels } from "../../store/models/models.ts";
import type { Database } from "../../store/store.ts";
import type { ExpediteOrder } from "../../threads.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";

/** How long a response waits for the mapper, which may have many records to read again; after that it continues in the background. */
const EXPEDITE_MS = 30_000;

/** The parameter that selects a model. */
const QUERY = { provider: t.String({ description: "The provider, if several have a model with this name." }) };

/** Models, whether they are mapped, and how. */
export function modelEndpoints(context: ApiContext, callers: Callers) {
  const { records } = context.reader;
  const organization = (request: Request) => callers.of(request).organizationId;
  /** Applies a change to the mapping of the addressed model, and informs the other threads. */
  const step = async (
    request: Request,
    work: (records: Database, name: ModelName, by: Caller) => Promise<StoredMapping | undefined>,
  ) => {
    const name = await nameOf(records, request, organization(request));
    const done = await work((await context.writer()).records, name, callers.of(request));
    if (done === undefined) throw new GatewayError("not_found", "the model has no mapping");
    spread(context);
    return success(shownMapping(done));
  };
  return new Elysia()
    .get(
      "/v1/models",
      async ({ request }) => {
        await settled(context);
        const rows = await listModels(records, organization(request));
        return success(rows.map(({ organization_id: _, since, ...row }) => ({ ...row, since: isoTime(since) })));
      },
      endpoint("Models", "List models and whether they are mapped"),
    )
    .post(
      "/v1/models/:model/expedite",
      async ({ request }) => {
        await settled(context);
        const { model, provider } = addressed(request);
        const order = { organizationId: organization(request), model, ...(provider !== undefined && { provider }) };
        return success(await expedite(context, order));
      },
      endpoint("Models", "Map a model now", "Returns the result for each provider.", { query: QUERY }),
    )
    .get(
      "/v1/models/:model/mapping",
      async ({ request }) => {
        const name = await nameOf(records, request, organization(request));
        const history = await mappingHistory(records, name);
        const shown = shownVersion(history);
        if (shown === undefined) throw new GatewayError("not_found", "the model has no mapping");
        return success({ ...shownMapping(shown), history: history.map(shownMapping) });
      },
      endpoint("Models", "Read a model's mapping, with all earlier versions", "", { query: QUERY }),
    )
    .put(
      "/v1/models/:model/mapping",
      async ({ request, body }) => {
        refuseFaulty(body);
        return step(request, (writable, name, by) => putMapping(writable, name, body as Mapping, by));
      },
      {
        body: t.Object({}, { additionalProperties: true, description: "A mapping; see docs/models.md." }),
        ...endpoint("Models", "Set a model's mapping", "It applies at once, also to existing records.", {
          query: QUERY,
        }),
      },
    )
    .post(
      "/v1/models/:model/approve",
      async ({ request }) => step(request, approveNewest),
      endpoint("Models", "Approve a mapping", "The draft becomes the mapping in use.", { query: QUERY }),
    )
    .post(
      "/v1/models/:model/rollback",
      async ({ request }) => step(request, rollBack),
      endpoint("Models", "Restore the previous mapping", "If there is none, the model is pending again.", {
        query: QUERY,
      }),
    );
}

async function expedite(context: ApiContext, order: ExpediteOrder): Promise<readonly object[]> {
  const { organizationId, model } = order;
  if ((await listModels(context.reader.records, organizationId, model)).length === 0) throw noSuchModel();
  const outcomes = await within(context.jobs.expedite(order), EXPEDITE_MS, () => undefined);
  return outcomes ?? [{ model, state: "pending", reason: "the mapper is at work" }];
}

/** @throws GatewayError `invalid_body` if this is not a mapping. */
function refuseFaulty(body: unknown): void {
  const fault = faultOf(body);
  if (fault === undefined) return;
  const { path, message } = fault;
  throw new GatewayError("invalid_body", `${path}: ${message}`, path === "" ? {} : { path });
}

/** New traffic and old records follow a change; if the jobs thread cannot be reached now, it notices the change later by itself. */
export function spread(context: ApiContext): void {
  context.jobs
    .relearn()
    .catch((error: unknown) => context.log.warn("a change has not reached all threads yet", { why: String(error) }));
}

/** The model in the address; slashes in its name are written as `%2F`. */
function addressed(request: Request): { model: string; provider: string | undefined } {
  const url = new URL(request.url);
  const [, , , model = ""] = url.pathname.split("/");
  try {
    return { model: decodeURIComponent(model), provider: url.searchParams.get("provider")?.toUpperCase() };
  } catch {
    throw noSuchModel();
  }
}

/** The addressed model's provider: the given one, else the only one with a model of this name, else the only one with a mapping. */
async function nameOf(records: Database, request: Request, organizationId: string): Promise<ModelName> {
  const { model, provider } = addressed(request);
  if (provider !== undefined) return { organizationId, provider, model };
  const mapped = (await mappingHistory(records, { organizationId, model })).map((each) => each.provider);
  const seen = (await listModels(records, organizationId, model)).map((each) => each.provider);
  for (const providers of [new Set(mapped), new Set(seen)]) {
    const [only] = providers;
    if (providers.size === 1 && only !== undefined) return { organizationId, provider: only, model };
    if (providers.size > 1) {
      throw new GatewayError(
        "invalid_body",
        `several providers have this model: add provider=${[...providers].join(" or ")}`,
        { path: "provider" },
      );
    }
  }
  throw noSuchModel();
}

const noSuchModel = () => new GatewayError("not_found", "no recorded request names this model");
