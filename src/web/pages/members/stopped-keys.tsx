import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useSession } from "../../session.ts";
import { keysQuery } from "../keys/keys-query.ts";

/** Names the keys that stop when a member is removed, and links to the page that transfers them. */
export function StoppedKeys({ userId }: { readonly userId: string }) {
  const { organization } = useSession();
  const { data } = useQuery(keysQuery);
  if (data === undefined) return "Their keys in it stop working.";
  const names = data
    .filter((key) => key.user_id === userId && key.organization === organization && key.revoked_at === null)
    .map(({ name }) => name);
  if (names.length === 0) return "They have no keys in it.";
  return (
    <>
      {names.length === 1 ? "One key stops" : `${names.length} keys stop`} working with them: {names.join(", ")}. A key
      keeps working if you <Link to="/keys">transfer it</Link> first; a stopped one works again once you do.
    </>
  );
}
