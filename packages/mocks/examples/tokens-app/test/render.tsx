/** Renders into the document of the test as into a page: React schedules its work, and tests wait for the result. */
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

export interface Screen {
  /** Texts of the table's cells, row by row. */
  rows(): string[][]
  /** Text of the first element that a selector finds; `undefined` if none. */
  text(selector: string): string | undefined
  /** Fills the fields by their names, and sends the form. */
  submit(fields: Readonly<Record<string, string>>): void
  unmount(): void
}

export function render(element: ReactNode): Screen {
  const container = document.body.appendChild(document.createElement('div'))
  const root = createRoot(container)
  root.render(element)
  return {
    rows: () =>
      [...container.querySelectorAll('tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''),
      ),
    text: (selector) => container.querySelector(selector)?.textContent ?? undefined,
    submit: (fields) => {
      for (const [name, value] of Object.entries(fields)) {
        const input = container.querySelector<HTMLInputElement>(`input[name="${name}"]`)
        if (!input) throw new TypeError(`the form has no field ${name}`)
        input.value = value
      }
      container.querySelector('form')?.requestSubmit()
    },
    unmount: () => {
      root.unmount()
      container.remove()
    },
  }
}

/** Maximum wait for an expected result, in milliseconds. */
const PATIENCE_MS = 20_000

/** Waits until a check no longer throws. */
export async function eventually(check: () => void): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      check()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}
