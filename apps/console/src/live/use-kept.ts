import { useState } from 'react'

/**
 * A record that follows the server, kept as it was last if it is deleted while its form is open: what was typed stays.
 *
 * @param record `undefined`: not read yet, or another one is asked for; `null`: it does not exist.
 */
export function useKept<T>(record: T | null | undefined, isEdited: boolean): T | null | undefined {
  const [last, setLast] = useState(record)
  if (record !== null && record !== last) setLast(() => record)
  return record === null && isEdited ? (last ?? null) : record
}
