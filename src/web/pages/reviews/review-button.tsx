import { lazy, Suspense, useState } from "react";
import { GatedButton } from "../../parts/gated-button.tsx";

const AddToReview = lazy(async () => ({ default: (await import("./add-dialog.tsx")).AddToReview }));

/** Creates a review of a dataset's requests. */
export function ReviewButton({ dataset }: { readonly dataset: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GatedButton scope="write" onClick={() => setOpen(true)}>
        Review
      </GatedButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <AddToReview target={{ dataset }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
