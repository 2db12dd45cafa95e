/**
 * Copies a text to the clipboard without adding it to the page.
 *
 * @throws Error with a message for people if the browser refuses.
 */
export async function copyText(text: string): Promise<void> {
  // Over plain HTTP from another machine, browsers offer no clipboard API, but a page can still handle a copy event.
  const isCopied = window.isSecureContext
    ? await navigator.clipboard.writeText(text).then(
        () => true,
        () => copyByEvent(text),
      )
    : copyByEvent(text)
  if (!isCopied)
    throw new Error(
      'The browser does not let this page use the clipboard. Show the text and copy it manually.',
    )
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
