import { Elysia, t } from "elysia";
import type { Config } from "../../config.ts";
import { calledOrigin } from "../access/called-origin.ts";
import { endpoint } from "../endpoint.ts";
import type { Endpoints } from "../endpoints.ts";
import { plainJson } from "../envelope.ts";
import { describeApi } from "./openapi.ts";
import { referencePage } from "./reference-page.ts";

/** The API's description, for programs and for people. */
export function referenceEndpoints(config: Config, endpoints: Endpoints) {
  return new Elysia()
    .get(
      "/openapi.json",
      () => plainJson(describeApi(endpoints.all)),
      endpoint("Operation", "This description as OpenAPI", "", {
        responses: { "application/json": t.Object({}) },
      }),
    )
    .get(
      "/docs",
      ({ request }) => referencePage(describeApi(endpoints.all), calledOrigin(config, request)),
      endpoint("Operation", "This description as a page", "", { responses: { "text/html": t.String() } }),
    );
}
