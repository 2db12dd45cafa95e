import { texts } from '../texts.ts'

/**
 * Puts a text on the clipboard without putting it into the page.
 *
 * @throws Error with a text for people, if the browser refuses.
 */
export async function copyText(text: string): Promise<void> {
  // Over plain HTTP from another machine, browsers give a page no clipboard, but still let it answer a copy.
  const isCopied = window.isSecureContext
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => copyByEvent(text),
      )
    : copyByEvent(text)
  if (!isCopied) throw new Error(texts.problem.noClipboard)
}

function copyByEvent(text: string): boolean {
  let isAnswered = false
  const answer = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isAnswered = event.clipboardData !== null
  }
  document.addEventListener('copy', answer)
  try {
    return document.execCommand('copy') && isAnswered
  } finally {
    document.removeEventListener('copy', answer)
  }
}
