import { useState } from 'react'

/** The element that had the focus when the last dialog opened from outside any dialog. */
let outside: HTMLElement | undefined

/**
 * Returns the focus to the element that had it when a dialog opened. Radix does so only for its own triggers.
 *
 * @returns a handler for `onCloseAutoFocus`.
 */
export function useReturnFocus(): (event: Event) => void {
  const [opener] = useState(findOpener)
  return (event) => {
    event.preventDefault()
    // If the dialog replaced another one, or closes together with it, its opener was in that dialog and is gone.
    const target = opener?.isConnected ? opener : outside
    target?.focus()
  }
}

function findOpener(): HTMLElement | undefined {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return undefined
  // A menu item disappears with the menu, which names the button that opened it.
  const menuButton = activeElement.closest('[role=menu]')?.getAttribute('aria-labelledby')
  const opener = menuButton ? (document.getElementById(menuButton) ?? undefined) : activeElement
  if (opener && !opener.closest('[role=dialog]')) outside = opener
  return opener
}
