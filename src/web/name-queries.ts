import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { ModelRow as StoredModel } from "../store/models/models.ts";
import { get, post } from "./api.ts";
import { leaf } from "./filter/tree.ts";

/** Values of earlier requests, for lists and for completion. */

export type ModelRow = Omit<StoredModel, "organization_id" | "since"> & { readonly since: string };

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: ({ signal }) => get<readonly ModelRow[]>("/v1/models", signal),
});

/** A route, or a model as `provider/model`, with the members that the dashboard reads. */
export interface ListedModel {
  readonly id: string;
  readonly supported_parameters?: readonly string[] | null;
}

/** Names that a model string may contain. */
export const modelNamesQuery = queryOptions({
  queryKey: ["model-names"],
  queryFn: ({ signal }) => get<readonly ListedModel[]>("/v1/route/models", signal),
  select: (rows) => rows.map(({ id }) => id),
  staleTime: 60_000,
});

/** The API's maximum for one response. */
const NAMES_MAX = 10_000;

export const propertyNamesQuery = queryOptions({
  queryKey: ["properties", "names"],
  queryFn: ({ signal }) =>
    post<readonly { readonly property: string }[]>("/v1/property/query", { limit: NAMES_MAX }, signal),
  select: (rows) => rows.map(({ property }) => property),
});

/** Values of a property that contain a text, at most `limit`. */
export const propertyValuesQuery = (name: string, search: string, limit: number) =>
  queryOptions({
    queryKey: ["properties", "values", name, search],
    queryFn: ({ signal }) =>
      post<readonly { readonly value: string }[]>(
        `/v1/property/${encodeURIComponent(name)}/search`,
        { limit, ...(search === "" ? {} : { search }) },
        signal,
      ),
    select: (rows) => rows.map(({ value }) => value),
    placeholderData: (shown, query) => (query?.queryKey[2] === name ? keepPreviousData(shown) : undefined),
  });

const USER_TEXT_MIN = 2;
const USERS_MAX = 5;

/** Users whose names contain a text, highest cost first. */
export const usersQuery = (text: string) =>
  queryOptions({
    queryKey: ["users", "names", text],
    queryFn: ({ signal }) =>
      post<readonly { readonly user_id: string }[]>(
        "/v1/user/metrics/query",
        { filter: leaf("user_id", { contains: text }), limit: USERS_MAX },
        signal,
      ),
    select: (rows) => rows.map(({ user_id }) => user_id),
    enabled: text.length >= USER_TEXT_MIN,
    staleTime: 60_000,
  });
