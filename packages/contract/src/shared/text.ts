import * as z from 'zod'

const encoder = new TextEncoder()

/** Length of a text in bytes of UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length
}

/** V8 copies shorter substrings; longer ones are views of the whole text. */
const VIEW_LENGTH_MIN = 13

/**
 * Copies a text that outlives its request. A substring (from `slice`, `split`, `trim` or a match) is a view that keeps the
 * whole header, URL or body in memory.
 */
export function ownText(text: string): string {
  // Slicing flattens the concatenation, so the slice is a view of a small new string.
  return text.length < VIEW_LENGTH_MIN ? text : ` ${text}`.slice(1)
}

/** A string of at most `bytesMax` bytes of UTF-8. A longer one is refused with `code`. */
export function boundedText(
  bytesMax: number,
  code: 'field_too_long' | 'body_too_large' = 'field_too_long',
): z.ZodString {
  const schema = z.string().check((context) => {
    // A UTF-16 unit takes at most three bytes, so short texts need no encoding.
    if (context.value.length * 3 <= bytesMax || utf8Length(context.value) <= bytesMax) return
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `must be at most ${bytesMax} bytes long`,
      params: { code },
    })
  })
  // JSON Schema counts characters. A character takes at least one byte, so no valid text is refused.
  return schema.meta({ maxLength: bytesMax, 'x-latchkey-bytes-max': bytesMax })
}
