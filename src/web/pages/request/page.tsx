import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function RequestPage() {
  return (
    <Page title="Request">
      <Empty title="No request" />
    </Page>
  );
}
