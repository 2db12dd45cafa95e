/** Most rules are plain and mean the same in every version; to see that fast, they are not parsed. */

const LEVEL = '"(?:read|write|deny)"'
/** White space in the rule language. `\s` would also match characters that it refuses, such as a byte order mark. */
const SPACE = '[ \\t\\r\\n]'
const REFUSED = '\\0\\ud800-\\udfff'
const SEGMENT = `"[^"\\\\$\\n${REFUSED}]*"`
const COMMENT = `(?:#|//)[^\\n${REFUSED}]*(?:\\n|$)`
const GAP = `(?:${SPACE}|${COMMENT})*`
const BLOCK = `(?:agent|event|node|query|service|session)${SPACE}+${SEGMENT}${SPACE}*\\{${SPACE}*policy${SPACE}*=${SPACE}*${LEVEL}${SPACE}*\\}`
const SERVICE_BLOCK = `service${SPACE}+${SEGMENT}${SPACE}*\\{${SPACE}*policy${SPACE}*=${SPACE}*${LEVEL}${SPACE}+intentions${SPACE}*=${SPACE}*${LEVEL}${SPACE}*\\}`
const KEY_BLOCK = `key${SPACE}+${SEGMENT}${SPACE}*\\{${SPACE}*policy${SPACE}*=${SPACE}*"(?:read|list|write|deny)"${SPACE}*\\}`
const SCALAR = `(?:operator|keyring)${SPACE}*=${SPACE}*${LEVEL}(?=${SPACE}|$)`
const ITEM = new RegExp(`${GAP}(${KEY_BLOCK}|${BLOCK}|${SERVICE_BLOCK}|${SCALAR})${GAP}`, 'y')
const NAME = /^\w+(?:\s+"[^"]*")?/

/** Whether the text is plain and has no findings. `false` only means that it must be parsed. */
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
