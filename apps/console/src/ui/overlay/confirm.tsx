import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Problem } from '../feedback/problem.tsx'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  /** The label of the button: the verb, such as "Delete policy". */
  readonly action: string
  readonly look?: 'danger' | 'primary'
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before it acts, and stays open if the action fails. */
export function Confirm({ title, children, action, look = 'danger', onConfirm, onClose }: ConfirmProps) {
  const run = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => run.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={look} busy={run.isPending}>
            {action}
          </Button>
        </>
      }
    >
      <div className="stack">
        <div className="secondary">{children}</div>
        {run.error && <Problem error={run.error} />}
      </div>
    </Dialog>
  )
}
