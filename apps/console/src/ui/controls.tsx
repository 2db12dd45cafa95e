import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'warn' | 'danger' | 'accent'

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  )
}

export function Badges({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span className="links">
      {texts.map((text) => (
        <Badge key={text}>{text}</Badge>
      ))}
    </span>
  )
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly size?: 'medium' | 'small'
  readonly icon?: LucideIcon
  readonly busy?: boolean
}

export function Button(props: ButtonProps) {
  const { look = 'plain', size = 'medium', busy = false, icon: Icon, children, ...button } = props
  return (
    <button
      type="button"
      {...button}
      disabled={button.disabled === true || busy}
      aria-busy={busy}
      className="button"
      data-look={look}
      data-size={size}
    >
      {Icon && <Icon aria-hidden />}
      {children}
    </button>
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does, for people who do not see the icon. */
  readonly label: string
  readonly icon: LucideIcon
}

export function IconButton({ label, icon: Icon, ...button }: IconButtonProps) {
  return (
    <button type="button" title={label} aria-label={label} {...button} className="icon-button">
      <Icon aria-hidden />
    </button>
  )
}
