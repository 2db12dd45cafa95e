/**
 * Most legacy rules are plain: a sequence of blocks of known kinds, each segment once. Such a text means the
 * same before, during and after the upgrade. Detecting it without parsing keeps a million texts fast.
 */

const LEVEL = '"(?:read|write|deny)"'
const SEGMENT = '"[^"\\\\$\\n]*"'
const GAP = '(?:\\s|#[^\\n]*(?:\\n|$)|//[^\\n]*(?:\\n|$))*'
const BLOCK = `(?:agent|event|node|query|service|session)\\s+${SEGMENT}\\s*\\{\\s*policy\\s*=\\s*${LEVEL}\\s*\\}`
const SERVICE_BLOCK = `service\\s+${SEGMENT}\\s*\\{\\s*policy\\s*=\\s*${LEVEL}\\s+intentions\\s*=\\s*${LEVEL}\\s*\\}`
const KEY_BLOCK = `key\\s+${SEGMENT}\\s*\\{\\s*policy\\s*=\\s*"(?:read|list|write|deny)"\\s*\\}`
const SCALAR = `(?:operator|keyring)\\s*=\\s*${LEVEL}(?=\\s|$)`
const ITEM = new RegExp(`${GAP}(${KEY_BLOCK}|${BLOCK}|${SERVICE_BLOCK}|${SCALAR})${GAP}`, 'y')
const NAME = /^\w+(?:\s+"[^"]*")?/

/** Whether the text is plain and needs no findings. `false` means only that it must be parsed. */
export function isPlain(text: string): boolean {
  const seen = new Set<string>()
  ITEM.lastIndex = 0
  while (ITEM.lastIndex < text.length) {
    const [, item] = ITEM.exec(text) ?? []
    if (item === undefined) return false
    const [name = ''] = NAME.exec(item) ?? []
    const key = name.replace(/\s+/, ' ')
    if (seen.has(key)) return false
    seen.add(key)
  }
  return true
}
