import type { TObject } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { listDeliveries, type NewDelivery } from "../../store/deliveries/deliveries.ts";
import { shownDelivery } from "../../store/deliveries/delivery-shown.ts";
import { deliverTests } from "../../store/deliveries/test-deliveries.ts";
import type { StoredRule } from "../../store/rule-table.ts";
import type { Caller } from "../access/caller.ts";
import type { Callers } from "../access/callers.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { success } from "../envelope.ts";
import { PAGE_QUERY, readPage } from "../input/page-query.ts";

/** How long the response to a test waits for the delivery's result. */
const TEST_MS = 10_000;

type Kept = "list" | "read" | "make" | "replace" | "change" | "remove";
type RuleOperation = Kept | "deliveries" | "test";

/** Rules of an organization. */
export interface KeptFamily<Rule extends StoredRule, Body extends object, Name extends string = Kept> {
  readonly path: `/v1/${string}`;
  readonly tag: string;
  readonly noun: string;
  readonly schema: TObject;
  readonly summaries: Readonly<Record<Name, string>>;
  readonly descriptions: Readonly<Partial<Record<Name, string>>>;
  list(organizationId: string): Promise<Rule[]>;
  find(id: string, organizationId: string): Promise<Rule | undefined>;
  /** The body that would create this rule. */
  bodyOf(rule: Rule): Body;
  /** As the API shows them to this caller. */
  shown(rules: readonly Rule[], caller: Caller): Promise<readonly object[]>;
  /** @returns the rule as it is shown, with new secrets. @throws GatewayError `invalid_body`. */
  put(caller: Caller, body: Body, previous?: Rule): Promise<object>;
  /** @returns the rule before its removal. */
  remove(rule: Rule, caller: Caller): Promise<object>;
}

/** Rules for notifications. */
export interface RuleFamily<Rule extends StoredRule, Body extends object>
  extends KeptFamily<Rule, Body, RuleOperation> {
  /** A test for each endpoint of the rule. */
  testsOf(rule: Rule): readonly Pick<NewDelivery, "endpoint_id" | "payload">[];
}

/** Endpoints to list and change rules. */
export function keptRuleEndpoints<Rule extends StoredRule, Body extends object>(
  callers: Callers,
  family: KeptFamily<Rule, Body>,
) {
  const callerOf = (request: Request) => callers.of(request);
  return new Elysia().use(readingEndpoints(family, callerOf)).use(changingEndpoints(family, callerOf));
}

/** The endpoints that every family of notification rules has. */
export function ruleEndpoints<Rule extends StoredRule, Body extends object>(
  context: ApiContext,
  callers: Callers,
  family: RuleFamily<Rule, Body>,
) {
  const organization = (request: Request) => callers.of(request).organizationId;
  return new Elysia().use(keptRuleEndpoints(callers, family)).use(deliveryEndpoints(context, family, organization));
}

/** The caller's organization. */
type OrganizationOf = (request: Request) => string;

function readingEndpoints<Rule extends StoredRule, Body extends object>(
  family: KeptFamily<Rule, Body>,
  callerOf: (request: Request) => Caller,
) {
  const { path } = family;
  return new Elysia()
    .get(
      path,
      async ({ request }) => {
        const caller = callerOf(request);
        return success(await family.shown(await family.list(caller.organizationId), caller));
      },
      described(family, "list"),
    )
    .get(
      `${path}/:id`,
      async ({ params, request }) => {
        const caller = callerOf(request);
        const [shown] = await family.shown([await findRule(family, params.id, caller.organizationId)], caller);
        return success(shown);
      },
      described(family, "read"),
    );
}

function changingEndpoints<Rule extends StoredRule, Body extends object>(
  family: KeptFamily<Rule, Body>,
  callerOf: (request: Request) => Caller,
) {
  const { path, schema } = family;
  return new Elysia()
    .post(
      path,
      async ({ body, request }) => {
        const caller = callerOf(request);
        return success(await family.put(caller, body as Body));
      },
      { body: schema, ...described(family, "make") },
    )
    .put(
      `${path}/:id`,
      async ({ params, body, request }) => {
        const caller = callerOf(request);
        const previous = await findRule(family, params.id, caller.organizationId);
        return success(await family.put(caller, body as Body, previous));
      },
      { body: schema, ...described(family, "replace") },
    )
    .patch(
      `${path}/:id`,
      async ({ params, body, request }) => {
        const caller = callerOf(request);
        const previous = await findRule(family, params.id, caller.organizationId);
        return success(await family.put(caller, { ...family.bodyOf(previous), ...(body as Partial<Body>) }, previous));
      },
      { body: t.Partial(schema, { additionalProperties: false }), ...described(family, "change") },
    )
    .delete(
      `${path}/:id`,
      async ({ params, request }) => {
        const caller = callerOf(request);
        return success(await family.remove(await findRule(family, params.id, caller.organizationId), caller));
      },
      described(family, "remove"),
    );
}

/** Deliveries of a rule, and tests of its endpoints. */
function deliveryEndpoints<Rule extends StoredRule, Body extends object>(
  context: ApiContext,
  family: RuleFamily<Rule, Body>,
  organization: OrganizationOf,
) {
  const { path, tag, summaries } = family;
  return new Elysia()
    .get(
      `${path}/:id/deliveries`,
      async ({ params, request }) => {
        const page = readPage(request);
        const { id } = await findRule(family, params.id, organization(request));
        return success((await listDeliveries(context.current.records, id, page)).map(shownDelivery));
      },
      endpoint(tag, summaries.deliveries, "Attempts and last error; the newest first.", {
        query: PAGE_QUERY,
      }),
    )
    .post(
      `${path}/:id/test`,
      async ({ params, request }) => {
        const rule = await findRule(family, params.id, organization(request));
        const tests = family.testsOf(rule);
        const databases = { reader: context.current.records, writer: (await context.writer()).records };
        return success((await deliverTests(databases, rule, tests, TEST_MS)).map(shownDelivery));
      },
      endpoint(tag, summaries.test, "Returns the result, after 10 s at most."),
    );
}

interface Described<Name extends string> {
  readonly tag: string;
  readonly summaries: Readonly<Record<Name, string>>;
  readonly descriptions: Readonly<Partial<Record<Name, string>>>;
}

function described<Name extends string>({ tag, summaries, descriptions }: Described<Name>, name: Name) {
  return endpoint(tag, summaries[name], descriptions[name]);
}

export function placeOf(caller: Caller) {
  return { organizationId: caller.organizationId, by: caller };
}

/** @throws GatewayError `not_found` */
export async function findRule<Rule extends StoredRule>(
  family: Pick<KeptFamily<Rule, never>, "noun" | "find">,
  id: string,
  organizationId: string,
): Promise<Rule> {
  const rule = await family.find(id, organizationId);
  if (rule === undefined) throw new GatewayError("not_found", `there is no ${family.noun} with this id`);
  return rule;
}
