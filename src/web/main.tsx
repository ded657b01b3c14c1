import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { client } from "./client.ts";
import { router } from "./router.tsx";
import { followTabs, sessionQuery } from "./session.ts";

// Asked for while the first page's code is on its way.
void client.prefetchQuery(sessionQuery);
followTabs(client);

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
