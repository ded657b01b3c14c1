import { useQuery } from "@tanstack/react-query";
import type { ShownOrganization } from "../../../store/people/organizations.ts";
import { get } from "../../api.ts";
import { meQuery } from "../../session.ts";

/** The deployment's organizations, which only operators may list. `isOperator` is undefined until that is known. */
export function useOrganizations() {
  const isOperator = useQuery(meQuery).data?.permissions.includes("operator");
  const { data, error, refetch } = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => get<readonly ShownOrganization[]>("/v1/organizations", signal),
    enabled: isOperator === true,
  });
  return { isOperator, data, error, refetch };
}
