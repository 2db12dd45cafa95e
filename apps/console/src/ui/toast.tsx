import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { sharedState } from '../live/shared-state.ts'
import { Button, IconButton } from './controls.tsx'

interface ToastContent {
  readonly text: string
  readonly tone?: 'plain' | 'danger'
  readonly durationMs?: number
  readonly action?: { readonly label: string; readonly onSelect: () => void }
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
  shown.set(shown.get().filter((each) => each !== toast))
}

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
          onOpenChange={(isOpen) => !isOpen && remove(toast)}
        >
          <Radix.Description className="toast-text">{toast.text}</Radix.Description>
          {toast.action && (
            <Radix.Action asChild altText={toast.action.label}>
              <Button size="small" onClick={toast.action.onSelect}>
                {toast.action.label}
              </Button>
            </Radix.Action>
          )}
          <Radix.Close asChild>
            <IconButton label="Dismiss" icon={X} />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport className="toasts" />
    </Radix.Provider>
  )
}
