import { useState } from 'react'

/** What had the focus when the last dialog opened that was not opened from another one. */
let outside: HTMLElement | undefined

/**
 * Gives the focus back to what had it when a dialog opened. Radix does so for its own triggers alone.
 *
 * @returns a handler for `onCloseAutoFocus`.
 */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(findOpener)
  return (event) => {
    event.preventDefault()
    // A dialog that took the place of another one, or closes together with it, had its opener there.
    const target = opener?.isConnected ? opener : outside
    target?.focus()
  }
}

function findOpener(): HTMLElement | undefined {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return undefined
  // An item of a menu goes away with the menu, which names the button that opened it.
  const menuButton = activeElement.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menuButton ? (document.getElementById(menuButton) ?? undefined) : activeElement
  if (opener && !opener.closest('[role=dialog]')) outside = opener
  return opener
}
