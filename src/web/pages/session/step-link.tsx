import { useNavigate, useSearch } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { hasRoomBeside } from "../requests/room-beside.ts";

interface StepLinkProps {
  readonly id: string;
  readonly title?: string;
  readonly children: ReactNode;
}

/** Opens a request of the session: beside the others if there is space, else on its page. */
export function StepLink({ id, title, children }: StepLinkProps) {
  const { open } = useSearch({ from: "/sessions/$id" });
  const navigate = useNavigate({ from: "/sessions/$id" });
  const onClick = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (!hasRoomBeside()) return void navigate({ to: "/requests/$id", params: { id } });
    // "Back" closes the panel, however many requests it has shown.
    void navigate({ search: (now) => ({ ...now, open: id }), replace: open !== undefined, resetScroll: false });
  };
  return (
    <a data-step={id} href={`/requests/${id}`} title={title} aria-current={open === id || undefined} onClick={onClick}>
      {children}
    </a>
  );
}
