import { useState } from 'react'

/** Whether the fields of a form, as plain data, are no longer as it began. */
export function useChanged(fields: unknown): boolean {
  const now = JSON.stringify(fields)
  const [first] = useState(now)
  return now !== first
}
