import { useEffect, useState } from 'react'
import { sharedState } from '../../live/shared-state.ts'

const forms = sharedState(0)

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

/** Whether the fields of a form, as plain data, differ from their initial values. */
export function useChanged(fields: unknown): boolean {
  const now = JSON.stringify(fields)
  const [first] = useState(now)
  return now !== first
}
