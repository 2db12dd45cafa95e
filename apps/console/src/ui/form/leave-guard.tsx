import { useBlocker } from '@tanstack/react-router'
import { DiscardDialog } from '../overlay/dialog.tsx'

/** Asks before a page is left, or its tab is closed, on which something was typed that is not saved. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return <DiscardDialog onKeep={reset} onDiscard={proceed} />
}
