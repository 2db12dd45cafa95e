import { msw } from 'msw/vite'
import { defineConfig } from 'vite'

// The plugin serves MSW's worker script, so that the repository needs no copy.
export default defineConfig({ plugins: [msw({ mode: 'worker-only' })] })
