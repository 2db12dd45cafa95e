import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'

interface ChoicesProps extends Omit<ComponentProps<typeof Command.Input>, 'children'> {
  readonly label: string
  readonly trigger: ReactNode
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly modal?: boolean
  /** Whether the list finds what is typed itself; absent: it does. */
  readonly shouldFilter?: boolean
  readonly none?: string
  readonly children: ReactNode
}

export function Choices(props: ChoicesProps) {
  const {
    label,
    trigger,
    isOpen,
    onOpen,
    modal = false,
    shouldFilter = true,
    none,
    children,
    ...input
  } = props
  return (
    <Popover.Root open={isOpen} onOpenChange={onOpen} modal={modal}>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover palette-small"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
        >
          <Command label={label} shouldFilter={shouldFilter} loop>
            <Command.Input {...input} />
            <Command.List>
              <Command.Empty>{none ?? 'Nothing matches.'}</Command.Empty>
              {children}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface ChoiceProps {
  readonly value: string
  readonly title: string
  readonly sub?: string
  readonly isMono?: boolean
  readonly isChosen?: boolean
  readonly onSelect: () => void
}

export function Choice({ value, title, sub = '', isMono = false, isChosen = false, onSelect }: ChoiceProps) {
  return (
    <Command.Item className="menu-item" value={value} onSelect={onSelect}>
      <span className="cell-title">
        <span className="truncate">{title}</span>
        {sub !== '' && <span className={`cell-sub ${isMono ? 'mono ' : ''}truncate`}>{sub}</span>}
      </span>
      {isChosen && <Check aria-hidden />}
    </Command.Item>
  )
}
