import { Empty } from "./states.tsx";

/** Replaces a list whose address has an unreadable filter. Nothing is listed, because everything would be wrong. */
export function BrokenLink({ onClear }: { readonly onClear: () => void }) {
  return (
    <Empty title="This link's filter cannot be read">
      <p>A part of the address was lost or changed on its way, so no request is shown. Ask for a new link.</p>
      <button type="button" onClick={onClear}>
        Show without a filter
      </button>
    </Empty>
  );
}
