import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

/** Whether a request fits beside the list; if not, it opens as a page. */
export const hasRoomBeside = (): boolean => matchMedia("(min-width: 901px)").matches;

/** Opens the page of a request that a link would show beside the list, if there is no space for it. */
export function usePageInstead(open: string | undefined): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (open === undefined || hasRoomBeside()) return;
    void navigate({ to: "/requests/$id", params: { id: open }, replace: true });
  }, [open]);
}
