import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function RequestsPage() {
  return (
    <Page title="Requests">
      <Empty title="No requests yet" />
    </Page>
  );
}
