import * as z from 'zod'

const encoder = new TextEncoder()

/** Length of a text in bytes of UTF-8, without encoding it where its length already decides. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length
}

/** V8 copies shorter parts of a text, and makes longer ones views of the whole. */
const VIEW_LENGTH_MIN = 13

/**
 * A copy of a text, for what is kept longer than the request it came with: a part of a text (from `slice`, `split`,
 * `trim` or a match) is a view that keeps all of its header, URL or body in memory.
 */
export function ownText(text: string): string {
  // The sum is written out in full when its part is taken, and that part is a view of it alone.
  return text.length < VIEW_LENGTH_MIN ? text : ` ${text}`.slice(1)
}

/** A string of at most `bytesMax` bytes of UTF-8. */
export function boundedText(bytesMax: number): z.ZodString {
  const schema = z.string().check((context) => {
    // A UTF-16 unit takes at most three bytes, so short texts need no encoding.
    if (context.value.length * 3 <= bytesMax || utf8Length(context.value) <= bytesMax) return
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `must be at most ${bytesMax} bytes long`,
      params: { code: 'field_too_long' },
    })
  })
  // For JSON Schema, which counts characters: a character takes at least one byte, so nothing that is valid is refused.
  return schema.meta({ maxLength: bytesMax, 'x-latchkey-bytes-max': bytesMax })
}
