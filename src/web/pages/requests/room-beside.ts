/** Whether there is room for a request beside others; where there is none, it opens as a page. */
export const hasRoomBeside = (): boolean => matchMedia("(min-width: 901px)").matches;
