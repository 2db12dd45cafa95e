/** Reads tokens from the store as parts of a list. */
import type { TokenRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'
import type { ListPosition, TokenFilter, TokenListRequest } from '@latchkey/service'
import type { ListPart } from './token-list.ts'

/**
 * Tokens per part: few, because one change rebuilds the whole part; not fewer, because each part costs a few hundred
 * bytes.
 */
const PART_TOKENS = 128
/** Up to this size, a part also includes the remaining tokens of its last commit. */
const PART_TOKENS_MAX = 512

type PartsRequest = Pick<TokenListRequest, 'store' | 'show'>

/** The parts of a range of the list, the last of which ends with the range. */
export async function* readParts(request: PartsRequest, filter: TokenFilter): AsyncGenerator<ListPart> {
  const encode = encoderInBlocks()
  const partOf = (tokens: readonly TokenRecord[], end: ListPosition | undefined): ListPart => {
    const { text, validUntil, leavesOutExpired } = request.show(tokens)
    return {
      end,
      bytes: encode(text),
      validUntil,
      leavesOutExpired,
      fingerprints: Uint32Array.from(tokens, ({ AccessorID }) => fingerprintOf(AccessorID.toLowerCase())),
      hasNameless: tokens.some(({ AccessorID }) => AccessorID === ''),
    }
  }
  let left: readonly TokenRecord[] = []
  for await (const page of request.store.tokens(filter)) {
    const tokens = left.length === 0 ? page : [...left, ...page]
    let start = 0
    // The last part waits for the next page: it may be the last of the list.
    for (let end = endOfPart(tokens, start); end < tokens.length; end = endOfPart(tokens, start)) {
      const last = tokens[end - 1]
      yield partOf(tokens.slice(start, end), last && ownPlace(request.store.placeOf(last)))
      start = end
    }
    left = tokens.slice(start)
  }
  if (left.length > 0 || filter.until === undefined) yield partOf(left, filter.until)
}

/** A position that does not retain the text of a whole page of rows. */
function ownPlace(place: ListPosition): ListPosition {
  return { ...place, accessorId: ownText(place.accessorId) }
}

function endOfPart(tokens: readonly TokenRecord[], start: number): number {
  let end = start + PART_TOKENS
  const endMax = Math.min(start + PART_TOKENS_MAX, tokens.length)
  while (end < endMax && tokens[end]?.CreateIndex === tokens[end - 1]?.CreateIndex) end += 1
  return end
}

/** FNV-1a in 32 bits. A collision of two accessors only rebuilds an unchanged part. */
export function fingerprintOf(accessorKey: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < accessorKey.length; i += 1) {
    hash = Math.imul(hash ^ accessorKey.charCodeAt(i), 0x01000193)
  }
  return hash >>> 0
}

const encoder = new TextEncoder()
const BLOCK_BYTES_MAX = 1_048_576
/** Maximum bytes of UTF-8 for one unit of UTF-16. */
const UNIT_BYTES_MAX = 3

/** Encodes texts into blocks that grow with the list: thousands of small pieces would fragment the heap. */
function encoderInBlocks(): (text: string) => Uint8Array {
  let block = new Uint8Array(0)
  let length = 0
  return (text) => {
    const bytesMax = text.length * UNIT_BYTES_MAX
    if (block.length < bytesMax) block = new Uint8Array(Math.max(Math.min(length, BLOCK_BYTES_MAX), bytesMax))
    const { written } = encoder.encodeInto(text, block)
    const bytes = block.subarray(0, written)
    block = block.subarray(written)
    length += written
    return bytes
  }
}
