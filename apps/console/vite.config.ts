import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where the development server sends calls: the address that `pnpm start` listens on. */
const SERVER = process.env.LATCHKEY_ADDR ?? 'http://127.0.0.1:8500'

export default defineConfig({
  base: '/ui/',
  plugins: [react()],
  resolve: {
    alias: {
      // The original inserts `<style>` elements, which the Content-Security-Policy of the server refuses.
      'react-style-singleton': join(import.meta.dirname, 'src/ui/overlay/style-singleton.ts'),
    },
  },
  // Every file has its own URL: the policy allows no `data:`.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false },
  server: { proxy: { '/v1': { target: SERVER, changeOrigin: true } } },
})
