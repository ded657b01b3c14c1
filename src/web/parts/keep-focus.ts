/** If the focused element has disappeared, or does so later, keys continue in the page instead of at the top of the window. */
export function keepFocus(): void {
  const content = document.getElementById("content");
  if (document.activeElement === document.body) content?.focus({ preventScroll: true });
  const focused = document.activeElement;
  if (content === null || focused === null) return;
  const observer = new MutationObserver(() => {
    if (focused.isConnected) return;
    observer.disconnect();
    if (document.activeElement === document.body) content.focus({ preventScroll: true });
  });
  observer.observe(content, { childList: true, subtree: true });
  document.addEventListener("focusin", () => observer.disconnect(), { once: true });
}
