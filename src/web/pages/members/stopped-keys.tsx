import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { get } from "../../api.ts";
import { useSession } from "../../session.ts";
import { KEYS, type KeyRow } from "../keys/shapes.ts";

/** Says which keys stop when a member is removed, and that they can go on with another owner. */
export function StoppedKeys({ userId }: { readonly userId: string }) {
  const { organization } = useSession();
  const { data } = useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => get<readonly KeyRow[]>("/v1/keys", signal),
  });
  if (data === undefined) return "Their keys in it stop working.";
  const names = data
    .filter((key) => key.user_id === userId && key.organization === organization && key.revoked_at === null)
    .map(({ name }) => name);
  if (names.length === 0) return "They have no keys in it.";
  return (
    <>
      {names.length === 1 ? "One key stops" : `${names.length} keys stop`} working with them: {names.join(", ")}. A key
      goes on if you <Link to="/keys">transfer it</Link>, before or after.
    </>
  );
}
