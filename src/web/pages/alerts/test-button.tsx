import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api.ts";
import { Trouble } from "../../parts/confirm-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { GatedButton } from "../../parts/gated-button.tsx";
import { Loading } from "../../parts/states.tsx";
import { DeliveryTable } from "./deliveries.tsx";
import type { Delivery } from "./shapes.ts";

interface TestButtonProps {
  readonly scope: "write" | "admin";
  /** Name of the tested rule. */
  readonly of: string;
  readonly path: string;
}

/** Sends a test to every channel, and shows the results. */
export function TestButton({ scope, of, path }: TestButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const work = useMutation({
    mutationFn: async () => (await call<readonly Delivery[]>("POST", path)).data,
  });
  return (
    <>
      <GatedButton
        scope={scope}
        className="small"
        onClick={() => {
          setOpen(true);
          work.mutate();
        }}
      >
        Test<span className="unseen"> {of}</span>
      </GatedButton>
      {isOpen ? (
        <Dialog title={`Test of ${of}`} onClose={() => setOpen(false)} wide>
          <Trouble error={work.error} />
          {work.isPending ? <Loading rows={2} label="Sending" /> : null}
          {work.data === undefined ? null : <DeliveryTable rows={work.data} />}
        </Dialog>
      ) : null}
    </>
  );
}
