import { useEffect } from 'react'
import { sharedState } from '../../live/shared-state.ts'

/** How many forms hold what is not saved. */
const forms = sharedState(0)

/** Counts a form while it holds what is not saved. */
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
