/** Every page and action by keyboard: Ctrl K. */
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { KeyRound, LogOut, SunMoon } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useNavigation } from '../navigation.ts'
import { signOut } from '../session/session.ts'
import { useRights } from '../session/use-rights.ts'
import { useReturnFocus } from '../ui/overlay/dialog.tsx'
import { applyTheme, nextTheme, readTheme } from './theme.ts'

export default function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const rights = useRights()
  const navigation = useNavigation()
  const returnFocus = useReturnFocus()
  const run = (action: () => unknown) => () => {
    onClose()
    void action()
  }
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Radix.Title className="visually-hidden">Command palette</Radix.Title>
          <Command label="Command palette" loop>
            <Command.Input placeholder="Type a page or an action…" />
            <Command.List>
              <Command.Empty>Nothing matches.</Command.Empty>
              <Command.Group heading="Go to">
                {navigation
                  .flatMap(({ items }) => items)
                  .map(({ to, label, icon: Icon }) => (
                    <Command.Item key={to} className="menu-item" onSelect={run(() => navigate({ to }))}>
                      <Icon aria-hidden />
                      {label}
                    </Command.Item>
                  ))}
              </Command.Group>
              <Command.Group heading="Actions">
                {rights.aclWrite && (
                  <Command.Item
                    className="menu-item"
                    onSelect={run(() => navigate({ to: '/tokens', search: { create: true } }))}
                  >
                    <KeyRound aria-hidden />
                    Create token
                  </Command.Item>
                )}
                <Command.Item className="menu-item" onSelect={run(() => applyTheme(nextTheme(readTheme())))}>
                  <SunMoon aria-hidden />
                  Theme: {nextTheme(readTheme())}
                </Command.Item>
                <Command.Item className="menu-item" onSelect={run(() => signOut())}>
                  <LogOut aria-hidden />
                  Sign out
                </Command.Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
