import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";

/** A key's secret, which only this dialog shows. */
export function ShownKey({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title="This is the key" onClose={onClose}>
      <p>It is shown here and never again: copy it to where it is needed.</p>
      <p className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy key" />
      </p>
      <div className="form-actions">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
