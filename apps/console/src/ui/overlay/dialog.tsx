import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { FormEvent, ReactNode } from 'react'
import { texts } from '../../texts.ts'
import { IconButton } from '../button.tsx'

interface DialogProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly size?: 'medium' | 'large'
  readonly children: ReactNode
  /** Buttons at the foot. */
  readonly foot?: ReactNode
  readonly onClose: () => void
  /** Makes the dialog a form, which Enter submits. */
  readonly onSubmit?: () => void
}

/** A dialog that is open while it is mounted. Focus stays inside and returns; Escape closes it. */
export function Dialog({ title, lead, size = 'medium', children, foot, onClose, onSubmit }: DialogProps) {
  const content = (
    <>
      <div className="dialog-head">
        <div>
          <Radix.Title>{title}</Radix.Title>
          {lead !== undefined && <Radix.Description className="dialog-lead">{lead}</Radix.Description>}
        </div>
        <IconButton label={texts.common.close} onClick={onClose}>
          <X />
        </IconButton>
      </div>
      <div className="dialog-body">{children}</div>
      {foot !== undefined && <div className="dialog-foot">{foot}</div>}
    </>
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A dialog may have been opened from within a form.
    event.stopPropagation()
    onSubmit?.()
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className="dialog"
          data-size={size}
          onOpenAutoFocus={focusFirstField}
          {...(lead === undefined ? { 'aria-describedby': undefined } : {})}
        >
          {onSubmit === undefined ? (
            content
          ) : (
            <form className="dialog-form" onSubmit={submit} noValidate>
              {content}
            </form>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** What the person came for is the first field, not the button that closes. */
function focusFirstField(event: Event): void {
  const dialog = event.currentTarget as HTMLElement | null
  const field = dialog?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea):not(:disabled)')
  const target = field ?? dialog?.querySelector<HTMLElement>('.dialog-foot [data-look]:last-child')
  if (!target) return
  event.preventDefault()
  target.focus()
}
