/** Starts the example in a browser. An application does the same, behind `if (import.meta.env.DEV)`. */
import { createClient } from '@latchkey/sdk'
import { setupWorker } from 'msw/browser'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createExampleService } from './mock-service.ts'
import './style.css'
import { TokensApp } from './tokens-app.tsx'

const service = createExampleService()
await setupWorker(...service.handlers).start({ quiet: true })

const client = createClient({ address: service.baseUrl, token: service.managementToken })
const root = document.getElementById('root')
if (!root) throw new TypeError('the page has no element #root')
createRoot(root).render(
  <StrictMode>
    <TokensApp client={client} />
  </StrictMode>,
)

// For the console and for browser tests: mockService.clock.advance('24h'), mockService.failNext('tokens.create', 503).
Object.assign(globalThis, { mockService: service })
