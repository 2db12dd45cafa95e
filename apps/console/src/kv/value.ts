/** Values for people: text where the bytes are UTF-8. */
import { type KVEntry, valueBytes } from '@latchkey/sdk'

/** The text of a value; `undefined` if its bytes are not UTF-8. */
export function textOf(entry: Pick<KVEntry, 'Value'>): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(valueBytes(entry))
  } catch {
    return undefined
  }
}

const SIZES = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** `512 bytes`, `1.5 KiB`. */
export function sizeOf(entry: Pick<KVEntry, 'Value'>): string {
  const bytes = valueBytes(entry).length
  return bytes < 1_024 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${SIZES.format(bytes / 1_024)} KiB`
}

/** The value with JSON in lines; as it is where it is not JSON. */
export function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
