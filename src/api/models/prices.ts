import { Elysia, t } from "elysia";
import { OWN_PRICE_SCHEMA, PRICED_MODEL } from "../../config.ts";
import { GatewayError } from "../../errors.ts";
import { explainCost } from "../../mapping/prices/explain.ts";
import { priceInForce } from "../../mapping/prices/in-force.ts";
import { pricedByRule } from "../../plugin-host/view.ts";
import { isoTime } from "../../record/iso-time.ts";
import { providerOf } from "../../record/provider.ts";
import { LearntTables } from "../../store/models/learnt.ts";
import { listModels, requestedModels } from "../../store/models/models.ts";
import { listPrices, putPrice, removePrice, type StoredPrice } from "../../store/models/prices.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { requestIdOf } from "../input/request-id.ts";
import { recordNamed } from "../named.ts";
import { spread } from "./models.ts";

const rate = t.Optional(t.Number({ minimum: 0, maximum: 1_000_000 }));
const RATES = Object.fromEntries(Object.keys(OWN_PRICE_SCHEMA.properties).map((name) => [name, rate]));

const PRICE = t.Object(
  {
    provider: t.String({ minLength: 1, maxLength: 100, description: "Any case." }),
    model: t.String({
      minLength: 1,
      maxLength: 300,
      pattern: PRICED_MODEL,
      expects: "give a name; only its end may be *",
      description: "As recorded; `*` at the end matches any rest.",
    }),
    ...RATES,
  },
  {
    additionalProperties: false,
    description: "US dollars per million tokens; `request`: US dollars for each request.",
  },
);

/** An organization's own prices, which precede all others, and the cost of a request by each price. */
export function priceEndpoints(context: ApiContext, callers: Callers) {
  const organization = (request: Request) => callers.of(request).organizationId;
  return new Elysia()
    .get(
      "/v1/models/prices",
      async ({ request }) => success(await ownPrices(context, organization(request))),
      endpoint("Models", "List your own prices", "Prices of the configuration file apply to all organizations."),
    )
    .get(
      "/v1/models/prices/in-force",
      async ({ request }) => success(await pricesInForce(context, organization(request))),
      endpoint(
        "Models",
        "List the current price of each recorded model",
        "`source` says where the price comes from; null if no price is known.",
      ),
    )
    .put(
      "/v1/models/prices",
      async ({ request, body }) => {
        const organizationId = organization(request);
        await setPrice(context, callers.of(request), body as { provider: string; model: string });
        return success(await ownPrices(context, organizationId));
      },
      {
        body: PRICE,
        ...endpoint(
          "Models",
          "Set your own price",
          "For requests from now on; `POST /v1/models/prices/recompute` prices what was recorded before.",
        ),
      },
    )
    .delete(
      "/v1/models/prices",
      async ({ request, body }) => {
        const query = new URL(request.url).searchParams;
        const organizationId = organization(request);
        await unsetPrice(context, callers.of(request), {
          ...Object.fromEntries(query),
          ...(body as object | undefined),
        });
        return success(await ownPrices(context, organizationId));
      },
      {
        body: t.Optional(t.Object({ provider: t.String(), model: t.String() })),
        ...endpoint("Models", "Remove your own price", "`provider` and `model` in the query or the body.", {
          query: { provider: t.String(), model: t.String() },
        }),
      },
    )
    .get(
      "/v1/request/:id/cost",
      async ({ params, request }) =>
        success(await explainedCost(context, organization(request), requestIdOf(params.id))),
      endpoint("Requests", "Explain what a request cost"),
    );
}

/** Those of the configuration apply to all organizations. */
async function ownPrices({ home, config }: ApiContext, organizationId: string) {
  const own = (await listPrices(home.reader.records, organizationId)).map(shown);
  const configured = config.prices.map((price) => ({
    ...price,
    provider: price.provider.toUpperCase(),
    source: "configuration",
  }));
  return [...own, ...configured];
}

async function setPrice(
  context: ApiContext,
  caller: Caller,
  { provider, model, ...price }: { readonly provider: string; readonly model: string },
): Promise<void> {
  if (Object.keys(price).length === 0) {
    throw new GatewayError("invalid_body", "give at least one price, such as input");
  }
  const { records } = await context.home.writer();
  const { organizationId } = caller;
  await putPrice(records, { organizationId, provider: provider.toUpperCase(), model, price }, caller);
  spread(context);
}

async function unsetPrice(
  context: ApiContext,
  caller: Caller,
  { provider, model }: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (typeof provider !== "string" || typeof model !== "string") {
    throw new GatewayError("invalid_body", "choose the price with provider and model", {
      path: typeof provider === "string" ? "model" : "provider",
    });
  }
  const { records } = await context.home.writer();
  const which = { organizationId: caller.organizationId, provider: provider.toUpperCase(), model };
  if (!(await removePrice(records, which, caller))) {
    throw new GatewayError("not_found", "you have no such price");
  }
  spread(context);
}

/** The current price of each model that was seen, and its source. */
async function pricesInForce(context: ApiContext, organizationId: string) {
  const learnt = new LearntTables(context.config.prices, context.home.reader.records);
  const [models, requested, providers] = await Promise.all([
    listModels(context.reader.records, organizationId),
    requestedModels(context.reader.records, organizationId),
    context.gateway.providers(),
    learnt.load(context.reader.records),
  ]);
  const ruled = pricedByRule(providers);
  const now = new Date();
  return models.map(({ provider, model }) => {
    const models = [model, ...(requested.get(`${provider} ${model}`) ?? [])];
    const own = learnt.priceOf(organizationId, provider);
    const { source, price } = priceInForce({ provider, models }, own, ruled.has(provider) ? provider : undefined, now);
    return { provider, model, source, ...price };
  });
}

async function explainedCost(context: ApiContext, organizationId: string, requestId: string) {
  const row = await recordNamed(context, organizationId, requestId);
  const learnt = new LearntTables(context.config.prices, context.home.reader.records);
  await learnt.load(context.reader.records);
  const { request_id, provider, model } = row;
  const { lines, ...explained } = explainCost(row, learnt.priceOf(row.organization_id, providerOf(row)));
  const shownLines = lines.map(({ what, count, perMillion, dollars }) => ({
    what,
    count,
    usd_per_million: perMillion,
    usd: dollars,
  }));
  return { request_id, provider, model, ...explained, lines: shownLines };
}

const shown = ({ provider, model, price, updatedAt }: StoredPrice) => ({
  provider,
  model,
  ...price,
  source: "own",
  updated_at: isoTime(updatedAt),
});
