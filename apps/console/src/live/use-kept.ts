import { useState } from 'react'

/**
 * A record that follows the server. If it is deleted while its form is open, the last version stays, with what was typed.
 *
 * @param record `undefined`: not read yet, or another record is requested; `null`: it does not exist.
 */
export function useKept<T>(record: T | null | undefined, isEdited: boolean): T | null | undefined {
  const [last, setLast] = useState(record)
  if (record !== null && record !== last) setLast(() => record)
  return record === null && isEdited ? (last ?? null) : record
}

/** Whether a condition was ever true: somebody who lost a right keeps the open form. */
export function useOnce(isNow: boolean): boolean {
  const [was, setWas] = useState(isNow)
  if (isNow && !was) setWas(true)
  return isNow || was
}
