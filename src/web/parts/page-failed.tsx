import { Page } from "./page.tsx";
import { Failed } from "./states.tsx";

/** Shown if a page's own code failed: the shell around it keeps working. */
export function PageFailed({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  return (
    <Page title="This page failed">
      <Failed error={error} {...(reset === undefined ? {} : { onRetry: reset })} />
    </Page>
  );
}
