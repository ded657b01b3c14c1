import { Empty } from "./states.tsx";

/** In place of a list whose address has a filter that cannot be read. Nothing is shown: everything would be a wrong response. */
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
