import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './controls.tsx'
import { messageOf } from './message-of.ts'
import { showToast } from './toast.tsx'

const SHOWN_MS = 2_000

interface CopyButtonProps {
  readonly label: string
  /** Called when the person copies, so that the text need not be in the page. */
  readonly text: () => string | Promise<string>
}

export function CopyButton({ label, text }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    try {
      await copyText(await text())
      setCopied(true)
    } catch (error) {
      showToast({ text: messageOf(error), tone: 'danger' })
    }
  }
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      icon={isCopied ? Check : Copy}
      onClick={() => void copy()}
    />
  )
}

/** Copies a text without adding it to the page. @throws Error with a message for people if the browser refuses. */
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
