import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useSyncExternalStore } from 'react'
import { texts } from '../../texts.ts'
import { Button, IconButton } from '../button.tsx'

interface ToastContent {
  readonly text: string
  readonly tone?: 'plain' | 'danger'
  readonly durationMs?: number
  readonly action?: { readonly label: string; readonly onSelect: () => void }
  /** Called once when it goes, unless its action was chosen. */
  readonly onExpire?: () => void
}

interface Shown extends ToastContent {
  readonly id: number
}

const DURATION_MS = 5_000

let shown: readonly Shown[] = []
let lastId = 0
const listeners = new Set<() => void>()

function set(next: readonly Shown[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows a short message in the corner; screen readers announce it. */
export function showToast(content: ToastContent): void {
  lastId += 1
  set([...shown, { ...content, id: lastId }])
}

function remove(toast: Shown): void {
  if (!shown.includes(toast)) return
  set(shown.filter((each) => each !== toast))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The place of all toasts; mounted once. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown)
  return (
    <Radix.Provider label={texts.common.notification}>
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
                  // Closing would count as an expiry.
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
            <IconButton label={texts.common.dismiss}>
              <X aria-hidden />
            </IconButton>
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  )
}
