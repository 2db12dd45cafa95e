import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'warn' | 'danger' | 'accent'

export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  readonly tone?: Tone
  readonly title?: string
  readonly children: ReactNode
}) {
  return (
    <span className="badge" data-tone={tone} title={title}>
      {children}
    </span>
  )
}
