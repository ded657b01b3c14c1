import { lazy, Suspense, useState } from "react";
import { GatedButton } from "../../parts/gated-button.tsx";

const AddToDataset = lazy(async () => ({ default: (await import("../datasets/add-dialog.tsx")).AddToDataset }));

/** Adds one request to a dataset. */
export function DatasetButton({ id }: { readonly id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton scope="write" onClick={() => setOpen(true)}>
        Add to dataset
      </GatedButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <AddToDataset target={{ ids: [id] }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
