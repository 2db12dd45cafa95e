import type { LucideIcon } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface MenuAction {
  readonly label: string
  readonly icon: LucideIcon
  readonly tone?: 'plain' | 'danger'
  readonly onSelect: () => void
}

interface MenuProps {
  readonly children: ReactNode
  readonly label?: ReactNode
  readonly actions: readonly MenuAction[]
  readonly align?: 'start' | 'end'
  readonly onOpenChange?: (isOpen: boolean) => void
}

export function Menu({ children, label, actions, align = 'end', onOpenChange }: MenuProps) {
  return (
    <Radix.Root {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align={align} sideOffset={6} collisionPadding={8}>
          {label !== undefined && (
            <Radix.Label asChild>{<div className="menu-label">{label}</div>}</Radix.Label>
          )}
          {actions.map(({ label: text, icon: Icon, tone, onSelect }) => (
            <Radix.Item key={text} className="menu-item" data-tone={tone} onSelect={onSelect}>
              <Icon aria-hidden />
              {text}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
