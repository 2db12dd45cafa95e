import './ui/styles/tokens.css'
import './ui/styles/base.css'
import './ui/styles/controls.css'
import './ui/styles/gate.css'
import './ui/styles/home.css'
import './ui/styles/layout.css'
import './ui/styles/overlays.css'
import './ui/styles/rules.css'
import './ui/styles/states.css'
import './ui/styles/table.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './router.tsx'
import { restore } from './session/session.ts'
import { applyTheme } from './shell/theme.ts'

applyTheme()
void restore()

const queries = new QueryClient({
  defaultOptions: {
    // The SDK retries. Lists follow the server by blocking queries, so that nothing grows stale by itself.
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false },
  },
})

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
