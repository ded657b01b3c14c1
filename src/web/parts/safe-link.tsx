import type { ReactNode } from "react";

/** A link that came with recorded content: one that browsers open as a page, and that learns nothing of this one; else its text. */
export function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!isWeb(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function isWeb(href: string): boolean {
  return URL.canParse(href) && /^https?:$/.test(new URL(href).protocol);
}
