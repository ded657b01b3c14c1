import { ShownOnce } from "../../parts/shown-once.tsx";

/** A key's secret, which only this dialog shows. */
export function ShownKey({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <ShownOnce title="This is the key" secret={secret} copy="Copy key" onClose={onClose}>
      It is shown here and never again: copy it to where it is needed.
    </ShownOnce>
  );
}
