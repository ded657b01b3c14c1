import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

/** Whether there is room for a request beside others; where there is none, it opens as a page. */
export const hasRoomBeside = (): boolean => matchMedia("(min-width: 901px)").matches;

/** Goes to the page of a request that a link wants to show beside others, where there is no room for it. */
export function usePageInstead(open: string | undefined): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (open === undefined || hasRoomBeside()) return;
    void navigate({ to: "/requests/$id", params: { id: open }, replace: true });
  }, [open]);
}
