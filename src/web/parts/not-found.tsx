import { Link } from "@tanstack/react-router";
import { Page } from "./page.tsx";
import { Empty } from "./states.tsx";

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty title="Nothing is at this address.">
        <Link to="/requests">Go to Requests</Link>
      </Empty>
    </Page>
  );
}
