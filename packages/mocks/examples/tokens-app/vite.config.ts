import { msw } from 'msw/vite'
import { defineConfig } from 'vite'

// The plugin serves MSW's worker script, so that no copy of it stands in the repository.
export default defineConfig({ plugins: [msw({ mode: 'worker-only' })] })
