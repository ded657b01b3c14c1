import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FilterTree } from "../filter/tree.ts";
import type { Group } from "./series.ts";

interface RequestsLinkProps {
  readonly filter: FilterTree;
  readonly time?: { readonly from?: string | undefined; readonly to?: string | undefined; readonly range?: never };
  readonly children: ReactNode;
}

/** A link to the requests behind a metric. */
export function RequestsLink({ filter, time = {}, children }: RequestsLinkProps) {
  return (
    <Link to="/requests" search={{ ...time, ...(filter === "all" ? {} : { filter }) }}>
      {children}
    </Link>
  );
}

const NOBODY: Readonly<Record<string, string>> = {
  user: "no user",
  model: "no model",
  provider: "no provider",
  status: "in flight",
  outcome: "in flight",
  key: "no key",
  error_code: "no error code",
  finish_reason: "none said",
  prompt: "no prompt",
  prompt_version: "no prompt version",
  route: "no route",
  credential: "no credential",
  session: "no session",
};

/** The label of a group; for requests without a value, what they lack. */
export function groupName(key: string, { value }: Group): string {
  return value === null ? (NOBODY[key] ?? "without it") : String(value);
}
