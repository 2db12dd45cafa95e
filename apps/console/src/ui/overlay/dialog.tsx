import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type ShouldBlockFn, useBlocker } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from '../controls.tsx'
import { Problem } from '../feedback.tsx'
import { useUnsaved } from '../form/unsaved.ts'

interface DialogProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly size?: 'medium' | 'large'
  readonly children?: ReactNode
  readonly foot?: ReactNode
  /** Makes the dialog a form, with a button that submits it beside one that closes it, and its failure below the fields. */
  readonly action?: {
    readonly label: string
    readonly run: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'error'>
    readonly disabled?: boolean
    readonly look?: 'danger' | 'primary'
    /** The failure is shown at a field. */
    readonly isErrorShown?: boolean
  }
  readonly onClose: () => void
  /** There is unsaved input: Escape, the X, Back and closing the tab ask before it is lost. */
  readonly isChanged?: boolean
  /** Replaces what submitting the form does. */
  readonly onSubmit?: (() => void) | undefined
}

/** A dialog that is open while it is mounted. A click outside closes it unless it has fields. */
export function Dialog(props: DialogProps) {
  const { title, lead, size = 'medium', children, foot, action, onClose, onSubmit, isChanged = false } = props
  const dialog = useRef<HTMLDivElement>(null)
  const [isLeaving, setLeaving] = useState(false)
  const returnFocus = useReturnFocus()
  const leave = () => (isChanged ? setLeaving(true) : onClose())
  const content = (
    <>
      <div className="dialog-head">
        <div>
          <Radix.Title>{title}</Radix.Title>
          {lead !== undefined && <Radix.Description className="dialog-lead">{lead}</Radix.Description>}
        </div>
        <IconButton label="Close" onClick={leave} icon={X} />
      </div>
      {children !== undefined && (
        <div className="dialog-body">
          <div className="stack">
            {children}
            {action?.run.error && !action.isErrorShown && <Problem error={action.run.error} />}
          </div>
        </div>
      )}
      {action ? (
        <div className="dialog-foot">
          {foot ?? <Button onClick={onClose}>Cancel</Button>}
          <Button
            type="submit"
            look={action.look ?? 'primary'}
            busy={action.run.isPending}
            disabled={action.disabled === true}
          >
            {action.label}
          </Button>
        </div>
      ) : (
        foot && <div className="dialog-foot">{foot}</div>
      )}
    </>
  )
  const onForm = (event: FormEvent) => {
    event.preventDefault()
    // A dialog may have been opened from within a form.
    event.stopPropagation()
    if (onSubmit) onSubmit()
    else if (!action?.disabled) action?.run.mutate()
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && leave()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className="dialog"
          data-size={size}
          ref={dialog}
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={returnFocus}
          onInteractOutside={(event) => fieldOf(dialog.current) && event.preventDefault()}
          {...(lead === undefined ? { 'aria-describedby': undefined } : {})}
        >
          {action ? (
            <form className="dialog-form" onSubmit={onForm} noValidate>
              {content}
            </form>
          ) : (
            content
          )}
        </Radix.Content>
      </Radix.Portal>
      {isLeaving && <DiscardDialog onKeep={() => setLeaving(false)} onDiscard={onClose} />}
      {isChanged && <HistoryGuard />}
    </Radix.Root>
  )
}

/** Asks before Back, Forward or closing the tab removes the dialog. The dialog causes all other navigation itself. */
function HistoryGuard() {
  useUnsaved(true)
  return <Blocker isBlocked={({ action }) => ['BACK', 'FORWARD', 'GO'].includes(action)} />
}

function Blocker(props: { readonly isBlocked: ShouldBlockFn; readonly enableBeforeUnload?: boolean }) {
  const { isBlocked, enableBeforeUnload = true } = props
  const blocker = useBlocker({ shouldBlockFn: isBlocked, enableBeforeUnload, withResolver: true })
  if (blocker.status !== 'blocked') return null
  return <DiscardDialog onKeep={blocker.reset} onDiscard={blocker.proceed} />
}

export function DiscardDialog(props: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  const { onKeep, onDiscard } = props
  return (
    <Dialog
      title="Discard changes?"
      lead="Your changes have not been saved."
      onClose={onKeep}
      foot={
        <>
          <Button onClick={onKeep}>Keep editing</Button>
          <Button look="danger" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    />
  )
}

function fieldOf(dialog: HTMLElement | null): HTMLElement | null | undefined {
  return dialog?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea):not(:disabled)')
}

/** The person needs the first field, not the close button. */
function focusFirstField(event: Event): void {
  const dialog = event.currentTarget as HTMLElement | null
  const target = fieldOf(dialog) ?? dialog?.querySelector<HTMLElement>('.dialog-foot [data-look]:last-child')
  if (!target) return
  event.preventDefault()
  target.focus()
}

type Address = Pick<Parameters<ShouldBlockFn>[0]['current'], 'pathname' | 'search'>

interface LeaveGuardProps {
  readonly isChanged: boolean
  /** Whether typed input survives this change of the URL; absent: it never does. */
  readonly isKept?: (from: Address, to: Address) => boolean
}

/** Asks before the person leaves a page, or closes its tab, with unsaved input. */
export function LeaveGuard({ isChanged, isKept = () => false }: LeaveGuardProps) {
  useUnsaved(isChanged)
  return (
    <Blocker
      isBlocked={({ current, next }) => isChanged && !isKept(current, next)}
      enableBeforeUnload={isChanged}
    />
  )
}

interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  /** The label of the button: the verb, such as "Delete policy". */
  readonly action: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks before it destroys something, and stays open if the action fails. */
export function Confirm({ title, children, action, onConfirm, onClose }: ConfirmProps) {
  const run = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <Dialog title={title} onClose={onClose} action={{ label: action, run, look: 'danger' }}>
      <div className="secondary">{children}</div>
    </Dialog>
  )
}

/** The element that had the focus when the last dialog opened from outside any dialog. */
let outside: HTMLElement | undefined

/** A handler for `onCloseAutoFocus` that returns the focus; Radix does so only for its own triggers. */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(findOpener)
  return (event) => {
    event.preventDefault()
    // If the dialog replaced another one, or closes together with it, its opener was in that dialog and is gone.
    const target = opener?.isConnected ? opener : outside
    target?.focus()
  }
}

function findOpener(): HTMLElement | undefined {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return undefined
  // A menu item disappears with the menu, which names the button that opened it.
  const menuButton = activeElement.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menuButton ? (document.getElementById(menuButton) ?? undefined) : activeElement
  if (opener && !opener.closest('[role=dialog]')) outside = opener
  return opener
}
