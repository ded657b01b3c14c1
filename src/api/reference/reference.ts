import { Elysia, t } from "elysia";
import type { Config } from "../../config.ts";
import { calledOrigin } from "../access/called-origin.ts";
import { type DescribedRoute, endpoint } from "../endpoint.ts";
import { plainJson } from "../envelope.ts";
import { describeApi } from "./openapi.ts";
import { referencePage } from "./reference-page.ts";

/** The API's description, for programs and for people. */
export function referenceEndpoints(config: Config, routes: () => readonly DescribedRoute[]) {
  return new Elysia()
    .get(
      "/openapi.json",
      () => plainJson(describeApi(routes())),
      endpoint("Operation", "This description as OpenAPI", "", {
        answers: { "application/json": t.Object({}) },
      }),
    )
    .get(
      "/docs",
      ({ request }) => referencePage(describeApi(routes()), calledOrigin(config, request)),
      endpoint("Operation", "This description as a page", "", { answers: { "text/html": t.String() } }),
    );
}
