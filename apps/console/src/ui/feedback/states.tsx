import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** Placeholder lines for text that is loading. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="skeleton-lines" role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="skeleton" style={{ width: `${92 - ((line * 37) % 50)}%` }} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon: LucideIcon
  /** Absent: the page's title says it. */
  readonly title?: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** Shown when there is nothing: why, and what to do next. */
export function Empty({ icon: Icon, title, children, actions }: EmptyProps) {
  return (
    <div className="empty">
      <Icon aria-hidden />
      {title !== undefined && <h2>{title}</h2>}
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  )
}
