import { useEffect } from 'react'
import { sharedState } from '../../live/shared-state.ts'

/** Number of forms with unsaved input. */
const forms = sharedState(0)

/** Counts a form while it has unsaved input. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    forms.set(forms.get() + 1)
    return () => forms.set(forms.get() - 1)
  }, [isUnsaved])
}

export function hasUnsaved(): boolean {
  return forms.get() > 0
}
