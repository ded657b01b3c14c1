import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { SessionStep } from "./steps.ts";

const RequestPanel = lazy(async () => ({ default: (await import("../requests/panel.tsx")).RequestPanel }));

interface StepPanelProps {
  readonly id: string;
  /** In the order in which they are shown. */
  readonly steps: readonly SessionStep[];
}

/** A request beside the others of its session. */
export function StepPanel({ id, steps }: StepPanelProps) {
  const navigate = useNavigate({ from: "/sessions/$id" });
  const show = (open: string | undefined) =>
    void navigate({ search: ({ open: _before, ...now }) => (open === undefined ? now : { ...now, open }), ...STAY });
  const at = steps.findIndex(({ request_id }) => request_id === id);
  const neighbours = {
    previous: at < 1 ? undefined : steps[at - 1]?.request_id,
    next: at < 0 ? undefined : steps[at + 1]?.request_id,
  };
  const close = () => {
    show(undefined);
    document.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
  };
  return (
    <Suspense fallback={<section className="request-panel panel" aria-busy="true" />}>
      <RequestPanel id={id} neighbours={neighbours} onOpen={show} onClose={close} />
    </Suspense>
  );
}

const STAY = { replace: true, resetScroll: false } as const;
