import { useSyncExternalStore } from 'react'

function subscribe(listener: () => void): () => void {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}

/** The text size in pixels, which grows with wide screens and with the person's settings. */
export function useRem(): number {
  return useSyncExternalStore(subscribe, () =>
    Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  )
}
