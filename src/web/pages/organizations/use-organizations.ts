import { useQuery } from "@tanstack/react-query";
import type { ShownOrganization } from "../../../store/people/organizations.ts";
import { get } from "../../api.ts";
import { meQuery } from "../../session.ts";

/** The deployment's organizations, which only operators may list. `isOperator` is undefined until that is known. */
export function useOrganizations() {
  const me = useQuery(meQuery);
  const isOperator = me.data?.permissions.includes("operator");
  const list = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => get<readonly ShownOrganization[]>("/v1/organizations", signal),
    enabled: isOperator === true,
  });
  // The list is not requested before it is known who is logged in.
  const { error, refetch } = isOperator === undefined ? me : list;
  return { isOperator, data: list.data, error, refetch };
}
