import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { sharedState } from '../live/shared-state.ts'
import { Button, IconButton } from './controls.tsx'

interface ToastContent {
  readonly text: string
  readonly tone?: 'plain' | 'danger'
  readonly durationMs?: number
  readonly action?: { readonly label: string; readonly onSelect: () => void }
  /** Called once when the toast disappears, unless its action was chosen. */
  readonly onExpire?: () => void
}

interface Shown extends ToastContent {
  readonly id: number
}

const DURATION_MS = 5_000

const shown = sharedState<readonly Shown[]>([])
let lastId = 0

/** Shows a short message in the corner; screen readers announce it. */
export function showToast(content: ToastContent): void {
  lastId += 1
  shown.set([...shown.get(), { ...content, id: lastId }])
}

function remove(toast: Shown): void {
  const toasts = shown.get()
  if (toasts.includes(toast)) shown.set(toasts.filter((each) => each !== toast))
}

/** The container of all toasts; mounted once. */
export function Toasts() {
  const toasts = shown.use()
  return (
    <Radix.Provider label="Notification">
      {toasts.map((toast) => (
        <Radix.Root
          key={toast.id}
          className="toast"
          data-tone={toast.tone ?? 'plain'}
          duration={toast.durationMs ?? DURATION_MS}
          onOpenChange={(isOpen) => {
            if (isOpen) return
            remove(toast)
            toast.onExpire?.()
          }}
        >
          <Radix.Description className="toast-text">{toast.text}</Radix.Description>
          {toast.action && (
            <Radix.Action asChild altText={toast.action.label}>
              <Button
                size="small"
                onClick={(event) => {
                  // Closing would be treated like an expiry.
                  event.preventDefault()
                  remove(toast)
                  toast.action?.onSelect()
                }}
              >
                {toast.action.label}
              </Button>
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton label="Dismiss">
              <X aria-hidden />
            </IconButton>
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  )
}
