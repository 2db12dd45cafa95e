/** Replaces `react-style-singleton` of Radix: an adopted sheet, so the page needs no `unsafe-inline` in its CSP. */
import { useEffect } from 'react'

/** A component that applies its styles to the document while it is mounted; the last one to unmount removes them. */
export function styleSingleton() {
  let users = 0
  let sheet: CSSStyleSheet | undefined
  return function Sheet({
    styles,
    dynamic = false,
  }: {
    readonly styles: string
    readonly dynamic?: boolean
  }) {
    useEffect(() => {
      sheet ??= new CSSStyleSheet()
      if (users === 0 || dynamic) sheet.replaceSync(styles)
      if (users === 0) document.adoptedStyleSheets.push(sheet)
      users += 1
      return () => {
        users -= 1
        if (users > 0) return
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet)
      }
    }, [styles, dynamic])
    return null
  }
}
