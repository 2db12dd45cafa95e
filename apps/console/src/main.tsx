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
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueries } from './live/queries.ts'
import { restore } from './session/session.ts'
import { App } from './shell/app.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
void restore()

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={createQueries()}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  )
}
