import { useBlocker } from '@tanstack/react-router'
import { texts } from '../../texts.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../overlay/dialog.tsx'

/** Asks before a page is left, or its tab is closed, on which something was typed that is not saved. */
export function LeaveGuard({ isChanged }: { readonly isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Dialog
      title={texts.common.discardTitle}
      lead={texts.common.discardLead}
      onClose={reset}
      foot={
        <>
          <Button onClick={reset}>{texts.common.keepEditing}</Button>
          <Button look="danger" onClick={proceed}>
            {texts.common.discard}
          </Button>
        </>
      }
    />
  )
}
