import { queryOptions } from "@tanstack/react-query";
import type { ListedKey } from "../../../store/keys.ts";
import { get } from "../../api.ts";

export type KeyRow = ListedKey;

/** The organization's keys; only their own for users without the permission `admin`. */
export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => get<readonly KeyRow[]>("/v1/keys", signal),
});
