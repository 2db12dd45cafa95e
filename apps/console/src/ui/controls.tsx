import type { ComponentProps, ReactNode } from 'react'

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
  /** The action is running and cannot be started again. */
  readonly busy?: boolean
}

export function Button({ look = 'plain', size = 'medium', busy = false, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      disabled={props.disabled === true || busy}
      aria-busy={busy}
      className="button"
      data-look={look}
      data-size={size}
    />
  )
}

interface IconButtonProps extends ComponentProps<'button'> {
  /** What the button does, for people who do not see the icon. */
  readonly label: string
}

export function IconButton({ label, ...props }: IconButtonProps) {
  return <button type="button" title={label} aria-label={label} {...props} className="icon-button" />
}
