import { Page } from "./page.tsx";
import { Empty, Failed } from "./states.tsx";

/** What browsers say when a part of the dashboard does not load: after an update its file has another name. */
const NOT_LOADED = /dynamically imported module|importing a module script failed/i;

/** Shown if a page's own code failed: the shell around it keeps working. */
export function PageFailed({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  if (error instanceof Error && NOT_LOADED.test(error.message)) {
    return (
      <Page title="Reload this page">
        <Empty title="A part of the dashboard could not be loaded">
          <p>Weir was updated since this page was opened, or cannot be reached.</p>
          <p>
            <button type="button" className="primary" onClick={() => window.location.reload()}>
              Reload
            </button>
          </p>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title="This page failed">
      <Failed error={error} {...(reset === undefined ? {} : { onRetry: reset })} />
    </Page>
  );
}
