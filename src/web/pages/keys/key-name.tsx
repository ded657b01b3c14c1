import { useQuery } from "@tanstack/react-query";
import { useMissing } from "../../session.ts";
import { keysQuery } from "./keys-query.ts";

/** The name of a service key; the beginning of its id for a user who may not list keys. */
export function KeyName({ id }: { readonly id: string }) {
  const missing = useMissing("admin");
  const { data } = useQuery({ ...keysQuery, enabled: missing === undefined });
  const name = data?.find((key) => key.id === id)?.name;
  return name === undefined ? <code title={id}>{id.slice(0, 8)}</code> : <span title={id}>{name}</span>;
}
