import { useBlocker } from '@tanstack/react-router'
import { DiscardDialog } from '../overlay/dialog.tsx'
import { useUnsaved } from './unsaved.ts'

interface Place {
  readonly pathname: string
  readonly search: object
}

interface LeaveGuardProps {
  readonly isChanged: boolean
  /** Whether typed input survives this change of the URL; absent: it never does. */
  readonly isKept?: (from: Place, to: Place) => boolean
}

/** Asks before the person leaves a page, or closes its tab, with unsaved input. */
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
