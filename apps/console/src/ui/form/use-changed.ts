import { useState } from 'react'

/** Whether the fields of a form, as plain data, differ from their initial values. */
export function useChanged(fields: unknown): boolean {
  const now = JSON.stringify(fields)
  const [first] = useState(now)
  return now !== first
}
