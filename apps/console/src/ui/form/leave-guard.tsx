import { useBlocker } from '@tanstack/react-router'
import { DiscardDialog } from '../overlay/dialog.tsx'
import { useUnsaved } from './unsaved.ts'

interface Place {
  readonly pathname: string
  readonly search: object
}

interface LeaveGuardProps {
  readonly isChanged: boolean
  /** Whether what was typed stays when the address changes like this; absent: it never does. */
  readonly isKept?: (from: Place, to: Place) => boolean
}

/** Asks before a page is left, or its tab is closed, on which something was typed that is not saved. */
export function LeaveGuard({ isChanged, isKept = () => false }: LeaveGuardProps) {
  useUnsaved(isChanged)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && !isKept(current, next),
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return <DiscardDialog onKeep={reset} onDiscard={proceed} />
}
