import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { copyText } from './copy-text.ts'
import { messageOf } from './feedback/message-of.ts'
import { showToast } from './feedback/toast.tsx'

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
    <IconButton label={isCopied ? 'Copied' : label} onClick={() => void copy()}>
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  )
}
