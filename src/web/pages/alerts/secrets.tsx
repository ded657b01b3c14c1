import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { Channel } from "./shapes.ts";

/** The secrets of new webhook channels, shown only once. */
export function Secrets({
  channels,
  onClose,
}: {
  readonly channels: readonly Channel[];
  readonly onClose: () => void;
}) {
  return (
    <Dialog title="Signing secrets" onClose={onClose}>
      <p>Deliveries are signed with these secrets. They are shown only once.</p>
      {channels.map((channel) =>
        channel.secret === undefined ? null : (
          <div key={channel.url} className="stack">
            <span className="muted">{channel.url}</span>
            <p className="secret">
              <code>{channel.secret}</code>
              <CopyButton text={channel.secret} label="Copy secret" />
            </p>
          </div>
        ),
      )}
      <div className="form-actions">
        <button type="button" className="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
